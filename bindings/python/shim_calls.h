/* SPDX-License-Identifier: MIT */
/* shim_calls.h: the prototypes of the shim, but for those that flat.py writes. Both the C compiler
   and cffi read them. */

/* Memory */
void pqtpy_free(pqtpy_bytes *bytes);
bool pqtpy_memory(bool reclaim, uint64_t *figures, pqt_error *error);

/* Trees */
pqtpy_tree *pqtpy_tree_of(const double *boxes, const uint64_t *ids, size_t count, int capacity,
                          int depth, int flags, pqt_error *error);
void pqtpy_tree_stats(const pqtpy_tree *pin, uint64_t *figures);
size_t pqtpy_tree_ids_in(const pqtpy_tree *pin, double min_x, double min_y, double max_x,
                         double max_y, int relation, uint64_t *ids, size_t capacity);
bool pqtpy_tree_items_in(const pqtpy_tree *pin, const double *window, int relation,
                         pqtpy_bytes *items, pqt_error *error);
bool pqtpy_tree_ids_in_each(const pqtpy_tree *pin, const double *windows, size_t count,
                            int relation, uint64_t *offsets, pqtpy_bytes *ids, pqt_error *error);
bool pqtpy_tree_count_in_each(const pqtpy_tree *pin, const double *windows, size_t count,
                              int relation, uint64_t *counts, pqt_error *error);
size_t pqtpy_tree_nearest(const pqtpy_tree *pin, double min_x, double min_y, double max_x,
                          double max_y, size_t most, double distance, bool on_sphere, uint64_t *ids,
                          double *distances, pqt_error *error);
bool pqtpy_tree_nearest_each(const pqtpy_tree *pin, const double *boxes, size_t count, size_t most,
                             double distance, bool on_sphere, uint64_t *offsets, pqtpy_bytes *ids,
                             pqtpy_bytes *distances, pqt_error *error);
bool pqtpy_tree_cast_each(const pqtpy_tree *pin, bool is_ray, const double *lines, size_t count,
                          pqtpy_bytes *hits, pqt_error *error);
bool pqtpy_tree_svg(const pqtpy_tree *pin, const double *window, pqtpy_bytes *text,
                    pqt_error *error);

/* Drafts. The address that pqtpy_draft_view or pqtpy_map_draft_view returns is no pin: functions
   that read a version accept it, and read the draft as it is then. */
const pqtpy_tree *pqtpy_draft_view(pqtpy_draft *draft);
const pqtpy_map *pqtpy_map_draft_view(pqtpy_map_draft *draft);

/* Versions of any kind. A void pointer is a pin on one. */
void pqtpy_unpin(void *pin);
int pqtpy_kind(const void *pin);
bool pqtpy_equals(const void *a, const void *b);
void pqtpy_fingerprint(const void *pin, uint64_t *halves);
bool pqtpy_check(const void *pin, pqt_error *error);
bool pqtpy_shared_bytes(const void *a, const void *b, size_t *count, pqt_error *error);
bool pqtpy_exclusive_bytes(const void *pin, const void *const *others, size_t others_count,
                           size_t *count, pqt_error *error);
bool pqtpy_write(const void *pin, pqtpy_bytes *bytes, pqt_error *error);
pqt_pin *pqtpy_read(int kind, const char *bytes, size_t count, pqt_error *error);
bool pqtpy_save(const void *pin, const char *path, pqt_error *error);
pqt_pin *pqtpy_load(int kind, const char *path, pqt_error *error);

/* Regions */
void pqtpy_region_stats(const pqtpy_region *pin, uint64_t *figures);
pqtpy_region *pqtpy_region_read_png(const char *bytes, size_t count, const int32_t *numbers,
                                    pqt_error *error);
bool pqtpy_region_write_png(const pqtpy_region *pin, const int32_t *window, pqtpy_bytes *bytes,
                            pqt_error *error);

/* Images */
pqtpy_image *pqtpy_image_read_png(const char *bytes, size_t count, pqt_error *error);
void pqtpy_image_stats(const pqtpy_image *pin, uint64_t *figures);
bool pqtpy_image_write_png(const pqtpy_image *pin, pqtpy_bytes *bytes, pqt_error *error);

/* Histories */
pqtpy_history *pqtpy_history_load(const char *path, size_t entries, size_t limit, bool indexed,
                                  pqt_error *error);
bool pqtpy_history_save(pqtpy_history *of, const char *path, pqt_error *error);
int pqtpy_history_kind(const pqtpy_history *of);
void pqtpy_history_destroy(pqtpy_history *of);

/* Stores */
pqtpy_store *pqtpy_store_open(const char *path, int access, int sync, bool is_limited,
                              size_t max_loaded, double keyframe_ratio, pqt_error *error);
void pqtpy_store_release(pqtpy_store *store);
bool pqtpy_store_close(pqtpy_store *store, pqt_error *error);
int pqtpy_store_kind(pqtpy_store *store, pqt_error *error);
bool pqtpy_store_save(pqtpy_store *store, pqtpy_history *of, pqt_error *error);
pqtpy_history *pqtpy_store_history(pqtpy_store *store, size_t entries, size_t bytes, bool indexed,
                                   pqt_error *error);
bool pqtpy_store_has_recording(pqtpy_store *store, bool *has_recording, pqt_error *error);
bool pqtpy_store_save_recording(pqtpy_store *store, pqtpy_recording *of, pqt_error *error);
pqtpy_recording *pqtpy_store_recording(pqtpy_store *store, pqt_error *error);
bool pqtpy_store_check(pqtpy_store *store, pqt_error *error);
bool pqtpy_store_compact(pqtpy_store *store, pqt_error *error);
bool pqtpy_store_stats(pqtpy_store *store, uint64_t *figures, pqt_error *error);

/* Recordings */
pqtpy_recording *pqtpy_recording_make(const pqtpy_world *world, const double *numbers,
                                      uint64_t every, pqt_error *error);
void pqtpy_recording_destroy(pqtpy_recording *of);
pqtpy_world *pqtpy_recording_step(pqtpy_recording *of, pqt_error *error);
bool pqtpy_recording_describe(const pqtpy_recording *of, uint64_t *figures, pqt_error *error);
bool pqtpy_recording_fingerprint(const pqtpy_recording *of, uint64_t step, uint64_t *halves,
                                 pqt_error *error);
pqtpy_world *pqtpy_recording_at(const pqtpy_recording *of, uint64_t step, pqt_error *error);
bool pqtpy_recording_compare(const pqtpy_recording *a, const pqtpy_recording *b, uint64_t *figures,
                             pqt_error *error);
