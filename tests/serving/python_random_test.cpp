// acceptance-protocol §5, the selection of questions. The known answers come from CPython 3.11:
//   python3 -c 'import random, hashlib
//   d = random.Random(SEED).sample(range(N), K)
//   print(d[:4], hashlib.sha256(("\n".join(map(str, d)) + "\n").encode()).hexdigest())'
#include "serving/documents/python_random.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "profdb/error.h"
#include "serving/read/document.h"
#include "tests/support/conformance.h"

namespace profdb::serving {
namespace {

std::string digest(const std::vector<std::uint32_t>& indices) {
  std::string text;
  for (const std::uint32_t index : indices) text += std::to_string(index) + "\n";
  return sha256_of(text);
}

struct Known {
  std::uint64_t seed;
  std::uint32_t population;
  std::uint32_t size;
  std::vector<std::uint32_t> first;
  const char* sha256;  // of all indices in the order drawn, a line each
};

TEST(PythonRandom, SamplesAsPythonDoes) {
  const std::vector<Known> known = {
      {0, 10, 3, {6U, 9U, 0U}, "bb8a0efdf003d3ec6767e5e2f0a668442e1d129457bf3d956aeb5c054425a940"},
      {1,
       1319,
       300,
       {275U, 1165U, 129U, 522U},
       "9d47920d71e75434f7e8885bcafbaaac9310556afea73b860359c81dd5771af5"},
      {7,
       1319,
       1319,
       {663U, 308U, 808U, 98U},
       "9901cf27103c519b2f3a1a5ed62a61d6fd5a0b39d71b01d77e4a55dfca9cb2e1"},
      {1099511627781U,
       100000,
       50,
       {66110U, 67753U, 35206U, 87005U},
       "5563bd97d7abbd54cc24b45073d60995a4c44ed3c5c4138d902129c8ffda8a6e"},
      {12345, 21, 5, {13U, 0U, 9U, 11U}, "f7166592808b214c23d3c8211a0d095ef1bcd072c9294e72623937d8b21fee40"},
      {2026,
       4000000000U,
       6,
       {511616025U, 1372175472U, 2158288730U, 2198261819U},
       "8c4fd4e721ce004bf363390b24106227032bb12b6452fcc54f476a46a6227541"},
      // 21 + 4 ** ceil(log(900, 4)) = 1045: the largest population that is drawn from a list, and the next.
      {42,
       1045,
       300,
       {228U, 51U, 563U, 501U},
       "a2185b8571ffc94e3cdebd8d71da4d68125855e4ec4e166b4aa98e0e2c757a80"},
      {42,
       1046,
       300,
       {228U, 51U, 563U, 501U},
       "ae44e5fb88f2355f9b77def87a5e1c47788e9c91f5afc4a4c96a0985033d5760"},
      {3, 1, 1, {0U}, "9a271f2a916b0b6ee6cecb2426f0b3206ef074578be55d9bc94f6f3fe3ab86aa"},
      {99,
       5000,
       1365,
       {3309U, 3119U, 1639U, 4910U},
       "6e9a35a11e71d3145ff7fc0dc4e9f70789235bb191e36d86ad7389e2ede94d5a"},
      // The largest seed of one word, and the smallest of two.
      {4294967295U,
       1319,
       100,
       {1301U, 1268U, 416U, 441U},
       "9a8ea5bb71dfb8697e4b4c245bf8885595e82d673240462110ec5837ea2cce70"},
      {4294967296U,
       1319,
       100,
       {231U, 719U, 855U, 34U},
       "77ce7523c8c6e1ee02de0efd9b55540c6e807e9741f8d8cfb513ab55b4efab63"}};
  for (const Known& answer : known) {
    SCOPED_TRACE(testing::Message() << answer.seed << ", " << answer.population << ", " << answer.size);
    const auto drawn = PythonRandom(answer.seed).sample(answer.population, answer.size);
    ASSERT_EQ(drawn.size(), answer.size);
    for (std::size_t i = 0; i < answer.first.size(); ++i) EXPECT_EQ(drawn[i], answer.first[i]);
    EXPECT_EQ(digest(drawn), answer.sha256);
  }
}

TEST(PythonRandom, SelectsTheQuestionsOfTheProtocol) {
  std::ifstream file(test::conformance_cases() / "gsm8k300.sha256");
  std::string expected;
  ASSERT_TRUE(file >> expected);
  const auto selected = select_questions(42, 1319, 300);
  EXPECT_EQ(std::vector<std::uint32_t>(selected.begin(), selected.begin() + 6),
            (std::vector<std::uint32_t>{1, 4, 6, 13, 14, 19}));
  EXPECT_EQ(digest(selected), expected);
}

TEST(PythonRandom, RefusesASampleLargerThanThePopulation) {
  EXPECT_THROW(PythonRandom(1).sample(3, 4), Error);
}

}  // namespace
}  // namespace profdb::serving
