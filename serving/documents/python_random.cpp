// The Mersenne Twister of Matsumoto and Nishimura (init_by_array), and CPython's way of drawing from it.
#include "serving/documents/python_random.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <unordered_set>

#include "profdb/error.h"

namespace profdb::serving {

void PythonRandom::seed_word(std::uint32_t seed) {
  state_[0] = seed;
  for (std::size_t i = 1; i < kSize; ++i)
    state_[i] = 1812433253U * (state_[i - 1] ^ (state_[i - 1] >> 30)) + static_cast<std::uint32_t>(i);
}

PythonRandom::PythonRandom(std::uint64_t seed) {
  std::vector<std::uint32_t> key = {static_cast<std::uint32_t>(seed)};
  if (seed > UINT32_MAX) key.push_back(static_cast<std::uint32_t>(seed >> 32));
  seed_word(19650218U);
  std::size_t i = 1;
  std::size_t j = 0;
  const auto step = [&] {
    if (++i < kSize) return;
    state_[0] = state_[kSize - 1];
    i = 1;
  };
  for (std::size_t k = std::max(kSize, key.size()); k > 0; --k) {
    state_[i] = (state_[i] ^ ((state_[i - 1] ^ (state_[i - 1] >> 30)) * 1664525U)) + key[j] +
                static_cast<std::uint32_t>(j);
    step();
    j = (j + 1) % key.size();
  }
  for (std::size_t k = kSize - 1; k > 0; --k) {
    state_[i] =
        (state_[i] ^ ((state_[i - 1] ^ (state_[i - 1] >> 30)) * 1566083941U)) - static_cast<std::uint32_t>(i);
    step();
  }
  state_[0] = 0x80000000U;
}

void PythonRandom::refill() {
  constexpr std::size_t kShift = 397;
  for (std::size_t i = 0; i < kSize; ++i) {
    const std::uint32_t y = (state_[i] & 0x80000000U) | (state_[(i + 1) % kSize] & 0x7fffffffU);
    state_[i] = state_[(i + kShift) % kSize] ^ (y >> 1) ^ ((y & 1U) != 0 ? 0x9908b0dfU : 0U);
  }
  at_ = 0;
}

std::uint32_t PythonRandom::next() {
  if (at_ == kSize) refill();
  std::uint32_t y = state_[at_++];
  y ^= y >> 11;
  y ^= (y << 7) & 0x9d2c5680U;
  y ^= (y << 15) & 0xefc60000U;
  return y ^ (y >> 18);
}

std::uint32_t PythonRandom::random_bits(int bits) {
  return next() >> (32 - bits);
}

std::uint32_t PythonRandom::below(std::uint32_t n) {
  const int bits = static_cast<int>(std::bit_width(n));
  std::uint32_t value = random_bits(bits);
  while (value >= n) value = random_bits(bits);
  return value;
}

std::vector<std::uint32_t> PythonRandom::sample(std::uint32_t population, std::uint32_t size) {
  if (size > population)
    throw Error(ErrorKind::usage, "a sample cannot be larger than what it is drawn from; lower its size");
  // Python keeps a list of what is left where that is smaller than a set of what is drawn.
  std::uint64_t set_size = 21;
  if (size > 5) {
    std::uint64_t power = 1;  // 4 ** ceil(log(3 * size, 4))
    while (power < 3ULL * size) power *= 4;
    set_size += power;
  }
  std::vector<std::uint32_t> drawn;
  drawn.reserve(size);
  if (population <= set_size) {
    std::vector<std::uint32_t> pool(population);
    std::iota(pool.begin(), pool.end(), 0U);
    for (std::uint32_t i = 0; i < size; ++i) {
      const std::uint32_t j = below(population - i);
      drawn.push_back(pool[j]);
      pool[j] = pool[population - i - 1];
    }
    return drawn;
  }
  std::unordered_set<std::uint32_t> seen;
  while (drawn.size() < size) {
    const std::uint32_t j = below(population);
    if (seen.insert(j).second) drawn.push_back(j);
  }
  return drawn;
}

std::vector<std::uint32_t> select_questions(std::uint64_t seed, std::uint32_t population,
                                            std::uint32_t size) {
  auto selected = PythonRandom(seed).sample(population, size);
  std::sort(selected.begin(), selected.end());
  return selected;
}

}  // namespace profdb::serving
