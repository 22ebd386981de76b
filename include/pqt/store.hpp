/* SPDX-License-Identifier: MIT */
/** @file store.hpp - histories and recordings in files. See pqt.hpp. */
#ifndef PQT_STORE_HPP
#define PQT_STORE_HPP

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

#include <pqt/store.h>
#include <pqt/history.hpp>

namespace pqt
{

/** The options of a store: the fields of pqt_store_options. */
struct store_options : pqt_store_options {
    /** Sets the defaults of the C library: read and write, create, PQT_STORE_NORMAL. */
    store_options() : pqt_store_options(PQT_STORE_DEFAULTS)
    {
    }
};

/**
 * Returns whether the first bytes of a file are those of a store.
 *
 * @param bytes  the first PQT_STORE_HEAD bytes of a file, or more
 * @return       see pqt_is_store
 */
inline bool
is_store(array_view<std::byte> bytes) noexcept
{
    return pqt_is_store(bytes.data(), bytes.size());
}

/**
 * Returns whether a file is a store, or is being made one.
 *
 * @param path  the name of the file
 * @return      see pqt_is_store_file
 */
inline bool
is_store_file(const std::string &path) noexcept
{
    return pqt_is_store_file(path.c_str());
}

class recording;

/**
 * A file that holds one history; see pqt/store.h.
 *
 *     pqt::store store("plan.pqts");
 *     pqt::history history = store.empty() ? pqt::history(tree) : store.history<pqt::tree>();
 *     if (store.empty())
 *         store.save(history);
 *     history.push(tree.insert(item), "Insert"); // in the file when it returns
 *
 * A store can be moved but not copied. The history in it keeps the file open, so the store may be
 * destroyed before the history. One thread at a time may use a store and its history. In a
 * child process after fork, functions that use the file throw; destroying them does no harm.
 *
 * After close(), any use but assignment and destruction throws moved_from.
 */
class store
{
  public:
    /**
     * Opens a store.
     *
     * @param path     the name of the file; a missing file is created, unless the options forbid it
     * @param options  its options
     * @throws         error PQT_ERROR_CONFLICT: another process has it open for writing, and what()
     *                 names that process; PQT_ERROR_FORMAT, PQT_ERROR_OPTION, PQT_ERROR_STREAM
     * @throws         error PQT_ERROR_UNSUPPORTED: the library was built without SQLite
     * @throws         out_of_memory
     */
    explicit store(const std::string &path, const store_options &options = {})
        : own_(std::make_shared<detail::open_store>(nullptr))
    {
        pqt_error failure = {};
        own_->store = pqt_store_open(path.c_str(), &options, &failure);
        if (own_->store == nullptr)
            detail::raise(failure);
    }

    /** Takes over a store. @param from moved from afterwards */
    store(store &&from) noexcept = default;

    /**
     * Releases this store and takes over another one.
     *
     * @param from  moved from afterwards
     * @return      *this
     */
    store &operator=(store &&from) noexcept = default;

    store(const store &) = delete;
    store &operator=(const store &) = delete;

    /** Closes the file, unless its history or recording still exists, which keeps it open. Only
        close() reports failures. */
    ~store() = default;

    /**
     * Returns the store, for C functions.
     *
     * @return  the store
     * @throws  moved_from
     */
    pqt_store *get() const
    {
        if (own_ == nullptr)
            throw moved_from();
        return own_->store;
    }

    /**
     * Returns the kind of the versions in the store.
     *
     * @return  the kind; PQT_KIND_NONE if the store is empty
     * @throws  moved_from
     */
    pqt_kind kind() const
    {
        return pqt_store_kind(get());
    }

    /**
     * Returns whether the store is empty.
     *
     * @return  whether save() may be called
     * @throws  moved_from
     */
    bool empty() const
    {
        return kind() == PQT_KIND_NONE;
    }

    /**
     * Saves a history in an empty store. From then on the history is in the store, and each change
     * is in the file when the call that made it returns.
     *
     * @param saved  a history that is in no store and has no open group
     * @throws       error PQT_ERROR_MISMATCH, PQT_ERROR_OPTION, PQT_ERROR_STREAM; then the store is
     *               still empty, and the history is in no store
     * @throws       out_of_memory, moved_from
     */
    template <class T> void save(pqt::history<T> &saved)
    {
        pqt_error failure = {};
        if (!pqt_history_save(saved.get(), get(), &failure))
            detail::raise(failure);
        saved.store_ = own_;
    }

    /**
     * Saves a recording in an empty store. From then on the recording is in the store, and each
     * step is in the file when step() returns.
     *
     * @param saved  a recording that is in no store
     * @throws       error PQT_ERROR_MISMATCH, PQT_ERROR_STREAM; then the store is still empty, and
     *               the recording is in no store
     * @throws       out_of_memory, moved_from
     */
    void save(pqt::recording &saved);

    /**
     * Returns whether the store holds a recording rather than a history.
     *
     * @return  whether recording() may be called
     * @throws  moved_from
     */
    bool has_recording() const
    {
        return pqt_store_has_recording(get());
    }

    /**
     * Opens the recording, with its options. It continues where it ended. Needs <pqt/worlds.hpp>, as
     * does save of a recording.
     *
     * @tparam T      pqt::recording
     * @param memory  where its worlds live
     * @return        the recording, which keeps the file open
     * @throws        error PQT_ERROR_MISMATCH: the store holds no recording, or it is open already
     * @throws        error PQT_ERROR_FORMAT: the store is damaged; what() names the step
     * @throws        error PQT_ERROR_STREAM
     * @throws        out_of_memory, moved_from
     */
    template <class T = pqt::recording> [[nodiscard]] T recording(memory_ref memory = {}) const
    {
        (void)get();
        return T::open(own_, memory);
    }

    /**
     * Opens the history. Its entries have the numbers, labels, names and times that they had.
     *
     * @tparam T       the class of the values
     * @param memory   where its versions live
     * @param options  limits and index; see pqt_history_open
     * @return         the history, which keeps the file open
     * @throws         error PQT_ERROR_MISMATCH: the store is empty, its versions are of another
     *                 kind, an index is requested and they cannot be compared, or its history is
     *                 open
     * @throws         error PQT_ERROR_OPTION
     * @throws         error PQT_ERROR_FORMAT: the store is damaged; what() names the entry
     * @throws         error PQT_ERROR_STREAM
     * @throws         out_of_memory, moved_from
     */
    template <class T>
    [[nodiscard]] pqt::history<T>
    history(memory_ref memory = {}, const pqt_history_options &options = PQT_HISTORY_DEFAULTS) const
    {
        constexpr pqt_kind wanted = detail::kind_of<typename T::c_type>;
        const pqt_kind held = kind();
        if (held != PQT_KIND_NONE && held != wanted)
            detail::raise(PQT_ERROR_MISMATCH, ("the store has no history of " +
                                               detail::versions_of<typename T::c_type>())
                                                  .c_str());
        pqt::history<T> opened(open(memory, &options), memory, own_);
        (void)opened.value(); /* throws if a map has keys or values of other types */
        return opened;
    }

    /**
     * Checks the whole store: the database, each entry, each change and each version.
     *
     * @throws  error PQT_ERROR_FORMAT: the store is damaged; what() names the first damaged
     *          entry, and index() is its number
     * @throws  error PQT_ERROR_STREAM
     * @throws  out_of_memory, moved_from
     * @cost    O(changes + keyframes)
     */
    void check() const
    {
        pqt_error failure = {};
        if (!pqt_store_check(get(), &failure))
            detail::raise(failure);
    }

    /**
     * Returns the space of dropped entries to the file system.
     *
     * @throws  error PQT_ERROR_STREAM: the disk is full, or a reader has the store open for too
     *          long; PQT_ERROR_MISMATCH: the store is open for reading
     * @throws  out_of_memory, moved_from
     * @cost    O(bytes of the file)
     */
    void compact()
    {
        pqt_error failure = {};
        if (!pqt_store_compact(get(), &failure))
            detail::raise(failure);
    }

    /**
     * Counts the contents of the store, and the work since the store was opened.
     *
     * @return  the statistics
     * @throws  error PQT_ERROR_STREAM, PQT_ERROR_FORMAT
     * @throws  out_of_memory, moved_from
     * @cost    O(entries)
     */
    pqt_store_stats stats() const
    {
        pqt_error failure = {};
        pqt_store_stats counted = {};
        if (!pqt_store_get_stats(get(), &counted, &failure))
            detail::raise(failure);
        return counted;
    }

    /**
     * Closes the file.
     *
     * @throws  error PQT_ERROR_MISMATCH: its history or recording still exists; the store stays
     *                open
     * @throws  error PQT_ERROR_STREAM: the undo position, a redo link or the saved mark could not
     *          be written; the store is closed
     * @throws  moved_from
     */
    void close()
    {
        pqt_error failure = {};
        (void)get();
        if (is_history_open())
            detail::raise(PQT_ERROR_MISMATCH, has_recording() ? "the recording of the store is open"
                                                              : "the history of the store is open");
        const std::shared_ptr<detail::open_store> last = std::move(own_);
        if (!pqt_store_close(&last->store, &failure))
            detail::raise(failure);
    }

  private:
    /* The history or the recording also holds the store. */
    bool is_history_open() const noexcept
    {
        return own_.use_count() > 1;
    }

    pqt_history *open(memory_ref memory, const pqt_history_options *options) const
    {
        pqt_error failure = {};
        pqt_history *const opened = pqt_history_open(get(), options, memory.get(), &failure);
        if (opened == nullptr)
            detail::raise(failure);
        return opened;
    }

    std::shared_ptr<detail::open_store> own_;
};

} // namespace pqt

#endif
