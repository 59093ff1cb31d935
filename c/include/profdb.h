/* profdb's C interface: open a profiling database, ask it for operator latencies, read the answers.
 *
 * Handles. Every profdb_* type below is opaque but for the three structs of numbers and options. What a
 * function hands out through a `T** out` belongs to the caller, who gives it back to the function named
 * profdb_T_free; strings handed out as `char**` go to profdb_free. All of these take NULL and do nothing.
 * Strings that an accessor returns belong to the handle they came from and live as long as it does. Strings
 * and arrays handed in are copied: the caller may free them as soon as the function returns. Text is UTF-8.
 *
 * Errors. A function that can fail returns a profdb_status, PROFDB_OK where it did what it says. Otherwise
 * nothing is handed out (`*out` is NULL), and `*error`, unless `error` is NULL, is a message that says what
 * is wrong, where, and what to do; it goes to profdb_free. After success `*error` is NULL. The state of an
 * error is the call's alone, so threads do not see each other's. No C++ exception leaves a function. A lookup
 * that finds nothing is no error: it is a result with PROFDB_MISS and a reason.
 *
 * Threads. Engines, prepared leaves and results may be used by any number of threads at the same time; a
 * leaf under construction by one at a time. Freeing a handle must not overlap with its use. A result outlives
 * the engine that gave it.
 *
 * Stability. Functions, enumerators and the leading fields of structs keep their meaning as long as
 * PROFDB_ABI_VERSION does; later versions may add functions, enumerators, and fields at the end of structs.
 * Callers say how large a struct they know, so that an older program runs with a newer library. */
#ifndef PROFDB_H
#define PROFDB_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PROFDB_ABI_VERSION 1
#define PROFDB_API __attribute__((visibility("default")))

typedef struct profdb_engine profdb_engine;     /* an open database, answering for one release */
typedef struct profdb_leaf profdb_leaf;         /* an operator call under construction */
typedef struct profdb_prepared profdb_prepared; /* a call that is checked and digested: to be asked often */
typedef struct profdb_result profdb_result;     /* an answer, immutable */

typedef enum profdb_status {
  PROFDB_OK = 0,
  PROFDB_USAGE = 2,     /* the caller asked for something that cannot be asked; a NULL that may not be */
  PROFDB_INPUT = 3,     /* a leaf is bad; the message names the field */
  PROFDB_DATABASE = 4,  /* the file is missing, no profdb database, damaged, locked or newer */
  PROFDB_NO_MEMORY = 5, /* nothing was changed */
  PROFDB_INTERNAL = 6   /* a defect of profdb */
} profdb_status;

typedef enum profdb_source {
  PROFDB_MISS = 0,
  PROFDB_MEASURED = 1,     /* an exact coordinate was measured */
  PROFDB_INTERPOLATED = 2, /* linear between measurements */
  PROFDB_COMPATIBLE = 3    /* measured for a call that the hardware treats alike; match_rule says how */
} profdb_source;

typedef enum profdb_padded_match {
  PROFDB_PADDED_LAST = 0,   /* after interpolation has missed on every kernel */
  PROFDB_PADDED_BEFORE = 1, /* ahead of interpolation */
  PROFDB_PADDED_OFF = 2
} profdb_padded_match;

typedef enum profdb_log { PROFDB_LOG_OFF = 0, PROFDB_LOG_MISSES = 1, PROFDB_LOG_ALL = 2 } profdb_log;

/* Frees a string that was handed out as `char**`. */
PROFDB_API void profdb_free(char* text);

/* The library's version, e.g. "0.1.0", and the PROFDB_ABI_VERSION it was built with. */
PROFDB_API const char* profdb_version(void);
PROFDB_API int profdb_abi_version(void);

/* ---- engine ---- */

/* The deployment's settings. Initialize with profdb_options_init, then set what differs. */
typedef struct profdb_options {
  size_t size;         /* of the struct the caller knows; set by profdb_options_init */
  const char* release; /* "ID" or "DEVICE/FRAMEWORK/VERSION"; NULL: the only release of the file */
  int64_t ep_size;     /* expert parallelism, >= 1; 0: not configured */
  int64_t tp_size;     /* tensor parallelism, >= 1; 0: not configured */
  int interpolation;   /* 1 (default) or 0 */
  profdb_padded_match padded_match; /* default PROFDB_PADDED_LAST */
  profdb_log log;                   /* default PROFDB_LOG_OFF */
  const char* log_db;               /* a file of its own for the query log; NULL: the database itself */
  uint64_t cache_bytes; /* what the caches may hold; default 256 MiB; 0 keeps nothing between lookups */
  int snapshot_ms;      /* how long one state of the database may answer, 0 to 100; default 50 */
  int cache_results;    /* whether whole results are kept; 1 (default) or 0 */
} profdb_options;

/* Fills `options` with the defaults. `size` is sizeof(profdb_options). */
PROFDB_API void profdb_options_init(profdb_options* options, size_t size);

/* Opens `database` (a path). `options` may be NULL: all defaults. PROFDB_DATABASE where the file cannot be
 * used, PROFDB_USAGE for a release that is not there (the message lists those that are). */
PROFDB_API profdb_status profdb_engine_open(const char* database, const profdb_options* options,
                                            profdb_engine** engine, char** error);
/* Writes what the query log still holds, and closes. */
PROFDB_API void profdb_engine_free(profdb_engine* engine);

/* The release that the engine answers for, and all releases of a database, as JSON: an object, and an array
 * of such objects by release_id. */
PROFDB_API profdb_status profdb_engine_release_json(const profdb_engine* engine, char** json, char** error);
PROFDB_API profdb_status profdb_list_releases_json(const char* database, char** json, char** error);

/* Waits until the log entries so far are in the file. */
PROFDB_API profdb_status profdb_engine_flush_log(profdb_engine* engine, char** error);

typedef struct profdb_cache_stats {
  uint64_t hits, misses; /* since the engine was opened */
  uint64_t evictions;    /* entries that gave way to others */
  uint64_t entries;      /* held now */
  uint64_t bytes;        /* held now */
} profdb_cache_stats;

typedef struct profdb_stats {
  profdb_cache_stats results;        /* whole results, by leaf digest */
  profdb_cache_stats regimes;        /* which regimes a target may use */
  profdb_cache_stats candidates;     /* candidate sets */
  profdb_cache_stats triangulations; /* per candidate set and axis group */
  uint64_t cache_budget;             /* profdb_options.cache_bytes */
  uint64_t invalidations;            /* times that an import emptied the caches */
  uint64_t snapshots;                /* times that a read transaction was opened */
  uint64_t log_entries;              /* handed to the query log */
  uint64_t log_dropped;              /* lost because its queue stayed full */
} profdb_stats;

/* Fills `stats`; `size` is sizeof(profdb_stats). */
PROFDB_API profdb_status profdb_engine_stats(const profdb_engine* engine, profdb_stats* stats, size_t size,
                                             char** error);

typedef struct profdb_warm_report {
  uint64_t operators;
  uint64_t regimes;
  uint64_t candidates; /* rows */
  uint64_t triangulations;
} profdb_warm_report;

/* Loads what lookups of these operators will need; `count` 0: of every operator of the mapping. `report` may
 * be NULL; `size` is sizeof(profdb_warm_report). PROFDB_USAGE for an operator that the mapping lacks. */
PROFDB_API profdb_status profdb_engine_warm(profdb_engine* engine, const char* const* ops, size_t count,
                                            profdb_warm_report* report, size_t size, char** error);

/* ---- leaf operator calls ----
 *
 * A call is either read from JSON (schema/leaf_op.schema.json) or built: arguments in call order, then
 * outputs and attributes. Building checks nothing but NULLs; profdb_prepare and profdb_lookup_leaf check the
 * whole call. `shape` has `rank` dimensions in elements (NULL for rank 0), `dtype` is the framework's name
 * ("bfloat16"), `format` a physical layout ("FRACTAL_NZ") or NULL, `role` a name ("query") or NULL. */

PROFDB_API profdb_status profdb_leaf_new(const char* op, profdb_leaf** leaf, char** error);
PROFDB_API profdb_status profdb_leaf_from_json(const char* json, size_t length, profdb_leaf** leaf,
                                               char** error);
PROFDB_API void profdb_leaf_free(profdb_leaf* leaf);

/* The next argument: one tensor; an optional one that is absent; a list, empty at first. */
PROFDB_API profdb_status profdb_leaf_add_tensor(profdb_leaf* leaf, const char* role, const int64_t* shape,
                                                size_t rank, const char* dtype, const char* format,
                                                char** error);
PROFDB_API profdb_status profdb_leaf_add_absent(profdb_leaf* leaf, char** error);
PROFDB_API profdb_status profdb_leaf_add_list(profdb_leaf* leaf, const char* role, char** error);
/* `count` equal members for the list that was added last. PROFDB_USAGE where the last argument is no list. */
PROFDB_API profdb_status profdb_leaf_add_members(profdb_leaf* leaf, size_t count, const int64_t* shape,
                                                 size_t rank, const char* dtype, const char* format,
                                                 char** error);
PROFDB_API profdb_status profdb_leaf_add_output(profdb_leaf* leaf, const int64_t* shape, size_t rank,
                                                const char* dtype, const char* format, char** error);

/* Sets one attribute; a second time replaces it. The JSON form takes any JSON value. */
PROFDB_API profdb_status profdb_leaf_set_text(profdb_leaf* leaf, const char* name, const char* value,
                                              char** error);
PROFDB_API profdb_status profdb_leaf_set_integer(profdb_leaf* leaf, const char* name, int64_t value,
                                                 char** error);
PROFDB_API profdb_status profdb_leaf_set_integers(profdb_leaf* leaf, const char* name, const int64_t* values,
                                                  size_t count, char** error);
PROFDB_API profdb_status profdb_leaf_set_json(profdb_leaf* leaf, const char* name, const char* json,
                                              size_t length, char** error);
/* A partial sum that the caller holds, in microseconds; carried along, never the operator's latency. */
PROFDB_API profdb_status profdb_leaf_set_prior(profdb_leaf* leaf, double latency_us, char** error);

/* The call as canonical JSON. PROFDB_INPUT for a malformed one. */
PROFDB_API profdb_status profdb_leaf_json(const profdb_leaf* leaf, char** json, char** error);

/* Checks and digests a call once; the leaf stays the caller's and may be changed or freed. */
PROFDB_API profdb_status profdb_prepare(const profdb_leaf* leaf, profdb_prepared** prepared, char** error);
PROFDB_API profdb_status profdb_prepare_json(const char* json, size_t length, profdb_prepared** prepared,
                                             char** error);
PROFDB_API void profdb_prepared_free(profdb_prepared* prepared);

/* ---- lookup ---- */

/* Answers one call. PROFDB_INPUT for a malformed one (never for a prepared one), PROFDB_DATABASE where the
 * file cannot be read. */
PROFDB_API profdb_status profdb_lookup(const profdb_engine* engine, const profdb_prepared* prepared,
                                       profdb_result** result, char** error);
PROFDB_API profdb_status profdb_lookup_leaf(const profdb_engine* engine, const profdb_leaf* leaf,
                                            profdb_result** result, char** error);
PROFDB_API profdb_status profdb_lookup_json(const profdb_engine* engine, const char* json, size_t length,
                                            profdb_result** result, char** error);
PROFDB_API void profdb_result_free(profdb_result* result);

/* What an answer says. Text that does not apply is "", never NULL. */
PROFDB_API profdb_source profdb_result_source(const profdb_result* result);
PROFDB_API const char* profdb_source_name(profdb_source source);          /* "MEASURED" ... */
PROFDB_API double profdb_result_latency_us(const profdb_result* result);  /* 0 in a miss */
PROFDB_API double profdb_result_confidence(const profdb_result* result);  /* for display only */
PROFDB_API const char* profdb_result_reason(const profdb_result* result); /* of a miss */
PROFDB_API const char* profdb_result_kernel(const profdb_result* result);
PROFDB_API const char* profdb_result_path(const profdb_result* result);
PROFDB_API const char* profdb_result_method(const profdb_result* result);
PROFDB_API const char* profdb_result_match_rule(const profdb_result* result);
PROFDB_API int profdb_result_dim(const profdb_result* result); /* 0: no interpolation */
PROFDB_API size_t profdb_result_axis_count(const profdb_result* result);
PROFDB_API const char* profdb_result_axis(const profdb_result* result, size_t index); /* "" past the end */
PROFDB_API int64_t profdb_result_release(const profdb_result* result);

/* The whole answer, and its evidence alone, as JSON: the object that `profdb lookup --json` prints. */
PROFDB_API profdb_status profdb_result_json(const profdb_result* result, char** json, char** error);
PROFDB_API profdb_status profdb_result_details_json(const profdb_result* result, char** json, char** error);

#ifdef __cplusplus
}
#endif

#endif
