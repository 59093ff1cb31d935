// Values as bytes whose order is theirs (importer/write/ordered_bytes.h).
#include "importer/write/ordered_bytes.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace profdb::importer {
namespace {

template <typename Value>
std::string encoded(Value value) {
  std::string bytes;
  append_ordered(bytes, value);
  return bytes;
}

TEST(OrderedBytes, IntegersSortByTheirValueAndComeBack) {
  const std::vector<std::int64_t> ascending = {std::numeric_limits<std::int64_t>::min(),
                                               std::numeric_limits<std::int64_t>::min() + 1,
                                               -4'294'967'297,
                                               -65'537,
                                               -257,
                                               -256,
                                               -255,
                                               -2,
                                               -1,
                                               0,
                                               1,
                                               127,
                                               128,
                                               255,
                                               256,
                                               257,
                                               65'535,
                                               65'536,
                                               4'294'967'296,
                                               std::int64_t{1} << 53,
                                               std::numeric_limits<std::int64_t>::max()};
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    const std::string bytes = encoded(ascending[i]);
    std::string_view rest = bytes;
    EXPECT_EQ(take_integer(rest), ascending[i]);
    EXPECT_TRUE(rest.empty());
    if (i > 0) {
      EXPECT_LT(encoded(ascending[i - 1]), bytes) << ascending[i];
    }
  }
}

TEST(OrderedBytes, ATextComesBeforeTheTextsItBegins) {
  EXPECT_LT(encoded(std::string_view("12")), encoded(std::string_view("12;3")));
  EXPECT_LT(encoded(std::string_view("12")), encoded(std::string_view("120")));
  EXPECT_LT(encoded(std::string_view("")), encoded(std::string_view("0")));
  EXPECT_LT(encoded(std::string_view("9")), encoded(std::string_view("\xC2\xA7")));
}

TEST(OrderedBytes, ValuesComeBackOneAfterTheOther) {
  std::string bytes;
  append_ordered(bytes, std::int64_t{-7});
  append_ordered(bytes, std::string_view("136,5120"));
  append_real(bytes, 12.53);
  append_ordered(bytes, std::string_view(""));
  append_ordered(bytes, std::int64_t{300});
  std::string_view rest = bytes;
  EXPECT_EQ(take_integer(rest), -7);
  EXPECT_EQ(take_text(rest), "136,5120");
  EXPECT_EQ(take_real(rest), 12.53);
  EXPECT_EQ(take_text(rest), "");
  EXPECT_EQ(take_integer(rest), 300);
  EXPECT_TRUE(rest.empty());
}

}  // namespace
}  // namespace profdb::importer
