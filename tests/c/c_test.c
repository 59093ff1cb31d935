/* Uses every function of profdb.h on the synthetic sample database (examples/generate_release.py).
 *
 *   c_test SAMPLE_DB LOG_DB */
#include <math.h>
#include <profdb.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int checks = 0;

#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                \
    }                                                                         \
    ++checks;                                                                 \
  } while (0)

#define CHECK_TEXT(actual, expected) CHECK(strcmp((actual), (expected)) == 0)

static const char release[] = "SYNTHETIC_NPU/synthetic/0.18.0";

/* MatMulV2.csv, K 4096, N 1024: 11.89 us at M 64, 12.53 us at M 128; linear between them at M 100. */
static const double mm_100_us = 11.89 + (12.53 - 11.89) * (100 - 64) / (128 - 64);
static const char mm_100[] =
    "{\"op\": \"aten.mm.default\", \"inputs\": [{\"shape\": [100, 4096], \"dtype\": \"bfloat16\"},"
    " {\"shape\": [4096, 1024], \"dtype\": \"bfloat16\"}]}";

static profdb_engine* open_sample(const char* database) {
  profdb_options options;
  profdb_engine* engine = NULL;
  char* error = NULL;
  profdb_options_init(&options, sizeof options);
  options.release = release;
  options.ep_size = 16;
  CHECK(profdb_engine_open(database, &options, &engine, &error) == PROFDB_OK);
  CHECK(engine != NULL && error == NULL);
  return engine;
}

static void check_versions(void) {
  CHECK(profdb_abi_version() == PROFDB_ABI_VERSION);
  CHECK(strchr(profdb_version(), '.') != NULL);
}

static void check_interpolated(const profdb_result* result) {
  CHECK(profdb_result_source(result) == PROFDB_INTERPOLATED);
  CHECK_TEXT(profdb_source_name(profdb_result_source(result)), "INTERPOLATED");
  CHECK(fabs(profdb_result_latency_us(result) - mm_100_us) < 1e-9);
  CHECK(profdb_result_confidence(result) == 0.70); /* contract §1: 1D */
  CHECK_TEXT(profdb_result_kernel(result), "MatMulV2");
  CHECK_TEXT(profdb_result_path(result), "matrix_compute");
  CHECK_TEXT(profdb_result_method(result), "linear_1d");
  CHECK_TEXT(profdb_result_match_rule(result), "");
  CHECK_TEXT(profdb_result_reason(result), "");
  CHECK(profdb_result_dim(result) == 1);
  CHECK(profdb_result_axis_count(result) == 1);
  CHECK_TEXT(profdb_result_axis(result, 0), "M");
  CHECK_TEXT(profdb_result_axis(result, 1), "");
  CHECK(profdb_result_release(result) > 0);
}

static void check_json_lookup(const profdb_engine* engine) {
  profdb_result* result = NULL;
  char* json = NULL;
  CHECK(profdb_lookup_json(engine, mm_100, strlen(mm_100), &result, NULL) == PROFDB_OK);
  check_interpolated(result);
  CHECK(profdb_result_json(result, &json, NULL) == PROFDB_OK);
  CHECK(strncmp(json, "{\"source\":\"INTERPOLATED\",", 25) == 0);
  profdb_free(json);
  CHECK(profdb_result_details_json(result, &json, NULL) == PROFDB_OK);
  CHECK(strstr(json, "\"boundary\":{\"M\":[64,128]}") != NULL);
  profdb_free(json);
  profdb_result_free(result);
}

static profdb_leaf* built_mm(void) {
  const int64_t a[] = {100, 4096}, b[] = {4096, 1024}, c[] = {100, 1024};
  profdb_leaf* leaf = NULL;
  CHECK(profdb_leaf_new("aten.mm.default", &leaf, NULL) == PROFDB_OK);
  CHECK(profdb_leaf_add_tensor(leaf, NULL, a, 2, "bfloat16", NULL, NULL) == PROFDB_OK);
  CHECK(profdb_leaf_add_tensor(leaf, NULL, b, 2, "bfloat16", "ND", NULL) == PROFDB_OK);
  CHECK(profdb_leaf_add_output(leaf, c, 2, "bfloat16", NULL, NULL) == PROFDB_OK);
  return leaf;
}

static void check_built_lookup(const profdb_engine* engine) {
  profdb_leaf* leaf = built_mm();
  profdb_prepared* prepared = NULL;
  profdb_result* result = NULL;
  CHECK(profdb_lookup_leaf(engine, leaf, &result, NULL) == PROFDB_OK);
  CHECK(fabs(profdb_result_latency_us(result) - mm_100_us) < 1e-9);
  profdb_result_free(result);
  CHECK(profdb_prepare(leaf, &prepared, NULL) == PROFDB_OK);
  profdb_leaf_free(leaf); /* the prepared leaf has its own */
  CHECK(profdb_lookup(engine, prepared, &result, NULL) == PROFDB_OK);
  CHECK(fabs(profdb_result_latency_us(result) - mm_100_us) < 1e-9);
  profdb_prepared_free(prepared);
  profdb_result_free(result);
}

/* Line 21 of examples/leaf_ops.jsonl: 576 tokens, 8 local experts, W8A8, EP size 16, and its role names. */
static void check_roles_and_lists(const profdb_engine* engine) {
  const int64_t x[] = {2, 4, 72, 2048}, experts[] = {576, 8}, gmm1[] = {2048, 1536}, gmm2[] = {768, 2048};
  profdb_leaf* leaf = NULL;
  profdb_result* result = NULL;
  CHECK(profdb_leaf_new("tensor_cast.dispatch_ffn_combine_quant.default", &leaf, NULL) == PROFDB_OK);
  CHECK(profdb_leaf_add_tensor(leaf, "expert_indices", experts, 2, "int32", NULL, NULL) == PROFDB_OK);
  CHECK(profdb_leaf_add_absent(leaf, NULL) == PROFDB_OK);
  CHECK(profdb_leaf_add_list(leaf, "gmm1_weight", NULL) == PROFDB_OK);
  CHECK(profdb_leaf_add_members(leaf, 7, gmm1, 2, "int8", NULL, NULL) == PROFDB_OK);
  CHECK(profdb_leaf_add_members(leaf, 1, gmm1, 2, "int8", NULL, NULL) == PROFDB_OK);
  CHECK(profdb_leaf_add_list(leaf, "gmm2_weight", NULL) == PROFDB_OK);
  CHECK(profdb_leaf_add_members(leaf, 8, gmm2, 2, "int8", NULL, NULL) == PROFDB_OK);
  CHECK(profdb_leaf_add_tensor(leaf, "x", x, 4, "bfloat16", NULL, NULL) == PROFDB_OK);
  CHECK(profdb_leaf_add_members(leaf, 1, gmm2, 2, "int8", NULL, NULL) == PROFDB_USAGE);
  CHECK(profdb_lookup_leaf(engine, leaf, &result, NULL) == PROFDB_OK);
  CHECK(profdb_result_source(result) == PROFDB_MEASURED);
  CHECK_TEXT(profdb_result_method(result), "exact_coordinate");
  profdb_result_free(result);
  profdb_leaf_free(leaf);
}

static void check_attributes(void) {
  const int64_t lengths[] = {2048, 4096};
  profdb_leaf* leaf = built_mm();
  char *json = NULL, *error = NULL;
  CHECK(profdb_leaf_set_text(leaf, "phase", "decode", NULL) == PROFDB_OK);
  CHECK(profdb_leaf_set_integer(leaf, "topk", 8, NULL) == PROFDB_OK);
  CHECK(profdb_leaf_set_integers(leaf, "seq_lens", lengths, 2, NULL) == PROFDB_OK);
  CHECK(profdb_leaf_set_json(leaf, "other", "{\"a\": [1, null]}", 16, NULL) == PROFDB_OK);
  CHECK(profdb_leaf_set_prior(leaf, 12.5, NULL) == PROFDB_OK);
  CHECK(profdb_leaf_set_json(leaf, "other", "{}, \"x\": 1", 10, &error) == PROFDB_INPUT);
  CHECK(strstr(error, "not JSON") != NULL);
  profdb_free(error);
  CHECK(profdb_leaf_json(leaf, &json, NULL) == PROFDB_OK);
  CHECK(strstr(json, "\"phase\":\"decode\"") != NULL);
  CHECK(strstr(json, "\"topk\":8") != NULL);
  CHECK(strstr(json, "\"seq_lens\":[2048,4096]") != NULL);
  CHECK(strstr(json, "\"other\":{\"a\":[1,null]}") != NULL);
  CHECK(strstr(json, "12.5") != NULL);
  profdb_free(json);
  profdb_leaf_free(leaf);
}

static void check_miss(const profdb_engine* engine) {
  const char text[] = "{\"op\": \"no.such.operator\"}";
  profdb_leaf* leaf = NULL;
  profdb_prepared* prepared = NULL;
  profdb_result* result = NULL;
  CHECK(profdb_leaf_from_json(text, strlen(text), &leaf, NULL) == PROFDB_OK);
  CHECK(profdb_prepare_json(text, strlen(text), &prepared, NULL) == PROFDB_OK);
  CHECK(profdb_lookup(engine, prepared, &result, NULL) == PROFDB_OK);
  CHECK(profdb_result_source(result) == PROFDB_MISS);
  CHECK_TEXT(profdb_result_reason(result), "unmapped");
  CHECK(profdb_result_latency_us(result) == 0);
  profdb_result_free(result);
  profdb_prepared_free(prepared);
  profdb_leaf_free(leaf);
}

static void check_errors(const profdb_engine* engine, const char* database) {
  const char bad[] = "{\"op\": \"aten.mm.default\", \"inputs\": [{\"shape\": [-1], \"dtype\": \"int8\"}]}";
  profdb_options options;
  profdb_engine* none = NULL;
  profdb_result* result = NULL;
  char* error = NULL;
  CHECK(profdb_lookup_json(engine, bad, strlen(bad), &result, &error) == PROFDB_INPUT);
  CHECK(result == NULL && strstr(error, "inputs[0].shape[0]") != NULL);
  profdb_free(error);
  CHECK(profdb_lookup_json(engine, bad, strlen(bad), &result, NULL) == PROFDB_INPUT);
  CHECK(profdb_engine_open("no such file.db", NULL, &none, &error) == PROFDB_DATABASE);
  CHECK(none == NULL && strstr(error, "no such file.db") != NULL);
  profdb_free(error);
  profdb_options_init(&options, sizeof options);
  options.release = "no/such/release";
  CHECK(profdb_engine_open(database, &options, &none, &error) == PROFDB_USAGE);
  CHECK(strstr(error, release) != NULL); /* those that are there */
  profdb_free(error);
  CHECK(profdb_engine_open(NULL, NULL, &none, &error) == PROFDB_USAGE);
  CHECK_TEXT(error, "database is NULL");
  profdb_free(error);
  CHECK(profdb_lookup(engine, NULL, &result, NULL) == PROFDB_USAGE);
  CHECK(profdb_lookup_json(engine, mm_100, strlen(mm_100), NULL, NULL) == PROFDB_USAGE);
}

static void check_nulls_are_harmless(void) {
  profdb_free(NULL);
  profdb_engine_free(NULL);
  profdb_leaf_free(NULL);
  profdb_prepared_free(NULL);
  profdb_result_free(NULL);
  CHECK(profdb_result_source(NULL) == PROFDB_MISS);
  CHECK_TEXT(profdb_result_kernel(NULL), "");
}

/* A program that was built when profdb_options ended after `release`. */
static void check_older_options(const char* database) {
  profdb_options options;
  profdb_engine* engine = NULL;
  memset(&options, 0xff, sizeof options);
  profdb_options_init(&options, offsetof(profdb_options, ep_size));
  options.release = release;
  CHECK(profdb_engine_open(database, &options, &engine, NULL) == PROFDB_OK);
  profdb_engine_free(engine);
}

static void check_releases(const profdb_engine* engine, const char* database) {
  char* json = NULL;
  CHECK(profdb_engine_release_json(engine, &json, NULL) == PROFDB_OK);
  CHECK(strstr(json, "\"framework_version\":\"0.18.0\"") != NULL);
  profdb_free(json);
  CHECK(profdb_list_releases_json(database, &json, NULL) == PROFDB_OK);
  CHECK(json[0] == '[' && strstr(json, "\"framework_version\":\"0.15.0\"") != NULL);
  profdb_free(json);
}

static void check_log(const char* database, const char* log) {
  profdb_options options;
  profdb_engine* engine = NULL;
  profdb_result* result = NULL;
  profdb_stats stats;
  profdb_options_init(&options, sizeof options);
  options.release = release;
  options.log = PROFDB_LOG_ALL;
  options.log_db = log;
  CHECK(profdb_engine_open(database, &options, &engine, NULL) == PROFDB_OK);
  CHECK(profdb_lookup_json(engine, mm_100, strlen(mm_100), &result, NULL) == PROFDB_OK);
  CHECK(profdb_engine_flush_log(engine, NULL) == PROFDB_OK);
  CHECK(profdb_engine_stats(engine, &stats, sizeof stats, NULL) == PROFDB_OK);
  CHECK(stats.log_entries == 1 && stats.log_dropped == 0);
  profdb_engine_free(engine);
  check_interpolated(result); /* a result outlives its engine */
  profdb_result_free(result);
}

static void check_warm(profdb_engine* engine) {
  const char* const ops[] = {"aten.mm.default"};
  const char* const unknown[] = {"no.such.operator"};
  profdb_warm_report report;
  profdb_stats stats;
  CHECK(profdb_engine_warm(engine, ops, 1, &report, sizeof report, NULL) == PROFDB_OK);
  CHECK(report.operators == 1);
  CHECK(profdb_engine_warm(engine, unknown, 1, NULL, 0, NULL) == PROFDB_USAGE);
  CHECK(profdb_engine_stats(engine, &stats, sizeof stats, NULL) == PROFDB_OK);
  CHECK(stats.cache_budget == (uint64_t)256 << 20);
}

typedef struct thread_work {
  const profdb_engine* engine;
  const profdb_prepared* prepared;
  int right;
} thread_work;

static void* ask(void* argument) {
  thread_work* work = argument;
  for (int i = 0; i < 1000; ++i) {
    profdb_result* result = NULL;
    if (profdb_lookup(work->engine, work->prepared, &result, NULL) != PROFDB_OK) break;
    work->right += fabs(profdb_result_latency_us(result) - mm_100_us) < 1e-9;
    profdb_result_free(result);
  }
  return NULL;
}

static void check_threads(const profdb_engine* engine) {
  enum { count = 4 };
  pthread_t threads[count];
  thread_work work[count];
  profdb_prepared* prepared = NULL;
  CHECK(profdb_prepare_json(mm_100, strlen(mm_100), &prepared, NULL) == PROFDB_OK);
  for (int i = 0; i < count; ++i) {
    work[i].engine = engine;
    work[i].prepared = prepared;
    work[i].right = 0;
    CHECK(pthread_create(&threads[i], NULL, ask, &work[i]) == 0);
  }
  for (int i = 0; i < count; ++i) {
    CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(work[i].right == 1000);
  }
  profdb_prepared_free(prepared);
}

int main(int argc, char** argv) {
  profdb_engine* engine;
  if (argc != 3) {
    fprintf(stderr, "usage: c_test SAMPLE_DB LOG_DB\n");
    return 2;
  }
  check_versions();
  engine = open_sample(argv[1]);
  check_json_lookup(engine);
  check_built_lookup(engine);
  check_roles_and_lists(engine);
  check_attributes();
  check_miss(engine);
  check_errors(engine, argv[1]);
  check_nulls_are_harmless();
  check_older_options(argv[1]);
  check_releases(engine, argv[1]);
  check_log(argv[1], argv[2]);
  check_warm(engine);
  check_threads(engine);
  profdb_engine_free(engine);
  printf("%d checks passed\n", checks);
  return 0;
}
