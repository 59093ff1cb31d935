// What a run measures with, and the groups of benchmarks that it registers.
#pragma once

#include <cstddef>
#include <string>

namespace profdb::bench {

struct Settings {
  std::string real;   // database with measured MatMulV2 rows to interpolate between; empty: left out
  std::string small;  // database of the synthetic release of some 5,000 rows
  std::string large;  // the same of some 5,000,000 rows; empty: left out
  std::string work;   // folder for what benchmarks write
  int repetitions = 101;
  std::size_t calls = 100'000;  // lookups per batch, at most
  std::size_t leaves = 20000;   // distinct leaves of a benchmark, at most
};

// Each registers the benchmarks of one file.
void register_exact(const Settings& settings);
void register_repeated(const Settings& settings);
void register_interpolated(const Settings& settings);
void register_attention(const Settings& settings);
void register_first_3d(const Settings& settings);
void register_logging(const Settings& settings);
void register_open(const Settings& settings);

}  // namespace profdb::bench
