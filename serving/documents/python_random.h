// Python's random.Random(seed).sample(range(n), k), so that a selection of questions is the one that a Python
// program makes.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace profdb::serving {

// MT19937 as CPython seeds and uses it (Modules/_randommodule.c, Lib/random.py of 3.11).
class PythonRandom {
 public:
  // random.Random(seed) of a non-negative integer.
  explicit PythonRandom(std::uint64_t seed);
  // getrandbits(bits), 1 to 32 bits.
  std::uint32_t random_bits(int bits);
  // _randbelow(n): 0 <= result < n, for n from 1 on.
  std::uint32_t below(std::uint32_t n);
  // sample(range(population), size), in the order drawn. Throws Error(usage) where size > population.
  std::vector<std::uint32_t> sample(std::uint32_t population, std::uint32_t size);

 private:
  static constexpr std::size_t kSize = 624;
  void seed_word(std::uint32_t seed);
  void refill();
  std::uint32_t next();

  std::array<std::uint32_t, kSize> state_{};
  std::size_t at_ = kSize;
};

// sorted(random.Random(seed).sample(range(population), size)): acceptance-protocol §5.
std::vector<std::uint32_t> select_questions(std::uint64_t seed, std::uint32_t population, std::uint32_t size);

}  // namespace profdb::serving
