/* SPDX-License-Identifier: MIT */
/** @file document.hpp - documents. See pqt.hpp. */
#ifndef PQT_DOCUMENT_HPP
#define PQT_DOCUMENT_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include <pqt/document.h>
#include <pqt/map.hpp>
#include <pqt/tree.hpp>
#include <pqt/value.hpp>

namespace pqt
{

namespace detail
{

template <> inline constexpr pqt_kind kind_of<pqt_document> = PQT_KIND_DOCUMENT;

} // namespace detail

/* Their headers are those of a wing. */
class region;
class image;
class world;

/**
 * A version of a document: named trees, maps, regions, images and worlds that change together.
 *
 *     pqt::document document = pqt::document::of({{"shapes", shapes}, {"names", names, "shapes"}});
 *     document = document.set("shapes", document.tree("shapes").insert(item));
 */
class document : public value<document, pqt_document>
{
  public:
    /** A named version, for of() and set(). It refers to its arguments, which must outlive it. */
    class part
    {
      public:
        /**
         * Names a version.
         *
         * @param name     its name
         * @param version  a tree, map, region, image or world
         * @throws         moved_from
         */
        template <class Version>
        part(const char *name, const Version &version)
            : part_{name, detail::kind_of<typename Version::c_type>, version.get(), nullptr},
              home_(version.home())
        {
        }

        /**
         * Names a map whose keys are the ids of a tree.
         *
         * @param name      its name
         * @param version   the map
         * @param keyed_by  the name of the tree
         * @throws          moved_from
         */
        template <class Key, class Value>
        part(const char *name, const pqt::map<Key, Value> &version, const char *keyed_by)
            : part_{name, PQT_KIND_MAP, version.get(), keyed_by}, home_(version.home())
        {
        }

      private:
        friend class document;

        pqt_part part_;
        memory_ref home_;
    };

    /**
     * Makes a document from parts in one memory.
     *
     * @param parts  1..PQT_MAX_PARTS parts with different names
     * @return       the document
     * @throws       error: see pqt_document_make; index() is the index of the part
     * @throws       std::bad_alloc
     * @cost         O(parts), and a look-up for each entry of a keyed map
     */
    [[nodiscard]] static document of(array_view<part> parts)
    {
        const std::vector<pqt_part> raw = raw_parts(parts);
        return make(parts.empty() ? memory_ref() : parts[0].home_, [&](pqt_error *failure) {
            return pqt_document_make(raw.data(), raw.size(), failure);
        });
    }

    /**
     * Replaces a part.
     *
     * @param name     the name of a part of the same kind
     * @param version  a tree, map, region or world in the same memory
     * @return         the new version of the document
     * @throws         error PQT_ERROR_OPTION, PQT_ERROR_MISMATCH
     * @throws         std::bad_alloc, moved_from
     */
    template <class Version>
    [[nodiscard]] document set(const std::string &name, const Version &version) const
    {
        return set_all({part(name.c_str(), version)});
    }

    /**
     * Replaces several parts together.
     *
     * @param parts  each has the name and kind of a part of this document
     * @return       the new version of the document
     * @throws       error: see set; index() is the index of the part
     * @throws       std::bad_alloc, moved_from
     */
    [[nodiscard]] document set_all(array_view<part> parts) const
    {
        const std::vector<pqt_part> raw = raw_parts(parts);
        return edit([&](const pqt_document *from, pqt_error *failure) {
            return pqt_document_set_parts(from, raw.data(), raw.size(), failure);
        });
    }

    /**
     * Counts the parts.
     *
     * @return  the number of parts
     * @throws  moved_from
     */
    std::size_t size() const
    {
        return pqt_document_count(get());
    }

    /**
     * Returns whether a part has a given name.
     *
     * @param name  any text
     * @return      true if one has it
     * @throws      moved_from
     */
    bool contains(const std::string &name) const
    {
        return pqt_document_find(get(), name.c_str(), nullptr);
    }

    /**
     * Returns a part that is a tree.
     *
     * @param name  the name of the part
     * @return      the tree
     * @throws      error PQT_ERROR_OPTION: there is no such tree
     * @throws      out_of_memory, moved_from
     */
    [[nodiscard]] pqt::tree tree(const std::string &name) const
    {
        return get_part<pqt::tree>(name);
    }

    /**
     * Returns a part that is a map.
     *
     * @tparam Key    as in pqt::map
     * @tparam Value  as in pqt::map
     * @param name  the name of the part
     * @return        the map
     * @throws        error PQT_ERROR_OPTION: there is no such map; PQT_ERROR_MISMATCH: its keys or
     *                      values are of another kind
     * @throws        out_of_memory, moved_from
     */
    template <class Key = std::uint64_t, class Value = std::uint64_t>
    [[nodiscard]] pqt::map<Key, Value> map(const std::string &name) const
    {
        return get_part<pqt::map<Key, Value>>(name);
    }

    /**
     * Returns a part that is a region. Needs the header of the class.
     *
     * @tparam T    pqt::region
     * @param name  the name of the part
     * @return      the region
     * @throws      error PQT_ERROR_OPTION: there is no such region
     * @throws      out_of_memory, moved_from
     */
    template <class T = pqt::region> [[nodiscard]] T region(const std::string &name) const
    {
        return get_part<T>(name);
    }

    /**
     * Returns a part that is an image. Needs the header of the class.
     *
     * @tparam T    pqt::image
     * @param name  the name of the part
     * @return      the image
     * @throws      error PQT_ERROR_OPTION: there is no such image
     * @throws      out_of_memory, moved_from
     */
    template <class T = pqt::image> [[nodiscard]] T image(const std::string &name) const
    {
        return get_part<T>(name);
    }

    /**
     * Returns a part that is a world. Needs the header of the class.
     *
     * @tparam T    pqt::world
     * @param name  the name of the part
     * @return      the world
     * @throws      error PQT_ERROR_OPTION: there is no such world
     * @throws      out_of_memory, moved_from
     */
    template <class T = pqt::world> [[nodiscard]] T world(const std::string &name) const
    {
        return get_part<T>(name);
    }

    /**
     * Visits the changes that turn this version into another, part by part.
     *
     * @param after    a version with an equal schema
     * @param visitor  takes a const pqt_document_change &
     * @return         false if the visitor stopped the visit
     * @throws         error PQT_ERROR_MISMATCH
     * @throws         anything that the visitor throws
     * @throws         out_of_memory, moved_from
     */
    template <class Visitor> bool visit_diff(const document &after, Visitor &&visitor) const
    {
        const auto self = this->held();
        const auto next = after.held();
        detail::callback call(visitor);
        pqt_error failure = {};
        const bool all = pqt_document_visit_diff(
            self.get(), next.get(),
            [](const pqt_document_change *change, void *context) {
                return decltype(call)::of(context).visit(*change);
            },
            &call, &failure);
        call.rethrow();
        if (failure.status != PQT_OK)
            detail::raise(failure);
        return all;
    }

    /**
     * Merges two versions that were derived from this one.
     *
     * @param ours    one side
     * @param theirs  the other side
     * @return        the version with the changes of both
     * @throws        error PQT_ERROR_CONFLICT, PQT_ERROR_MISMATCH
     * @throws        out_of_memory, moved_from
     */
    [[nodiscard]] document merge(const document &ours, const document &theirs) const
    {
        const pqt_document *const a = ours.get(), *const b = theirs.get();
        return edit([&](const pqt_document *from, pqt_error *failure) {
            return pqt_document_merge(from, a, b, nullptr, failure);
        });
    }

    /**
     * Merges, and lets a function resolve conflicts.
     *
     * @param ours     one side
     * @param theirs   the other side
     * @param resolve  takes a const pqt_document_conflict & and a pqt_document_answer &, and
     *                 returns a pqt_document_resolution
     * @return         the merged version
     * @throws         error: see above, and PQT_ERROR_CALLBACK
     * @throws         anything that resolve throws
     * @throws         out_of_memory, moved_from
     */
    template <class Resolve>
    [[nodiscard]] document merge(const document &ours, const document &theirs,
                                 Resolve &&resolve) const
    {
        detail::callback call(resolve);
        pqt_document_merge_options options = PQT_DOCUMENT_MERGE_DEFAULTS;
        options.context = &call;
        options.resolve = [](const pqt_document_conflict *conflict, pqt_document_answer *answer,
                             void *context) {
            return decltype(call)::of(context).decide(PQT_DOCUMENT_UNRESOLVED, *conflict, *answer);
        };
        const pqt_document *const from = get(), *const a = ours.get(), *const b = theirs.get();
        return make_calling(home(), call, [&](pqt_error *failure) {
            return pqt_document_merge(from, a, b, &options, failure);
        });
    }

    /**
     * Merges, and resolves all conflicts in the same way.
     *
     * @param ours    one side
     * @param theirs  the other side
     * @param always  the resolution; not PQT_DOCUMENT_KEEP_ANSWER
     * @return        the merged version
     * @throws        error: see above
     */
    [[nodiscard]] document merge(const document &ours, const document &theirs,
                                 pqt_document_resolution always) const
    {
        return merge(ours, theirs,
                     [=](const pqt_document_conflict &, pqt_document_answer &) { return always; });
    }

  private:
    friend class value<document, pqt_document>;

    explicit document(value &&from) noexcept : value(std::move(from))
    {
    }

    static std::vector<pqt_part> raw_parts(array_view<part> parts)
    {
        std::vector<pqt_part> raw;
        raw.reserve(parts.size());
        for (const part &one : parts)
            raw.push_back(one.part_);
        return raw;
    }

    template <class T> T get_part(const std::string &name) const
    {
        constexpr pqt_kind kind = detail::kind_of<typename T::c_type>;
        std::size_t index = 0;
        if (pqt_document_find(get(), name.c_str(), &index)) {
            const pqt_part found = pqt_document_get_part(get(), index);
            if (found.kind == kind)
                return part_of<T>(static_cast<const typename T::c_type *>(found.version), home());
        }
        detail::raise(PQT_ERROR_OPTION, ("the document has no " + std::string(pqt_kind_name(kind)) +
                                         " \"" + name + "\"")
                                            .c_str());
    }
};

} // namespace pqt

namespace std
{

/** Hashes a document by its fingerprint, in O(parts). */
template <> struct hash<pqt::document> : pqt::detail::hash_of<pqt::document> {
};

} // namespace std

#endif
