/* Asks a profiling database from C.
 *
 *   cc -std=c11 lookup_example.c $(pkg-config --cflags --libs profdb) -o lookup_example
 *   ./lookup_example sample.db */
#include <profdb.h>
#include <stdio.h>

static int fail(char* error) {
  fprintf(stderr, "%s\n", error);
  profdb_free(error);
  return 1;
}

int main(int argc, char** argv) {
  const int64_t a[] = {100, 4096}, b[] = {4096, 1024};
  profdb_options options;
  profdb_engine* engine;
  profdb_leaf* leaf;
  profdb_prepared* prepared;
  profdb_result* result;
  char* error;

  profdb_options_init(&options, sizeof options);
  options.release = "SYNTHETIC_NPU/synthetic/0.18.0";
  if (profdb_engine_open(argc > 1 ? argv[1] : "sample.db", &options, &engine, &error)) return fail(error);

  if (profdb_leaf_new("aten.mm.default", &leaf, &error) ||
      profdb_leaf_add_tensor(leaf, NULL, a, 2, "bfloat16", NULL, &error) ||
      profdb_leaf_add_tensor(leaf, NULL, b, 2, "bfloat16", NULL, &error) ||
      profdb_prepare(leaf, &prepared, &error)) /* checked once, asked often, from any thread */
    return fail(error);

  if (profdb_lookup(engine, prepared, &result, &error)) return fail(error);
  if (profdb_result_source(result) == PROFDB_MISS)
    printf("miss: %s\n", profdb_result_reason(result));
  else
    printf("%s %.3f us by %s along %s\n", profdb_source_name(profdb_result_source(result)),
           profdb_result_latency_us(result), profdb_result_method(result), profdb_result_axis(result, 0));

  profdb_result_free(result);
  profdb_prepared_free(prepared);
  profdb_leaf_free(leaf);
  profdb_engine_free(engine);
  return 0;
}
