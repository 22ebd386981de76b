/* SPDX-License-Identifier: MIT */
/*
 * test_store_rows.c: tests stores as a faulty or malicious program could write them.
 *
 * Their rows have correct checksums but wrong numbers or types, their tables differ, or their log
 * is that of another store.
 */
#include "config.h"

#include <math.h>

#include <pqt/bytes.h>

#include "io/little_endian.h"
#include "numbered_store.h"
#include "store/store_internal.h"
#include "suite.h"

enum { LAST = 12 };

/* Changes a closed store with SQL. A constraint of a table may refuse the change. */
static void
execute(const store_folder *folder, const char *sql)
{
    sqlite3 *database = NULL;
    require(sqlite3_open(folder->path, &database) == SQLITE_OK, "the file is a database");
    const int code = sqlite3_exec(database, sql, NULL, NULL, NULL);
    if (code != SQLITE_OK && code != SQLITE_CONSTRAINT)
        fprintf(stderr, "# %s\n# %s\n", sql, sqlite3_errmsg(database));
    require(code == SQLITE_OK || code == SQLITE_CONSTRAINT, "SQL of the test");
    sqlite3_close(database);
}

/* ---- Wrong numbers ---- */

/* A row of an entry, which is read from the file and written again with other numbers. */
typedef struct entry_row {
    pqti_record record;
    uint64_t parent;
    pqt_fingerprint fingerprint;
    pqti_byte_buffer change;
    char label[64];
    bool has_change;
} entry_row;

/* Returns false if there is no such row, after other damage. */
static bool
read_entry_row(pqt_store *store, uint64_t number, entry_row *row)
{
    sqlite3_stmt *statement = NULL;
    memset(row, 0, sizeof *row);
    require(sqlite3_prepare_v2(store->database.connection,
                               "SELECT parent, label, time, key, added, encoding, fingerprint, "
                               "changes FROM entry WHERE number = ?",
                               -1, &statement, NULL) == SQLITE_OK,
            "the row is selected");
    sqlite3_bind_int64(statement, 1, (int64_t)number);
    if (sqlite3_step(statement) != SQLITE_ROW) {
        sqlite3_finalize(statement);
        return false;
    }
    row->record.number = number;
    row->parent = (uint64_t)sqlite3_column_int64(statement, 0);
    snprintf(row->label, sizeof row->label, "%s", (const char *)sqlite3_column_text(statement, 1));
    row->record.label = row->label;
    row->record.time = sqlite3_column_double(statement, 2);
    row->record.key = (uint64_t)sqlite3_column_int64(statement, 3);
    row->record.added = (size_t)sqlite3_column_int64(statement, 4);
    row->record.encoding = (uint8_t)sqlite3_column_int(statement, 5);
    const uint8_t *fingerprint = sqlite3_column_blob(statement, 6);
    row->fingerprint =
        (pqt_fingerprint){pqti_load_le64(fingerprint), pqti_load_le64(fingerprint + 8)};
    row->has_change = sqlite3_column_type(statement, 7) != SQLITE_NULL;
    if (row->has_change)
        pqti_put_bytes(&row->change, sqlite3_column_blob(statement, 7),
                       (size_t)sqlite3_column_bytes(statement, 7));
    sqlite3_finalize(statement);
    return true;
}

static uint64_t
wrong_number(dice *d)
{
    static const uint64_t numbers[] = {0,          1,
                                       2,          LAST,
                                       LAST + 1,   INT32_MAX,
                                       UINT32_MAX, INT64_MAX - 1,
                                       INT64_MAX,  (uint64_t)1 << 63,
                                       UINT64_MAX};
    return dice_chance(d, 50) ? dice_below(d, LAST + 2)
                              : numbers[dice_below(d, sizeof numbers / sizeof *numbers)];
}

/* Writes the row of an entry with one or more wrong numbers. */
static void
damage_entry(pqt_store *store, dice *d)
{
    static const double times[] = {-1, 0, 1e300, HUGE_VAL, -HUGE_VAL, -0.0};
    static const char *const labels[] = {"", "a\nb", "\xff", "\x1b[2J", "fine"};
    entry_row row, other;
    pqt_error error = {0};
    const bool is_there = read_entry_row(store, dice_below(d, LAST + 1), &row) &&
                          read_entry_row(store, dice_below(d, LAST + 1), &other);
    if (!is_there) {
        pqti_buffer_free(&row.change);
        return;
    }
    pqti_byte_buffer *change = &row.change;
    switch (dice_below(d, 9)) {
    case 0:
        row.parent = wrong_number(d);
        break;
    case 1:
        row.record.encoding = (uint8_t)dice_below(d, 5);
        break;
    case 2:
        change = &other.change;
        row.has_change = other.has_change;
        break;
    case 3:
        row.fingerprint = other.fingerprint;
        break;
    case 4:
        row.record.number = wrong_number(d);
        break;
    case 5:
        row.record.time = times[dice_below(d, sizeof times / sizeof *times)];
        break;
    case 6:
        row.record.label = labels[dice_below(d, sizeof labels / sizeof *labels)];
        break;
    case 7:
        row.record.added = (size_t)wrong_number(d);
        break;
    default:
        row.record.key = wrong_number(d);
        row.parent = other.parent;
    }
    (void)pqti_write_entry(store, &row.record, row.parent, row.has_change ? change : NULL,
                           row.fingerprint, &error);
    pqti_buffer_free(&row.change);
    pqti_buffer_free(&other.change);
}

/* Writes the numbers of the current, the saved and the next entry, and the counts of the rows. */
static void
write_state(pqt_store *store, const uint64_t words[3], pqt_error *error)
{
    uint64_t counts[2];
    require(pqti_read_numbers(store,
                              "SELECT (SELECT count(*) FROM entry), (SELECT count(*) FROM name)",
                              counts, 2, error) &&
                pqti_write_state(store,
                                 &(pqti_store_state){.current = words[0],
                                                     .saved = words[1],
                                                     .next = words[2],
                                                     .entries = counts[0],
                                                     .names = counts[1]},
                                 error),
            error->text);
}

static void
damage_state(pqt_store *store, dice *d)
{
    pqt_error error = {0};
    uint64_t words[3] = {LAST, 0, LAST + 1};
    words[dice_below(d, 3)] = wrong_number(d);
    if (dice_chance(d, 10))
        store->kind = (pqt_kind)dice_below(d, 7);
    write_state(store, words, &error);
}

static void
damage_other_row(pqt_store *store, dice *d)
{
    static const char *const forms[] = {
        "UPDATE entry SET redo = %lld WHERE number = %lld",
        "DELETE FROM entry WHERE number + 0 * %lld = %lld",
        "UPDATE OR IGNORE keyframe SET entry = %lld WHERE entry = %lld",
        "UPDATE OR IGNORE keyframe SET part = %lld WHERE entry = %lld",
        "INSERT OR IGNORE INTO keyframe SELECT %lld, part, bytes FROM keyframe WHERE entry = %lld",
        ("INSERT OR IGNORE INTO keyframe SELECT entry, part + 1, bytes FROM keyframe "
         "WHERE entry + 0 * %lld = %lld"),
        "DELETE FROM keyframe WHERE entry + 0 * %lld = %lld",
        "UPDATE OR IGNORE name SET entry = %lld WHERE entry <= %lld",
        "UPDATE OR IGNORE entry SET number = %lld WHERE number = %lld",
    };
    char sql[200];
    pqt_error error = {0};
    snprintf(sql, sizeof sql, forms[dice_below(d, sizeof forms / sizeof *forms)],
             (long long)wrong_number(d), (long long)dice_below(d, LAST + 1));
    require(pqti_execute(&store->database, sql, &error), error.text);
}

static void
damage(pqt_store *store, dice *d)
{
    pqt_error error = {0};
    if (dice_chance(d, 24))
        return damage_state(store, d);
    if (dice_chance(d, 70))
        damage_entry(store, d);
    else
        damage_other_row(store, d);
    if (dice_chance(d, 80)) /* otherwise the counts may be those of other rows */
        write_state(store, (uint64_t[]){LAST, 0, LAST + 1}, &error);
}

/* Uses each part of a history. Each version that is loaded must be valid. */
static void
use_history(pqt_store *store, pqt_history *history, dice *d)
{
    pqt_error error = {0};
    for (uint32_t slot = 0; slot < history->count; slot++) {
        const uint64_t number = history->records[slot].number;
        const void *version = pqt_history_value_of(history, number);
        require(version == NULL || pqt_version_check(version, &error), error.text);
    }
    while (dice_chance(d, 70) && pqt_history_undo(history))
        continue;
    while (dice_chance(d, 70) && pqt_history_redo(history))
        continue;
    (void)pqt_history_thin(history, dice_below(d, 6), &error);
    (void)pqt_store_get_error(store, NULL);
}

/* If a check finds nothing wrong, what is pushed then must be there when the store is opened
   again. */
static void
expect_pushes_are_kept(const store_folder *folder, dice *d)
{
    pqt_error error = {0};
    pqt_store *store = pqt_store_open(folder->path, NULL, &error);
    pqt_history *history = store == NULL ? NULL : pqt_history_open(store, NULL, arena, &error);
    const bool is_whole =
        history != NULL && pqt_store_check(store, &error) && push_numbered(history, 20, &error);
    if (is_whole)
        use_history(store, history, d);
    const uint64_t pushed = is_whole ? history->next_number - 1 : 0;
    pqt_history_destroy(&history);
    pqt_store_close(&store, NULL);
    if (!is_whole)
        return;
    store = open_store(folder, PQT_STORE_WRITE);
    history = pqt_history_open(store, NULL, arena, &error);
    require(history != NULL && pqt_store_check(store, &error), error.text);
    const pqt_tree *tree = pqt_history_value_of(history, pushed);
    require(tree == NULL || pqt_tree_equals(tree, numbered_version(20)), "the push is there");
    pqt_history_destroy(&history);
    close_store(&store);
}

/* Opens a damaged store, uses its history if there is one, and opens it again. Returns false if the
   store or the history was refused. */
static bool
try_damaged_store(const store_folder *folder, dice *d)
{
    pqt_error error = {0};
    pqt_store *store = pqt_store_open(folder->path, NULL, &error);
    pqt_history *history = store == NULL ? NULL : pqt_history_open(store, NULL, arena, &error);
    const bool is_accepted = history != NULL;
    require(strlen(error.text) == strcspn(error.text, "\n"), "an error is one line");
    if (is_accepted)
        use_history(store, history, d);
    pqt_history_destroy(&history);
    pqt_store_close(&store, NULL);
    expect_pushes_are_kept(folder, d);
    return is_accepted;
}

START_TEST(wrong_numbers_in_rows_are_refused_or_harmless)
{
    dice d = {test_seed("rows") + (uint64_t)_i};
    const size_t count = test_scaled(300);
    size_t refused = 0;
    const store_folder folder = numbered_store(LAST);
    const file_bytes file = read_all(folder.path);
    for (size_t i = 0; i < count; i++) {
        write_all(folder.path, file.at, file.count);
        pqt_store *store = open_store(&folder, PQT_STORE_WRITE);
        for (size_t n = 1 + dice_below(&d, 2); n > 0; n--)
            damage(store, &d);
        close_store(&store);
        refused += !try_damaged_store(&folder, &d);
    }
    fprintf(stderr, "# %zu of %zu refused\n", refused, count);
    free(file.at);
    remove_all(&folder);
}
END_TEST

/* ---- One wrong number ---- */

/* A row with one wrong number and a correct checksum, and the error that names it. A change of 'k'
   deletes the keyframe of the entry, 'c' gives it the change of entry 5, and 'n' takes its change
   away. */
static const struct wrong_row {
    uint64_t number, parent;
    double time; /* NAN: as it was */
    const char *label;
    int encoding; /* -1: as it was */
    char change;
    const char *text;
} wrong_rows[] = {
    {0, 0, NAN, NULL, -1, 'k',
     "entry 0: it is the first one, but its number is not 0 or it has no "
     "keyframe"},
    {0, 0, NAN, NULL, PQTI_REVERSIBLE, 'c',
     "entry 0: it is the first one, but its number is not 0 or it has no keyframe"},
    {3, 2, NAN, "\x1b[2J", -1, 0, "entry 3: its label is not text"},
    {3, 2, NAN, "a\nb", -1, 0, "entry 3: its label is not text"},
    {3, 2, NAN, NULL, PQTI_FORWARD + 1, 0, "entry 3: its change is missing"},
    {3, 2, NAN, NULL, PQTI_NO_CHANGE, 0, "entry 3: its change is missing"},
    {3, 2, NAN, NULL, -1, 'n', "entry 3: its change is missing"},
    {3, 2, HUGE_VAL, NULL, -1, 0, "entry 3: its time is not finite"},
    {3, 2, -HUGE_VAL, NULL, -1, 0, "entry 3: its time is not finite"},
    {3, 77, NAN, NULL, -1, 0, "entry 3: its parent is missing"},
    {3, 3, NAN, NULL, -1, 0, "entry 3: its parent is missing"},
    {3, 4, NAN, NULL, -1, 0, "entry 3: its parent is missing"},
    {3, 2, -1, NULL, -1, 0, "entry 3: its time is before that of its parent"},
    {3, 2, NAN, NULL, PQTI_NO_CHANGE, 'n', "entry 3: it has neither a change nor a keyframe"},
};

enum { WRONG_ROWS = sizeof wrong_rows / sizeof *wrong_rows };

static void
write_wrong_row(pqt_store *store, const struct wrong_row *wrong)
{
    pqt_error error = {0};
    entry_row row, other;
    require(read_entry_row(store, wrong->number, &row) && read_entry_row(store, 5, &other),
            "the rows are there");
    if (!isnan(wrong->time))
        row.record.time = wrong->time;
    if (wrong->label != NULL)
        row.record.label = wrong->label;
    if (wrong->encoding >= 0)
        row.record.encoding = (uint8_t)wrong->encoding;
    const pqti_byte_buffer *change = wrong->change == 'c'                      ? &other.change
                                     : wrong->change == 'n' || !row.has_change ? NULL
                                                                               : &row.change;
    require(pqti_write_entry(store, &row.record, wrong->parent, change, row.fingerprint, &error),
            error.text);
    if (wrong->change == 'k')
        require(pqti_run_number(&store->database, PQTI_DELETE_KEYFRAME, wrong->number, &error),
                error.text);
    pqti_buffer_free(&row.change);
    pqti_buffer_free(&other.change);
}

START_TEST(each_wrong_number_in_a_row_is_named_though_its_checksum_is_right)
{
    pqt_error error = {0};
    const store_folder folder = numbered_store(LAST);
    pqt_store *store = open_store(&folder, PQT_STORE_WRITE);
    require(pqti_execute(&store->database, "DELETE FROM keyframe WHERE entry = 3", &error),
            error.text);
    write_wrong_row(store, &wrong_rows[_i]);
    close_store(&store);
    store = open_store(&folder, PQT_STORE_WRITE);
    require(pqt_history_open(store, NULL, arena, &error) == NULL, "it is not opened");
    ck_assert_int_eq(error.status, PQT_ERROR_FORMAT);
    ck_assert_str_eq(error.text, wrong_rows[_i].text);
    ck_assert_uint_eq(error.index, wrong_rows[_i].number);
    close_store(&store);
    remove_all(&folder);
}
END_TEST

/* The row of the first entry is missing, and the others follow a row that could be the first. */
START_TEST(a_first_entry_with_another_number_is_refused)
{
    pqt_error error = {0};
    entry_row row;
    const store_folder folder = numbered_store(0);
    pqt_store *store = open_store(&folder, PQT_STORE_WRITE);
    require(read_entry_row(store, 0, &row), "the row is there");
    row.record.number = 1;
    require(pqti_write_entry(store, &row.record, 0, NULL, row.fingerprint, &error) &&
                pqti_execute(&store->database,
                             "DELETE FROM entry WHERE number = 0; UPDATE keyframe SET entry = 1; "
                             "DELETE FROM name",
                             &error),
            error.text);
    write_state(store, (uint64_t[]){1, 1, 2}, &error);
    close_store(&store);
    store = open_store(&folder, PQT_STORE_WRITE);
    require(pqt_history_open(store, NULL, arena, &error) == NULL, "it is not opened");
    ck_assert_str_eq(error.text,
                     "entry 1: it is the first one, but its number is not 0 or it has no keyframe");
    close_store(&store);
    remove_all(&folder);
}
END_TEST

/* ---- The largest row ---- */

/* SQLite has a limit on the bytes of a row: 10^9. Here, it is small. */
START_TEST(a_change_that_no_row_can_hold_is_reported)
{
    enum { LIMIT = 400 };
    pqt_error error = {0};
    const store_folder folder = numbered_store(LAST);
    pqt_store *store = open_store(&folder, PQT_STORE_WRITE);
    pqt_history *history = pqt_history_open(store, NULL, arena, &error);
    require(history != NULL, error.text);
    sqlite3 *connection = store->database.connection;
    const int before = sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, LIMIT);
    require(!push_numbered(history, LAST + 1 + 10 * ITEMS, &error), "it is not pushed");
    ck_assert_int_eq(error.status, PQT_ERROR_LIMIT);
    ck_assert_str_eq(error.text, "the changes of the entry have more bytes than a row can hold");
    ck_assert_uint_eq(pqt_history_current(history), LAST);
    error = (pqt_error){0};
    sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, before);
    require(push_numbered(history, LAST + 1 + 10 * ITEMS, &error), error.text);
    require(pqt_store_check(store, &error), error.text);
    pqt_history_destroy(&history);
    close_store(&store);
    remove_all(&folder);
}
END_TEST

/* ---- Keyframes of several rows ---- */

static const pqt_map *
map_with_value(size_t size)
{
    pqt_error error = {0};
    pqt_map_options options = PQT_MAP_DEFAULTS;
    options.memory = arena;
    options.values = PQT_MAP_BYTE_VALUES;
    dice d = {size};
    uint8_t *bytes = malloc(size);
    require(bytes != NULL, "there is memory");
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)dice_below(&d, 256);
    const pqt_map *map = pqt_map_insert(pqt_map_make(&options, &error), pqt_map_id(1),
                                        pqt_map_bytes(bytes, size), &error);
    free(bytes);
    require(map != NULL, error.text);
    return map;
}

/* Returns the bytes of the keyframe of entry 0, and its number of rows. */
static uint64_t
keyframe_size(pqt_store *store, uint64_t *rows)
{
    uint64_t numbers[2];
    pqt_error error = {0};
    require(pqti_read_numbers(store, "SELECT count(*), sum(length(bytes)) FROM keyframe", numbers,
                              2, &error),
            error.text);
    *rows = numbers[0];
    return numbers[1];
}

/* Saves a map with a value of `size` bytes, and reads it back. Returns the size of its keyframe. */
static uint64_t
save_in_rows(size_t size)
{
    uint64_t rows = 0;
    pqt_error error = {0};
    const pqt_map *map = map_with_value(size);
    const store_folder folder = make_store_folder();
    pqt_store *store = open_store(&folder, PQT_STORE_CREATE);
    pqt_history *history = pqt_history_make(pqt_history_kind_of(PQT_KIND_MAP), map, NULL, &error);
    require(history != NULL && pqt_history_save(history, store, &error), error.text);
    pqt_history_destroy(&history);
    close_store(&store);
    store = open_store(&folder, PQT_STORE_READ);
    history = pqt_history_open(store, NULL, arena, &error);
    require(history != NULL, error.text);
    require(pqt_map_equals(pqt_history_value(history), map), "it is read back");
    const uint64_t bytes = keyframe_size(store, &rows);
    ck_assert_uint_eq(rows, (bytes + PQTI_KEYFRAME_ROW - 1) / PQTI_KEYFRAME_ROW);
    pqt_history_destroy(&history);
    close_store(&store);
    remove_all(&folder);
    return bytes;
}

/* The bytes of a version are divided into rows of 64 KiB. The last row may be full, and one byte
   more begins another one. */
START_TEST(a_keyframe_of_several_rows_is_read_back)
{
    const size_t size = 2 * PQTI_KEYFRAME_ROW - 2000;
    const size_t extra = (size_t)save_in_rows(size) - size; /* bytes that are not of the value */
    for (size_t more = 0; more < 4; more++)
        (void)save_in_rows(2 * PQTI_KEYFRAME_ROW - extra - 1 + more);
    ck_assert_uint_eq(save_in_rows(2 * PQTI_KEYFRAME_ROW - extra), 2 * PQTI_KEYFRAME_ROW);
}
END_TEST

/* ---- Wrong tables ---- */

/* Changes of the schema that no library makes. `text` is a part of the error, or NULL if the store
   may be opened; then no call may crash, and no version may be wrong. */
static const struct schema_damage {
    const char *sql, *text;
} schemas[] = {
    {"PRAGMA application_id = 0", "not a store"},
    {"PRAGMA application_id = -1", "not a store"},
    {"PRAGMA user_version = 0", "not a store"},
    {"PRAGMA user_version = 1", "not a store"},
    {"PRAGMA user_version = 3", "version 3"},
    {"PRAGMA user_version = -1", "not a store"},
    {"PRAGMA application_id = 1; PRAGMA user_version = 7", "not a store"},
    {"CREATE INDEX i ON entry(parent)", "not a store"},
    {"CREATE VIEW v AS SELECT * FROM entry", "not a store"},
    {"CREATE TABLE other(x)", "not a store"},
    {"ANALYZE", "not a store"},
    {"DROP TABLE name", "not a store"},
    {"ALTER TABLE entry RENAME TO old; CREATE VIEW entry AS SELECT * FROM old", "not a store"},
    {"ALTER TABLE entry ADD COLUMN more INTEGER", "not a store"},
    {"CREATE TRIGGER t BEFORE INSERT ON entry BEGIN SELECT raise(IGNORE); END", "not a store"},
    {"PRAGMA writable_schema = ON; UPDATE sqlite_schema SET type = 'view' WHERE name = 'entry'",
     NULL},
    {"PRAGMA writable_schema = ON; UPDATE sqlite_schema SET name = 'history', tbl_name = 'history' "
     "WHERE name = 'entry'",
     NULL},
    {"PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM "
     "sqlite_schema WHERE name = 'name') WHERE name = 'history'",
     NULL},
    {"PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM "
     "sqlite_schema WHERE name = 'entry') WHERE name = 'name'",
     NULL},
    {"PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = 1 WHERE name = 'entry'",
     NULL},
    {"PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = 0 WHERE name = 'name'",
     NULL},
    {"PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = 99999 WHERE name = 'name'",
     NULL},
    {"PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM "
     "sqlite_schema WHERE name = 'keyframe') WHERE name = 'entry'",
     NULL},
    {"PRAGMA writable_schema = ON; INSERT INTO sqlite_schema SELECT * FROM sqlite_schema WHERE "
     "name = 'name'",
     "not a store"},
};

enum { SCHEMAS = sizeof schemas / sizeof *schemas };

START_TEST(a_wrong_schema_is_refused_or_harmless)
{
    const struct schema_damage *damage = &schemas[_i];
    pqt_error error = {0};
    dice d = {1};
    const store_folder folder = numbered_store(LAST);
    execute(&folder, damage->sql);
    pqt_store *store = pqt_store_open(folder.path, NULL, &error);
    pqt_history *history = store == NULL ? NULL : pqt_history_open(store, NULL, arena, &error);
    require(strlen(error.text) == strcspn(error.text, "\n"), "an error is one line");
    require(damage->text == NULL || (history == NULL && error.status == PQT_ERROR_FORMAT &&
                                     strstr(error.text, damage->text) != NULL),
            error.text);
    fprintf(stderr, "# %s\n", error.text);
    pqt_history_destroy(&history);
    pqt_store_close(&store, NULL);
    if (damage->text == NULL)
        expect_pushes_are_kept(&folder, &d);
    remove_all(&folder);
}
END_TEST

/* A table that is declared STRICT, but holds values of other types: it was filled before its
   declaration was replaced. */
static const char *const wrong_types[] = {
    "UPDATE entry SET %s = NULL",    "UPDATE entry SET %s = 'text'",
    "UPDATE entry SET %s = x'0001'", "UPDATE entry SET %s = 1e300",
    "UPDATE entry SET %s = -7",      "UPDATE entry SET %s = zeroblob(3)"};

START_TEST(a_value_of_a_wrong_type_is_refused_or_harmless)
{
    static const char *const columns[] = {"parent",   "label",       "time",     "key",     "added",
                                          "encoding", "fingerprint", "checksum", "changes", "redo"};
    dice d = {1};
    size_t refused = 0;
    for (size_t column = 0; column < sizeof columns / sizeof *columns; column++) {
        char change[120], sql[1200];
        const store_folder folder = numbered_store(LAST);
        snprintf(change, sizeof change, wrong_types[_i], columns[column]);
        snprintf(
            sql, sizeof sql,
            "PRAGMA writable_schema = ON; CREATE TABLE declared AS SELECT sql FROM "
            "sqlite_schema WHERE name = 'entry'; CREATE TABLE loose(number INTEGER PRIMARY KEY, "
            "parent, label, time, key, added, redo, encoding, fingerprint, checksum, changes); "
            "INSERT INTO loose SELECT * FROM entry; UPDATE sqlite_schema SET rootpage = (SELECT "
            "rootpage FROM sqlite_schema WHERE name = 'loose') WHERE name = 'entry'; %s WHERE "
            "number = 5",
            change);
        memcpy(strstr(sql, "UPDATE entry"), "UPDATE loose", 12);
        strcat(sql, "; DELETE FROM sqlite_schema WHERE name IN ('loose', 'declared')");
        execute(&folder, sql);
        refused += !try_damaged_store(&folder, &d);
        remove_all(&folder);
    }
    fprintf(stderr, "# %zu refused\n", refused);
    require(refused > 0, "some are refused");
}
END_TEST

/* ---- The log of another file ---- */

/* A store is replaced by a copy of another one, but the log of the old one is still there, as after
   a process died. SQLite cannot tell to which file a log belongs. Each version that is loaded is
   one that was pushed. */
START_TEST(the_log_of_another_store_yields_no_wrong_version)
{
    pqt_error error = {0};
    size_t given = 0;
    const store_folder folder = numbered_store((uint64_t)_i * 7), copy = make_store_folder(),
                       old = numbered_store(LAST);
    pqt_store *store = open_store(&folder, PQT_STORE_WRITE);
    pqt_history *history = pqt_history_open(store, NULL, arena, &error);
    for (uint64_t n = 100; n < 130; n++)
        require(push_numbered(history, n, &error), error.text);
    const file_bytes file = read_all(old.path), log = read_all(with_suffix(&folder, "-wal"));
    write_all(copy.path, file.at, file.count);
    write_all(with_suffix(&copy, "-wal"), log.at, log.count);
    free(file.at);
    free(log.at);
    pqt_history_destroy(&history);
    close_store(&store);
    store = pqt_store_open(copy.path, NULL, &error);
    history = store == NULL ? NULL : pqt_history_open(store, NULL, arena, &error);
    require(history != NULL || error.status == PQT_ERROR_FORMAT, error.text);
    for (uint64_t n = 0; history != NULL && n < 60; n++) {
        const pqt_tree *tree = pqt_history_value_of(history, n);
        bool is_known = tree == NULL || pqt_tree_equals(tree, numbered_version(n));
        for (uint64_t other = 100; other < 130; other++)
            is_known = is_known || pqt_tree_equals(tree, numbered_version(other));
        require(is_known, "a version is one that was pushed");
        given += tree != NULL;
    }
    fprintf(stderr, "# %zu versions, %s\n", given, error.text);
    pqt_history_destroy(&history);
    pqt_store_close(&store, NULL);
    remove_all(&copy);
    remove_all(&old);
    remove_all(&folder);
}
END_TEST

static Suite *
make_suite(void)
{
    Suite *suite = suite_create("store rows");
    TCase *tests = add_tests(suite, "store rows");
    tcase_add_loop_test(tests, wrong_numbers_in_rows_are_refused_or_harmless, 0, 4);
    tcase_add_loop_test(tests, each_wrong_number_in_a_row_is_named_though_its_checksum_is_right, 0,
                        WRONG_ROWS);
    tcase_add_test(tests, a_first_entry_with_another_number_is_refused);
    tcase_add_test(tests, a_change_that_no_row_can_hold_is_reported);
    tcase_add_test(tests, a_keyframe_of_several_rows_is_read_back);
    tcase_add_loop_test(tests, a_wrong_schema_is_refused_or_harmless, 0, SCHEMAS);
    tcase_add_loop_test(tests, the_log_of_another_store_yields_no_wrong_version, 0, 6);
    tcase_add_loop_test(tests, a_value_of_a_wrong_type_is_refused_or_harmless, 0,
                        sizeof wrong_types / sizeof *wrong_types);
    return suite;
}

int
main(void)
{
    return run_suite(make_suite());
}
