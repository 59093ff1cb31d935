// What a simulator does with profdb: a few distinct operator calls, prepared once, asked again and again from
// several threads, and summed up. profdb gives each operator's latency; the sum is the simulator's own.
//
//   simulator DATABASE LEAVES.jsonl [RELEASE [EP_SIZE [THREADS [LOOKUPS_PER_THREAD]]]]
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "profdb/engine.h"

namespace {

struct Arguments {
  std::string database;
  std::string leaves;
  profdb::EngineOptions options;
  int threads = 4;
  std::int64_t lookups = 1'000'000;  // of each thread
};

// What one thread has seen.
struct Tally {
  std::map<std::string, std::int64_t> answers;  // by source, and "MISS reason"
  double latency_us = 0;
  std::exception_ptr error;
};

Arguments parse(const std::vector<std::string>& words) {
  if (words.size() < 2 || words.size() > 6)
    throw std::runtime_error(
        "usage: simulator DATABASE LEAVES.jsonl [RELEASE [EP_SIZE [THREADS [LOOKUPS_PER_THREAD]]]]");
  Arguments arguments{words[0], words[1], {}};
  if (words.size() > 2) arguments.options.release = words[2];
  if (words.size() > 3) arguments.options.ep_size = std::stoll(words[3]);
  if (words.size() > 4) arguments.threads = std::stoi(words[4]);
  if (words.size() > 5) arguments.lookups = std::stoll(words[5]);
  return arguments;
}

// Checking and digesting a call costs more than asking a known one: it is done once.
std::vector<profdb::PreparedLeaf> read_leaves(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error(file + ": cannot be read");
  std::vector<profdb::PreparedLeaf> leaves;
  for (std::string line; std::getline(in, line);) leaves.emplace_back(profdb::parse_leaf_op(line));
  if (leaves.empty()) throw std::runtime_error(file + ": holds no call");
  return leaves;
}

// One engine serves all threads; each result is shared, not copied.
void simulate(const profdb::Engine& engine, const std::vector<profdb::PreparedLeaf>& leaves,
              std::size_t first, std::int64_t lookups, Tally& tally) try {
  for (std::int64_t i = 0; i < lookups; ++i) {
    const auto& leaf = leaves[(first + static_cast<std::size_t>(i)) % leaves.size()];
    const profdb::ResultPtr result = engine.lookup(leaf);
    if (result->hit()) {
      ++tally.answers[profdb::to_string(result->source)];
      tally.latency_us += result->latency_us;
    } else {
      ++tally.answers["MISS " + result->reason];  // here the simulator would fall back to a model of its own
    }
  }
} catch (...) {
  tally.error = std::current_exception();
}

Tally run_threads(const profdb::Engine& engine, const std::vector<profdb::PreparedLeaf>& leaves,
                  const Arguments& arguments) {
  std::vector<Tally> tallies(static_cast<std::size_t>(arguments.threads));
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < tallies.size(); ++i)
    threads.emplace_back([&, i] { simulate(engine, leaves, i * 7, arguments.lookups, tallies[i]); });
  for (std::thread& thread : threads) thread.join();

  Tally sum;
  for (const Tally& tally : tallies) {
    if (tally.error) std::rethrow_exception(tally.error);
    for (const auto& [answer, count] : tally.answers) sum.answers[answer] += count;
    sum.latency_us += tally.latency_us;
  }
  return sum;
}

void run(const Arguments& arguments) {
  const profdb::Engine engine(arguments.database, arguments.options);
  const auto leaves = read_leaves(arguments.leaves);
  const auto begin = std::chrono::steady_clock::now();
  const Tally sum = run_threads(engine, leaves, arguments);
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;

  const double lookups = static_cast<double>(arguments.lookups) * arguments.threads;
  std::printf("profdb %s: %d threads, %.0f lookups of %zu calls in %.2f s, %.0f a second\n",
              profdb::version(), arguments.threads, lookups, leaves.size(), elapsed.count(),
              lookups / elapsed.count());
  for (const auto& [answer, count] : sum.answers)
    std::printf("  %-40s %10lld\n", answer.c_str(), static_cast<long long>(count));
  std::printf("simulated time of the hits: %.3f ms\n", sum.latency_us / 1000);
  const std::string notice = engine.release().synthetic;
  if (!notice.empty()) std::printf("SYNTHETIC data: %s\n", notice.c_str());
}

}  // namespace

int main(int argc, char** argv) try {
  run(parse({argv + 1, argv + argc}));
  return EXIT_SUCCESS;
} catch (const std::exception& e) {
  std::fprintf(stderr, "simulator: %s\n", e.what());
  return EXIT_FAILURE;
}
