// Batches on their way between two threads (importer/batch_exchange.h).
#include "importer/batch_exchange.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <thread>

namespace profdb::importer {
namespace {

using Exchange = BatchExchange<int>;

// Fills the numbers 1..count until nobody takes them; returns how many were handed over.
int fill(Exchange& exchange, int count) {
  for (int i = 1; i <= count; ++i) {
    int* const batch = exchange.take_empty();
    if (batch == nullptr) return i - 1;
    *batch = i;
    exchange.put_full(batch);
  }
  return count;
}

TEST(BatchExchange, BatchesArriveInOrderAndGoRound) {
  Exchange exchange(3);
  std::thread filler([&] {
    fill(exchange, 10'000);
    exchange.end(nullptr);
  });
  int expected = 0;
  while (int* const batch = exchange.take_full()) {
    EXPECT_EQ(*batch, ++expected);
    exchange.put_empty(batch);
  }
  EXPECT_EQ(expected, 10'000);
  filler.join();
}

TEST(BatchExchange, AFailureComesAfterTheBatchesBeforeIt) {
  Exchange exchange(3);
  std::thread filler([&] {
    fill(exchange, 2);
    exchange.end(std::make_exception_ptr(std::runtime_error("line 3")));
  });
  filler.join();
  EXPECT_EQ(*exchange.take_full(), 1);
  EXPECT_EQ(*exchange.take_full(), 2);
  EXPECT_THROW(exchange.take_full(), std::runtime_error);
}

TEST(BatchExchange, FillingEndsOnceNobodyTakesBatches) {
  Exchange exchange(3);
  int filled = -1;
  std::thread filler([&] { filled = fill(exchange, 10); });
  EXPECT_EQ(*exchange.take_full(), 1);
  exchange.leave();
  filler.join();
  EXPECT_GE(filled, 1);
  EXPECT_LE(filled, 3);
}

}  // namespace
}  // namespace profdb::importer
