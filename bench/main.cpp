// profdb_bench: measures the engine beside its floors (scripts/bench makes the databases and the table).
#include <benchmark/benchmark.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>

#include "bench/settings.h"

namespace {

int run(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);  // takes its own flags out
  profdb::bench::Settings settings;
  CLI::App app("Measures the profdb engine beside its floors; --benchmark_* flags are Google Benchmark's.");
  app.add_option("--real", settings.real, "Database with measured MatMulV2 rows");
  app.add_option("--small", settings.small, "Database of the small synthetic release")->required();
  app.add_option("--large", settings.large, "Database of the large synthetic release");
  app.add_option("--work", settings.work, "Folder for what benchmarks write")->required();
  app.add_option("--repetitions", settings.repetitions, "Batches of floor and subject")
      ->check(CLI::PositiveNumber);
  app.add_option("--calls", settings.calls, "Lookups per batch")->check(CLI::PositiveNumber);
  app.add_option("--leaves", settings.leaves, "Distinct leaves, at most")->check(CLI::PositiveNumber);
  CLI11_PARSE(app, argc, argv);
  profdb::bench::register_open(settings);
  profdb::bench::register_exact(settings);
  profdb::bench::register_repeated(settings);
  profdb::bench::register_interpolated(settings);
  profdb::bench::register_attention(settings);
  profdb::bench::register_first_3d(settings);
  profdb::bench::register_logging(settings);
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& e) {
    std::cerr << "profdb_bench: " << e.what() << '\n';
    return 1;
  }
}
