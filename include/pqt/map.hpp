/* SPDX-License-Identifier: MIT */
/** @file map.hpp - maps. See pqt.hpp. */
#ifndef PQT_MAP_HPP
#define PQT_MAP_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <new>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <pqt/map.h>
#include <pqt/array_view.hpp>
#include <pqt/callback.hpp>
#include <pqt/value.hpp>

namespace pqt
{

namespace detail
{

template <> inline constexpr pqt_kind kind_of<pqt_map> = PQT_KIND_MAP;

/* The options of a map for the C++ types of its keys and values. */
template <class T> struct map_type;

template <class T>
inline constexpr bool is_map_type =
    std::is_same_v<T, std::uint64_t> || std::is_same_v<T, std::string_view>;

template <> struct map_type<std::uint64_t> {
    static constexpr pqt_map_keys keys = PQT_MAP_IDS;
    static constexpr pqt_map_values values = PQT_MAP_NUMBERS;

    static pqt_map_key key(std::uint64_t id) noexcept
    {
        return {id, nullptr, 0};
    }

    static pqt_map_value value(std::uint64_t number) noexcept
    {
        return {number, nullptr, 0};
    }

    static std::uint64_t key_of(const pqt_map_key &key) noexcept
    {
        return key.id;
    }

    static std::uint64_t value_of(const pqt_map_value &value) noexcept
    {
        return value.number;
    }
};

template <> struct map_type<std::string_view> {
    static constexpr pqt_map_keys keys = PQT_MAP_BYTE_KEYS;
    static constexpr pqt_map_values values = PQT_MAP_BYTE_VALUES;

    static pqt_map_key key(std::string_view text) noexcept
    {
        return pqt_map_byte_key(text.empty() ? nullptr : text.data(), text.size());
    }

    static pqt_map_value value(std::string_view bytes) noexcept
    {
        return pqt_map_bytes(bytes.empty() ? nullptr : bytes.data(), bytes.size());
    }

    static std::string_view key_of(const pqt_map_key &key) noexcept
    {
        return {static_cast<const char *>(key.bytes), key.size};
    }

    static std::string_view value_of(const pqt_map_value &value) noexcept
    {
        return {static_cast<const char *>(value.bytes), value.size};
    }
};

} // namespace detail

/**
 * The queries of a map, which is a version or the view of a draft.
 *
 * @tparam Derived  pqt::map or pqt::map_draft_view
 * @tparam Key      std::uint64_t or std::string_view
 * @tparam Value    std::uint64_t or std::string_view
 */
template <class Derived, class Key, class Value> class map_queries
{
    static_assert(detail::is_map_type<Key>,
                  "the keys of a pqt::map are std::uint64_t (ids) or std::string_view (bytes)");
    static_assert(
        detail::is_map_type<Value>,
        "the values of a pqt::map are std::uint64_t (numbers) or std::string_view (bytes)");
    using keys = detail::map_type<Key>;
    using values = detail::map_type<Value>;

  public:
    /**
     * Counts the keys.
     *
     * @return  the number of keys that have a value
     * @throws  moved_from
     */
    std::size_t size() const
    {
        return pqt_map_count(source());
    }

    /**
     * Returns whether there are no keys.
     *
     * @return  true if there are none
     * @throws  moved_from
     */
    bool empty() const
    {
        return size() == 0;
    }

    /**
     * Finds the value of a key.
     *
     * @param key  the key
     * @return     the value; none if the key has no value
     * @throws     moved_from
     * @cost       O(log n)
     */
    std::optional<Value> find(Key key) const
    {
        pqt_map_value found;
        if (!pqt_map_find(source(), keys::key(key), &found))
            return std::nullopt;
        return values::value_of(found);
    }

    /**
     * Returns whether a key has a value.
     *
     * @param key  the key
     * @return     true if it has a value
     * @throws     moved_from
     */
    bool contains(Key key) const
    {
        return pqt_map_find(source(), keys::key(key), nullptr);
    }

    /**
     * Visits all entries in key order.
     *
     * @param visitor  takes a Key and a Value
     * @return         false if the visitor stopped the visit
     * @throws         anything that the visitor throws
     * @throws         moved_from
     */
    template <class Visitor> bool visit(Visitor &&visitor) const
    {
        const auto kept = static_cast<const Derived *>(this)->held();
        detail::callback call(visitor);
        const bool all = pqt_map_visit_entries(
            kept.get(),
            [](const pqt_map_entry *entries, std::size_t count, void *context) {
                bool more = true;
                for (std::size_t i = 0; i < count && more; i++)
                    more = decltype(call)::of(context).visit(keys::key_of(entries[i].key),
                                                             values::value_of(entries[i].value));
                return more;
            },
            &call);
        call.rethrow();
        return all;
    }

  private:
    const pqt_map *source() const
    {
        return static_cast<const Derived *>(this)->get();
    }
};

/**
 * A version of a map: an immutable set of keys and their values. The types determine its kind:
 * std::uint64_t for ids and numbers, std::string_view for byte strings, which are copied in.
 *
 *     pqt::map<std::uint64_t, std::string_view> names;
 *     names = names.insert(17, "oak");
 *
 * A std::string_view that a version returns is valid as long as a value holds that version.
 *
 * @tparam Key    std::uint64_t or std::string_view (of at most PQT_MAX_MAP_KEY bytes)
 * @tparam Value  std::uint64_t or std::string_view
 */
template <class Key = std::uint64_t, class Value = std::uint64_t>
class map : public value<map<Key, Value>, pqt_map>, public map_queries<map<Key, Value>, Key, Value>
{
    using base = value<map<Key, Value>, pqt_map>;
    using keys = detail::map_type<Key>;
    using values = detail::map_type<Value>;

  public:
    /**
     * Makes an empty map.
     *
     * @param memory  where its versions live
     * @throws        out_of_memory
     */
    explicit map(memory_ref memory = {})
        : map(base::make(memory, [&](pqt_error *failure) {
              pqt_map_options options = PQT_MAP_DEFAULTS;
              options.keys = keys::keys;
              options.values = values::values;
              options.memory = memory.get();
              return pqt_map_make(&options, failure);
          }))
    {
    }

    /**
     * Sets the value of a key, whether or not it had one.
     *
     * @param key     the key
     * @param mapped  the value
     * @return        the new version
     * @throws        error PQT_ERROR_LIMIT: the key is too long
     * @throws        out_of_memory, moved_from
     * @cost          O(log n)
     */
    [[nodiscard]] map insert(Key key, Value mapped) const
    {
        return base::edit([&](const pqt_map *from, pqt_error *failure) {
            return pqt_map_insert(from, keys::key(key), values::value(mapped), failure);
        });
    }

    /**
     * Removes a key and its value.
     *
     * @param key  the key
     * @return     the new version
     * @throws     out_of_memory, moved_from
     * @cost       O(log n)
     */
    [[nodiscard]] map remove(Key key) const
    {
        return base::edit([&](const pqt_map *from, pqt_error *failure) {
            return pqt_map_remove(from, keys::key(key), failure);
        });
    }

    /**
     * Sets the values of several keys, all or none. If a key occurs twice, the last entry wins.
     *
     * @param entries  keys and values
     * @return         the new version
     * @throws         error: see insert; index() is the index of the entry
     * @throws         std::bad_alloc, moved_from
     * @cost           one descent for all entries
     */
    [[nodiscard]] map insert_all(array_view<std::pair<Key, Value>> entries) const
    {
        std::vector<pqt_map_change> changes;
        changes.reserve(entries.size());
        for (const auto &[key, mapped] : entries)
            changes.push_back({PQT_MAP_INSERT, keys::key(key), values::value(mapped)});
        return apply(changes);
    }

    /**
     * Applies pqt_map_change values as if one by one, and makes all of the changes or none.
     *
     * @param changes  keys and values of the map's kinds
     * @return         the new version
     * @throws         error: see insert; index() is the index of the change
     * @throws         out_of_memory, moved_from
     */
    [[nodiscard]] map apply(array_view<pqt_map_change> changes) const
    {
        return base::edit([&](const pqt_map *from, pqt_error *failure) {
            return pqt_map_apply(from, changes.data(), changes.size(), failure);
        });
    }

    /**
     * Visits the keys whose values differ between this version and another one.
     *
     * @param after    another version
     * @param visitor  takes a Key, and a std::optional<Value> before and after
     * @return         false if the visitor stopped the visit
     * @throws         anything that the visitor throws
     * @throws         moved_from
     * @cost           O(changes x log n)
     */
    template <class Visitor> bool visit_diff(const map &after, Visitor &&visitor) const
    {
        const auto self = this->held();
        const auto next = after.held();
        detail::callback call(visitor);
        const bool all = pqt_map_visit_diff(
            self.get(), next.get(),
            [](const pqt_map_key *key, const pqt_map_value *old_one, const pqt_map_value *new_one,
               void *context) {
                return decltype(call)::of(context).visit(keys::key_of(*key), maybe(old_one),
                                                         maybe(new_one));
            },
            &call);
        call.rethrow();
        return all;
    }

    /**
     * Merges two versions that were derived from this one.
     *
     * @param ours    one side
     * @param theirs  the other side; both sides are in the memory of this version
     * @return        the version with the changes of both
     * @throws        error PQT_ERROR_CONFLICT, PQT_ERROR_MISMATCH
     * @throws        out_of_memory, moved_from
     */
    [[nodiscard]] map merge(const map &ours, const map &theirs) const
    {
        const pqt_map *const a = ours.get(), *const b = theirs.get();
        return base::edit([&](const pqt_map *from, pqt_error *failure) {
            return pqt_map_merge(from, a, b, nullptr, failure);
        });
    }

    /**
     * Merges, and lets a function resolve conflicts.
     *
     * @param ours     one side
     * @param theirs   the other side
     * @param resolve  takes a const pqt_map_conflict & and a pqt_map_value & for the value of the
     *                 answer, and returns a pqt_map_resolution
     * @return         the merged version
     * @throws         error: see above, and PQT_ERROR_CALLBACK
     * @throws         anything that resolve throws
     * @throws         out_of_memory, moved_from
     */
    template <class Resolve>
    [[nodiscard]] map merge(const map &ours, const map &theirs, Resolve &&resolve) const
    {
        detail::callback call(resolve);
        pqt_map_merge_options options = PQT_MAP_MERGE_DEFAULTS;
        options.context = &call;
        options.resolve = [](const pqt_map_conflict *conflict, pqt_map_value *answer,
                             void *context) {
            return decltype(call)::of(context).decide(PQT_MAP_UNRESOLVED, *conflict, *answer);
        };
        const pqt_map *const from = base::get(), *const a = ours.get(), *const b = theirs.get();
        return base::make_calling(base::home(), call, [&](pqt_error *failure) {
            return pqt_map_merge(from, a, b, &options, failure);
        });
    }

    /**
     * Merges, and resolves all conflicts in the same way.
     *
     * @param ours    one side
     * @param theirs  the other side
     * @param always  the resolution; not PQT_MAP_KEEP_VALUE
     * @return        the merged version
     * @throws        error: see above
     */
    [[nodiscard]] map merge(const map &ours, const map &theirs, pqt_map_resolution always) const
    {
        return merge(ours, theirs,
                     [=](const pqt_map_conflict &, pqt_map_value &) { return always; });
    }

  private:
    friend base;
    friend class map_queries<map, Key, Value>;
    template <class K, class V> friend class map_draft;

    explicit map(base &&from) : base(std::move(from))
    {
        pqt_map_options options = PQT_MAP_DEFAULTS;
        pqt_map_get_options(base::get(), &options);
        if (options.keys != keys::keys || options.values != values::values)
            detail::raise(PQT_ERROR_MISMATCH, "the map has keys or values of another kind");
    }

    static std::optional<Value> maybe(const pqt_map_value *one)
    {
        return one == nullptr ? std::nullopt : std::optional<Value>(values::value_of(*one));
    }
};

} // namespace pqt

namespace std
{

/** Hashes a map by its fingerprint, in O(1). */
template <class Key, class Value>
struct hash<pqt::map<Key, Value>> : pqt::detail::hash_of<pqt::map<Key, Value>> {
};

} // namespace std

#endif
