/* SPDX-License-Identifier: MIT */
/** @file history.hpp - undo, redo and branches of versions. See pqt.hpp. */
#ifndef PQT_HISTORY_HPP
#define PQT_HISTORY_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <pqt/history.h>
#include <pqt/history_bytes.h>
#include <pqt/history_query.h>
#include <pqt/query.hpp>
#include <pqt/store.h>
#include <pqt/value.hpp>

namespace pqt
{

namespace detail
{

/* An open store. A pqt::store and the history or recording in it share the store, which is closed
   when the last of them is destroyed. */
struct open_store {
    explicit open_store(pqt_store *opened) noexcept : store(opened)
    {
    }

    open_store(const open_store &) = delete;
    open_store &operator=(const open_store &) = delete;

    ~open_store()
    {
        (void)pqt_store_close(&store, nullptr);
    }

    pqt_store *store;
};

} // namespace detail

/**
 * Undo, redo and branches of trees, maps, regions, worlds or documents; see pqt/history.h.
 *
 *     pqt::history history(tree);
 *     history.push(tree.insert(item), "Insert");
 *     history.undo();
 *     tree = history.value();
 *
 * A history owns its entries. It can be moved but not copied. Only one thread at a time may use it.
 *
 * A history may be in a pqt::store. Then each function that changes it, or that needs a version,
 * may also throw what the store reports: PQT_ERROR_STREAM, PQT_ERROR_FORMAT, and PQT_ERROR_MISMATCH
 * if the store is open for reading. In this case nothing has changed, with one exception: if an
 * undo position, a saved mark or a group cannot be written, it has changed in memory, and the next
 * change writes it.
 *
 * @tparam T  the class of the values
 */
template <class T> class history
{
  public:
    /**
     * Makes a history.
     *
     * @param first    its first value
     * @param options  start from PQT_HISTORY_DEFAULTS
     * @throws         error PQT_ERROR_OPTION
     * @throws         out_of_memory, moved_from
     */
    explicit history(const T &first, const pqt_history_options &options = PQT_HISTORY_DEFAULTS)
        : home_(first.home())
    {
        pqt_error failure = {};
        history_ = pqt_history_make(pqt_history_kind_of(detail::kind_of<typename T::c_type>),
                                    first.get(), &options, &failure);
        if (history_ == nullptr)
            detail::raise(failure);
    }

    /** Takes over a history. @param from moved from afterwards */
    history(history &&from) noexcept
        : history_(std::exchange(from.history_, nullptr)), home_(from.home_),
          store_(std::move(from.store_))
    {
    }

    /**
     * Takes over a history.
     *
     * @param from  moved from afterwards
     * @return      *this
     */
    history &operator=(history &&from) noexcept
    {
        history taken(std::move(from));
        std::swap(history_, taken.history_);
        std::swap(home_, taken.home_);
        std::swap(store_, taken.store_);
        return *this;
    }

    history(const history &) = delete;
    history &operator=(const history &) = delete;

    /** Destroys the history. Values taken from it stay valid, and a store keeps its contents. */
    ~history()
    {
        pqt_history_destroy(&history_);
    }

    /**
     * Returns the history, for C functions.
     *
     * @return  the history
     * @throws  moved_from
     */
    pqt_history *get() const
    {
        if (history_ == nullptr)
            throw moved_from();
        return history_;
    }

    /**
     * Adds an entry after the current one; an equal value adds none.
     *
     * @param value  a value in the memory of the first one
     * @param label  a text for a menu
     * @throws       error PQT_ERROR_MISMATCH, PQT_ERROR_LIMIT
     * @throws       out_of_memory, moved_from
     */
    void push(const T &value, const std::string &label = {})
    {
        pqt_history_entry_info info = {};
        info.label = label.c_str();
        push(value, info);
    }

    /**
     * Adds an entry that has a time or a key.
     *
     * @param value  a value in the memory of the first one
     * @param info   see pqt_history_entry_info
     * @throws       error: see above, and PQT_ERROR_OPTION
     * @throws       out_of_memory, moved_from
     */
    void push(const T &value, const pqt_history_entry_info &info)
    {
        pqt_error failure = {};
        if (!pqt_history_push(get(), value.get(), &info, &failure))
            detail::raise(failure);
    }

    /**
     * Makes the parent of the current entry the current one.
     *
     * @return  false if it has no parent, or if a group is open
     * @throws  moved_from
     */
    bool undo()
    {
        return with_store([this] { return pqt_history_undo(get()); });
    }

    /**
     * Returns to the child that was current most recently.
     *
     * @return  false if there is none, or if a group is open
     * @throws  moved_from
     */
    bool redo()
    {
        return with_store([this] { return pqt_history_redo(get()); });
    }

    /**
     * Makes any entry current.
     *
     * @param entry  its number
     * @throws       error: see pqt_history_checkout
     * @throws       moved_from
     */
    void checkout(std::uint64_t entry)
    {
        (void)with_store([&] {
            pqt_error failure = {};
            if (!pqt_history_checkout(get(), entry, &failure))
                detail::raise(failure);
            return true;
        });
    }

    /**
     * Opens a group: all pushes until its end become one entry.
     *
     * @param label  the label of that entry
     * @throws       moved_from
     */
    void begin_group(const std::string &label)
    {
        (void)with_store([&] {
            pqt_history_begin(get(), label.c_str());
            return true;
        });
    }

    /**
     * Ends the group that was opened last.
     *
     * @return  see pqt_history_end
     * @throws  moved_from
     */
    bool end_group()
    {
        return with_store([this] { return pqt_history_end(get()); });
    }

    /**
     * Ends all open groups, undoes their pushes, and makes the entry before them current.
     *
     * @return  see pqt_history_cancel
     * @throws  moved_from
     */
    bool cancel_group()
    {
        return with_store([this] { return pqt_history_cancel(get()); });
    }

    /**
     * Returns the current value.
     *
     * @return  the value, with a pin of its own
     * @throws  out_of_memory, moved_from
     */
    [[nodiscard]] T value() const
    {
        return with_store([this] { return load(pqt_history_current(get())); }).value();
    }

    /**
     * Returns the value of an entry.
     *
     * @param entry  its number
     * @return       the value; none if there is no such entry
     * @throws       out_of_memory, moved_from
     */
    [[nodiscard]] std::optional<T> value_of(std::uint64_t entry) const
    {
        return with_store([&] { return load(entry); });
    }

    /**
     * Returns the number of the current entry.
     *
     * @return  the number
     * @throws  moved_from
     */
    std::uint64_t current() const
    {
        return pqt_history_current(get());
    }

    /**
     * Returns the label for "Undo ...".
     *
     * @return  the label; none if undo would return false
     * @throws  std::bad_alloc, moved_from
     */
    std::optional<std::string> undo_label() const
    {
        return text(pqt_history_undo_label(get()));
    }

    /**
     * Returns the label for "Redo ...".
     *
     * @return  the label; none if redo would return false
     * @throws  std::bad_alloc, moved_from
     */
    std::optional<std::string> redo_label() const
    {
        return text(pqt_history_redo_label(get()));
    }

    /** Makes the next push add an entry, even if it has the key of the last one. @throws moved_from */
    void end_coalescing()
    {
        (void)with_store([this] {
            pqt_history_end_coalescing(get());
            return true;
        });
    }

    /** Marks the current entry as saved. @throws moved_from */
    void mark_saved()
    {
        (void)with_store([this] {
            pqt_history_mark_saved(get());
            return true;
        });
    }

    /**
     * Returns whether the current entry is not the saved one.
     *
     * @return  see pqt_history_is_modified
     * @throws  moved_from
     */
    bool is_modified() const
    {
        return pqt_history_is_modified(get());
    }

    /**
     * Names an entry, so that find() returns it and thin() keeps it.
     *
     * @param entry  its number
     * @param name   the name
     * @throws       error: see pqt_history_set_name
     * @throws       out_of_memory, moved_from
     */
    void set_name(std::uint64_t entry, const std::string &name)
    {
        pqt_error failure = {};
        if (!pqt_history_set_name(get(), entry, name.c_str(), &failure))
            detail::raise(failure);
    }

    /**
     * Removes the name of an entry.
     *
     * @param entry  its number
     * @throws       error: see pqt_history_set_name
     * @throws       out_of_memory, moved_from
     */
    void remove_name(std::uint64_t entry)
    {
        pqt_error failure = {};
        if (!pqt_history_set_name(get(), entry, nullptr, &failure))
            detail::raise(failure);
    }

    /**
     * Finds an entry by its name.
     *
     * @param name  the name
     * @return      the number of the entry; none if no entry has the name
     * @throws      moved_from
     */
    std::optional<std::uint64_t> find(const std::string &name) const
    {
        std::uint64_t entry = 0;
        return pqt_history_find(get(), name.c_str(), &entry) ? std::optional<std::uint64_t>(entry)
                                                             : std::nullopt;
    }

    /**
     * Returns what is known of an entry.
     *
     * @param number  its number
     * @return        the entry, whose texts are valid until the history changes; none if there is
     *                no such entry
     * @throws        moved_from
     */
    std::optional<pqt_history_entry> entry(std::uint64_t number) const
    {
        pqt_history_entry found = {};
        return pqt_history_get_entry(get(), number, &found)
                   ? std::optional<pqt_history_entry>(found)
                   : std::nullopt;
    }

    /**
     * Finds the last entry on the path from the first entry to `tip` whose time is at most `time`.
     *
     * @param time  in the unit of the pushes
     * @param tip   the number of an entry
     * @return      the number of the entry; none if the tip is unknown or the first entry is later
     * @throws      moved_from
     */
    std::optional<std::uint64_t> entry_at(double time, std::uint64_t tip) const
    {
        std::uint64_t found = 0;
        return pqt_history_entry_at(get(), tip, time, &found) ? std::optional<std::uint64_t>(found)
                                                              : std::nullopt;
    }

    /**
     * Finds the last common ancestor of two entries, which may be one of them.
     *
     * @param a  the number of an entry
     * @param b  the number of an entry
     * @return   the number of the ancestor; none if an entry is unknown
     * @throws   moved_from
     */
    std::optional<std::uint64_t> common_ancestor(std::uint64_t a, std::uint64_t b) const
    {
        std::uint64_t found = 0;
        return pqt_history_common_ancestor(get(), a, b, &found)
                   ? std::optional<std::uint64_t>(found)
                   : std::nullopt;
    }

    /**
     * Returns the entries on the path between two entries, both included: up to the last common
     * ancestor, then down.
     *
     * @param from  the number of the first entry
     * @param to    the number of the last entry
     * @return      the numbers of the entries; none if an entry is unknown
     * @throws      std::bad_alloc, moved_from
     */
    [[nodiscard]] std::vector<std::uint64_t> path(std::uint64_t from, std::uint64_t to) const
    {
        std::vector<std::uint64_t> numbers;
        auto add = [&](const pqt_history_entry &entry) { numbers.push_back(entry.number); };
        (void)visit_by(add, [&](pqt_visit_entry_fn *each, void *context) {
            return pqt_history_visit_path(get(), from, to, each, context);
        });
        return numbers;
    }

    /**
     * Drops old entries. The older the entries, the larger the fraction of them that it drops. See
     * pqt_history_thin.
     *
     * @param recent  see pqt_history_thin; 0 keeps only the entries that are always kept
     * @throws        out_of_memory, moved_from
     */
    void thin(std::size_t recent)
    {
        pqt_error failure = {};
        if (!pqt_history_thin(get(), recent, &failure))
            detail::raise(failure);
    }

    /**
     * Drops an entry; the entries that follow it are kept.
     *
     * @param entry  its number
     * @throws       error PQT_ERROR_MISMATCH: there is no such entry, or it is always kept
     * @throws       out_of_memory, moved_from
     */
    void drop(std::uint64_t entry)
    {
        pqt_error failure = {};
        if (!pqt_history_drop(get(), entry, &failure))
            detail::raise(failure);
    }

    /**
     * Drops an entry and all entries that follow it, except those that are always kept.
     *
     * @param entry  its number
     * @throws       error PQT_ERROR_MISMATCH: there is no such entry
     * @throws       out_of_memory, moved_from
     */
    void drop_branch(std::uint64_t entry)
    {
        pqt_error failure = {};
        if (!pqt_history_drop_branch(get(), entry, &failure))
            detail::raise(failure);
    }

    /**
     * Visits all entries in the order of pqt_history_visit.
     *
     * @param visitor  takes a const pqt_history_entry &, and must not change the history
     * @return         false if the visitor stopped the visit
     * @throws         anything that the visitor throws
     * @throws         moved_from
     */
    template <class Visitor> bool visit(Visitor &&visitor) const
    {
        return visit_by(visitor, [this](pqt_visit_entry_fn *each, void *context) {
            return pqt_history_visit(get(), each, context);
        });
    }

    /**
     * Visits the entries at the tips of the branches, in the order of their numbers.
     *
     * @param visitor  as in visit
     * @return         false if the visitor stopped the visit
     * @throws         anything that the visitor throws
     * @throws         moved_from
     */
    template <class Visitor> bool visit_branches(Visitor &&visitor) const
    {
        return visit_by(visitor, [this](pqt_visit_entry_fn *each, void *context) {
            return pqt_history_visit_branches(get(), each, context);
        });
    }

    /**
     * Finds the last change in a window on the path from the first entry to `tip`. The history must
     * be indexed.
     *
     * @param query  selects items; by default, any change counts
     * @param tip    the number of an entry
     * @param part   the name of a tree, in a history of documents with several; null: the only one
     * @return       the answer, whose `found` says whether there is such a change
     * @throws       error: see pqt_history_last_change
     * @throws       moved_from
     */
    [[nodiscard]] pqt_history_answer last_change(const query &query, std::uint64_t tip,
                                                 const char *part = nullptr) const
    {
        const pqt_query raw = query.raw();
        pqt_history_answer answer = {};
        pqt_error failure = {};
        if (!pqt_history_last_change(get(), part, tip, &raw, &answer, &failure))
            detail::raise(failure);
        return answer;
    }

    /**
     * Finds the last insertion, move or removal of an item on the path to `tip`. The history must be
     * indexed.
     *
     * @param id    the id of the item
     * @param tip   the number of an entry
     * @param part  as in last_change
     * @return      the answer, with the change
     * @throws      error: see pqt_history_last_item_change
     * @throws      out_of_memory, moved_from
     */
    [[nodiscard]] pqt_history_answer last_item_change(std::uint64_t id, std::uint64_t tip,
                                                      const char *part = nullptr) const
    {
        pqt_history_answer answer = {};
        pqt_error failure = {};
        if (!pqt_history_last_item_change(get(), part, tip, id, &answer, &failure))
            detail::raise(failure);
        return answer;
    }

    /**
     * Returns the changes between the versions at two times on the path to `tip`, without those that
     * were reverted in between. If `to` is before `from`, the changes lead back.
     *
     * @param from   a time in the unit of the pushes; before the first entry, it means that entry
     * @param to     another time
     * @param query  selects the items to compare
     * @param tip    the number of an entry
     * @param part   as in last_change
     * @return       the changes
     * @throws       error: see pqt_history_visit_changes
     * @throws       std::bad_alloc, moved_from
     */
    [[nodiscard]] std::vector<pqt_change> changes(double from, double to, const query &query,
                                                  std::uint64_t tip,
                                                  const char *part = nullptr) const
    {
        const pqt_query raw = query.raw();
        std::vector<pqt_change> found;
        auto add = [&](const pqt_change &change) { found.push_back(change); };
        detail::callback call(add);
        pqt_error failure = {};
        (void)pqt_history_visit_changes(
            get(), part, tip, from, to, &raw,
            [](const pqt_change *change, void *context) {
                return decltype(call)::of(context).visit(*change);
            },
            &call, &failure);
        call.rethrow();
        if (failure.status != PQT_OK)
            detail::raise(failure);
        return found;
    }

    /**
     * Returns the statistics.
     *
     * @return  the statistics
     * @throws  moved_from
     */
    pqt_history_stats stats() const
    {
        return pqt_history_get_stats(get());
    }

    /**
     * Counts the bytes of an entry, and those that it shares with its parent and its children.
     *
     * @param entry  its number
     * @return       the bytes
     * @throws       error PQT_ERROR_MISMATCH: there is no such entry
     * @throws       out_of_memory, moved_from
     */
    [[nodiscard]] pqt_history_bytes entry_bytes(std::uint64_t entry) const
    {
        pqt_history_bytes bytes = {};
        pqt_error failure = {};
        if (!pqt_history_get_bytes(get(), entry, &bytes, &failure))
            detail::raise(failure);
        return bytes;
    }

    /**
     * Writes the history in the format of docs/format.md, with all its versions.
     *
     * @return the bytes, the same on every platform
     * @throws error  PQT_ERROR_MISMATCH: a group is open; PQT_ERROR_OPTION: ids are pointers
     * @throws std::bad_alloc, moved_from
     */
    [[nodiscard]] std::vector<std::byte> to_bytes() const
    {
        return detail::written([this](pqt_write_fn *write, void *context, pqt_error *failure) {
            return pqt_history_write(get(), write, context, failure);
        });
    }

    /**
     * Reads a history from bytes that hold nothing else.
     *
     * @param bytes    as to_bytes returns them
     * @param memory   where its versions live
     * @param options  limits and index; the time and the label are ignored
     * @return         the history
     * @throws error   PQT_ERROR_FORMAT: the bytes have another format or are damaged, or bytes
     *                 follow the history; PQT_ERROR_MISMATCH: its versions are of another kind
     * @throws out_of_memory
     */
    [[nodiscard]] static history
    from_bytes(array_view<std::byte> bytes, memory_ref memory = {},
               const pqt_history_options &options = PQT_HISTORY_DEFAULTS)
    {
        detail::byte_source from(bytes);
        pqt_error failure = {};
        history read = take(
            pqt_history_read(detail::byte_source::read, &from, &options, memory.get(), &failure),
            memory, failure);
        from.expect_end("history");
        return read;
    }

    /**
     * Writes the history to a file, completely or not at all. A store (store.hpp) has each push in
     * its file at once.
     *
     * @param path  the name of the file
     * @throws error  PQT_ERROR_STREAM, and those of to_bytes
     * @throws out_of_memory, moved_from
     */
    void save(const std::string &path) const
    {
        pqt_error failure = {};
        if (!pqt_history_save_file(get(), path.c_str(), &failure))
            detail::raise(failure);
    }

    /**
     * Reads a history from a file that holds nothing else.
     *
     * @param path     the name of the file
     * @param memory   where its versions live
     * @param options  limits and index; the time and the label are ignored
     * @return         the history
     * @throws error   PQT_ERROR_STREAM, and those of from_bytes
     * @throws out_of_memory
     */
    [[nodiscard]] static history load(const std::string &path, memory_ref memory = {},
                                      const pqt_history_options &options = PQT_HISTORY_DEFAULTS)
    {
        pqt_error failure = {};
        pqt_history *const read =
            pqt_history_load_file(path.c_str(), &options, memory.get(), &failure);
        return take(read, memory, failure);
    }

  private:
    friend class store;

    /* Takes over a history that was read. Throws if that failed, or if it has versions of another
       kind. */
    static history take(pqt_history *read, memory_ref memory, const pqt_error &failure)
    {
        if (read == nullptr)
            detail::raise(failure);
        history taken(read, memory, nullptr);
        if (pqt_kind_of(pqt_history_value(read)) != detail::kind_of<typename T::c_type>)
            detail::raise(PQT_ERROR_MISMATCH, ("the bytes hold no history of " +
                                               detail::versions_of<typename T::c_type>())
                                                  .c_str());
        (void)taken.value(); /* throws if a map has keys or values of other types */
        return taken;
    }

    /* Takes over the history of a store. */
    history(pqt_history *opened, memory_ref home, std::shared_ptr<detail::open_store> from) noexcept
        : history_(opened), home_(home), store_(std::move(from))
    {
    }

    std::uint64_t used_bytes() const
    {
        return pqt_memory_get_stats(home_.get()).used_bytes;
    }

    /*
     * Calls a function that does not report failures of the store, and throws the failure if there
     * is one. Reclaims in proportion to the versions that were loaded. If memory is exhausted and
     * nothing has changed, reclaims what nothing holds and calls once more.
     */
    template <class F> auto with_store(F &&function) const
    {
        if (store_ == nullptr)
            return function();
        for (bool is_last = !home_.reclaims();; is_last = true) {
            pqt_error failure = {};
            (void)pqt_store_get_error(store_->store, nullptr);
            const std::uint64_t before = used_bytes();
            auto result = function();
            const std::uint64_t after = used_bytes();
            const bool done = pqt_store_get_error(store_->store, &failure);
            const bool again = !is_last && !result && failure.status == PQT_ERROR_MEMORY;
            if (home_.reclaims() && (after > before || again))
                (void)pqt_memory_reclaim(home_.get(), again ? PQT_RECLAIM_ALL : PQT_RECLAIM_PACED);
            if (done)
                return result;
            if (!again)
                detail::raise(failure);
        }
    }

    /* Calls a function that visits entries. */
    template <class Visitor, class F> static bool visit_by(Visitor &visitor, F &&function)
    {
        detail::callback call(visitor);
        const bool all = function(
            [](const pqt_history_entry *entry, void *context) {
                return decltype(call)::of(context).visit(*entry);
            },
            &call);
        call.rethrow();
        return all;
    }

    /* Returns the version of an entry. If it is loaded from a store, the scope keeps it until it is
       pinned. */
    std::optional<T> load(std::uint64_t entry) const
    {
        pqt_error failure = {};
        const detail::scope open(home_.get(), &failure);
        if (!open)
            detail::raise(failure);
        const auto *const version =
            static_cast<const typename T::c_type *>(pqt_history_value_of(get(), entry));
        return version == nullptr ? std::nullopt : std::optional<T>(T::hold(version, home_));
    }

    static std::optional<std::string> text(const char *label)
    {
        return label == nullptr ? std::nullopt : std::optional<std::string>(label);
    }

    pqt_history *history_ = nullptr;
    memory_ref home_;
    std::shared_ptr<detail::open_store> store_; /* null if the history is in no store */
};

} // namespace pqt

#endif
