// acceptance-protocol §6, the time ledger and its union rule.
#include "serving/rules/ledger.h"

#include <gtest/gtest.h>

#include <random>

#include "base/fields.h"
#include "base/utc.h"

namespace profdb::serving {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

LedgerEvent event(const std::string& id, const std::string& category, const std::string& start,
                  const std::string& end, const std::string& parent = "") {
  LedgerEvent made;
  made.event = id;
  made.round = "r";
  made.category = category;
  made.parent = parent;
  if (!start.empty()) made.utc_start_ns = parse_utc("2026-11-07T" + start + "Z");
  if (!end.empty()) made.utc_end_ns = parse_utc("2026-11-07T" + end + "Z");
  return made;
}

TEST(Ledger, GivesTheKnownFigures) {
  EXPECT_EQ(summarize({event("e", "service_prepare", "11:27:00", "11:33:41")}).own_ns.at("e"), 401 * kSecond);
  // 12:14:20 to 12:25:27 is 667 s; 407.86 s measured inside leave 259.14 s.
  LedgerEvent measured = event("m", "perf_measured", "12:16:00", "", "s");
  measured.start_clock_id = measured.end_clock_id = "host/boot";
  measured.monotonic_start_ns = 5 * kSecond;
  measured.monotonic_end_ns = 5 * kSecond + 407'860'000'000;
  const auto summary = summarize({event("s", "service_prepare", "12:14:20", "12:25:27"), measured});
  EXPECT_EQ(summary.own_ns.at("s"), 259'140'000'000);
  EXPECT_EQ(summary.by_category.at("service_prepare").own_ns, 259'140'000'000);
  EXPECT_EQ(summary.by_category.at("service_prepare").union_ns, 667 * kSecond);
  EXPECT_EQ(summary.wall_clock_ns, 667 * kSecond);
  EXPECT_EQ(summary.unattributed_ns, 0);
}

TEST(Ledger, OverlappingEventsCountOnce) {
  const auto summary =
      summarize({event("a", "coding", "10:00:00", "10:00:10"), event("b", "coding", "10:00:05", "10:00:15"),
                 event("c", "analysis", "10:00:12", "10:00:20")});
  EXPECT_EQ(summary.by_category.at("coding").union_ns, 15 * kSecond);
  EXPECT_EQ(summary.by_category.at("analysis").union_ns, 8 * kSecond);
  EXPECT_EQ(summary.wall_clock_ns, 20 * kSecond);
  EXPECT_EQ(summary.active_ns, 20 * kSecond);
}

TEST(Ledger, PausesAndGapsAreNotActive) {
  // 10 s coding, 5 s gap, 10 s pause, 5 s coding.
  const auto summary =
      summarize({event("a", "coding", "10:00:00", "10:00:10"), event("p", "pause", "10:00:15", "10:00:25"),
                 event("b", "coding", "10:00:25", "10:00:30")});
  EXPECT_EQ(summary.wall_clock_ns, 30 * kSecond);
  EXPECT_EQ(summary.unattributed_ns, 5 * kSecond);
  EXPECT_EQ(summary.pause_ns, 10 * kSecond);
  EXPECT_EQ(summary.active_ns, 15 * kSecond);
}

TEST(Ledger, UnknownStaysUnknown) {
  const auto summary =
      summarize({event("a", "coding", "10:00:00", ""), event("b", "analysis", "10:00:05", "10:00:10"),
                 event("c", "knowledge", "10:00:05", "", "b")});
  EXPECT_EQ(summary.by_category.at("coding").union_ns, std::nullopt);
  EXPECT_EQ(summary.by_category.at("coding").unknown_events, 1);
  EXPECT_EQ(summary.own_ns.at("a"), std::nullopt);
  // The child's time is unknown, so what it leaves of its parent is, too.
  EXPECT_EQ(summary.own_ns.at("b"), std::nullopt);
  EXPECT_EQ(summary.by_category.at("analysis").union_ns, 5 * kSecond);
  EXPECT_EQ(summary.by_category.at("analysis").own_ns, std::nullopt);
  EXPECT_EQ(summary.pause_ns, std::nullopt);
  EXPECT_EQ(summary.unknown_events, 2);
  EXPECT_EQ(summary.wall_clock_ns, 10 * kSecond);  // from the known start of a
  EXPECT_EQ(summary.unattributed_ns, 5 * kSecond);
  const auto nothing = summarize({event("a", "coding", "", "")});
  EXPECT_EQ(nothing.wall_clock_ns, std::nullopt);
  EXPECT_EQ(nothing.active_ns, std::nullopt);
  EXPECT_EQ(nothing.unattributed_ns, std::nullopt);
}

TEST(Ledger, TheMonotonicLengthCountsOnlyWithinOneClock) {
  LedgerEvent one = event("a", "coding", "10:00:00", "10:00:10");
  one.monotonic_start_ns = 0;
  one.monotonic_end_ns = 7 * kSecond;
  one.start_clock_id = one.end_clock_id = "host-a/1";
  EXPECT_EQ(length({*placement(one)}), 7 * kSecond);
  one.end_clock_id = "host-b/1";  // ended on another host: its clock says nothing about the length
  EXPECT_EQ(length({*placement(one)}), 10 * kSecond);
  one.utc_end_ns.reset();
  EXPECT_EQ(placement(one), std::nullopt);
  one.end_clock_id = "host-a/1";
  one.monotonic_end_ns = -1;
  EXPECT_EQ(placement(one), std::nullopt);
}

TEST(Ledger, LaterLinesOfAnEventCompleteIt) {
  LedgerEvent start = parse_ledger_event({{"event", "e"},
                                          {"round", "r"},
                                          {"category", "coding"},
                                          {"status", "open"},
                                          {"utc_start", "2026-11-07T10:00:00Z"}});
  merge(start,
        parse_ledger_event(
            {{"event", "e"}, {"round", "r"}, {"status", "ok"}, {"utc_end", "2026-11-07T10:00:01.5Z"}}));
  EXPECT_EQ(start.status, "ok");
  EXPECT_EQ(length({*placement(start)}), 1'500'000'000);
  EXPECT_THROW(
      merge(start, parse_ledger_event({{"event", "e"}, {"round", "r"}, {"utc_end", "2026-11-07T10:00:02Z"}})),
      FieldError);
  EXPECT_THROW(parse_ledger_event({{"event", "e"}, {"round", "r"}, {"category", "sleeping"}}), FieldError);
  EXPECT_THROW(parse_ledger_event({{"event", "e"}, {"round", "r"}, {"utc_start", "yesterday"}}), FieldError);
}

// A timeline of 60 ticks on which every question is answered by looking at each tick.
struct BruteForce {
  static constexpr std::int64_t kTicks = 60;
  const std::vector<LedgerEvent>& events;

  static bool covers(const LedgerEvent& e, std::int64_t tick) {
    return e.utc_start_ns && e.utc_end_ns && *e.utc_start_ns <= tick && tick < *e.utc_end_ns;
  }
  static bool known(const LedgerEvent& e) {
    return e.utc_start_ns && e.utc_end_ns && *e.utc_end_ns >= *e.utc_start_ns;
  }
  template <class Predicate>
  static std::int64_t count(const Predicate& predicate) {
    std::int64_t ticks = 0;
    for (std::int64_t t = 0; t < kTicks; ++t) ticks += predicate(t) ? 1 : 0;
    return ticks;
  }
  bool any(std::int64_t tick, const std::string& category) const {
    return std::any_of(events.begin(), events.end(), [&](const auto& e) {
      return known(e) && covers(e, tick) && (category.empty() || e.category == category);
    });
  }
  bool own_known(const LedgerEvent& e) const {
    return known(e) && std::all_of(events.begin(), events.end(), [&](const auto& child) {
             return child.parent != e.event || known(child);
           });
  }
  bool owns(const LedgerEvent& e, std::int64_t tick) const {
    return own_known(e) && covers(e, tick) &&
           std::none_of(events.begin(), events.end(),
                        [&](const auto& child) { return child.parent == e.event && covers(child, tick); });
  }
};

std::vector<LedgerEvent> random_events(std::mt19937& random) {
  const auto draw = [&random](int from, int to) {
    return std::uniform_int_distribution<int>(from, to)(random);
  };
  std::vector<LedgerEvent> events;
  const char* categories[] = {"coding", "analysis", "pause", "perf_measured"};
  const int count = draw(0, 12);
  for (int i = 0; i < count; ++i) {
    LedgerEvent made;
    made.event = std::to_string(i);
    made.round = "r";
    made.category = categories[draw(0, 3)];
    made.actor = draw(0, 1) == 0 ? "a" : "b";
    if (i > 0 && draw(0, 2) == 0) made.parent = std::to_string(draw(0, i - 1));
    const int start = draw(0, 59);
    if (draw(0, 9) != 0) made.utc_start_ns = start;
    if (draw(0, 9) != 0) made.utc_end_ns = std::min(start + draw(0, 20), 60);
    events.push_back(made);
  }
  return events;
}

TEST(Ledger, AgreesWithABruteForceTimeline) {
  std::mt19937 random(20261107);
  for (int round = 0; round < 2000; ++round) {
    const auto events = random_events(random);
    const auto summary = summarize(events);
    const BruteForce brute{events};
    std::optional<std::int64_t> first;
    std::optional<std::int64_t> last;
    for (const auto& e : events) {
      if (e.utc_start_ns) first = std::min(first.value_or(60), *e.utc_start_ns);
      if (e.utc_end_ns) last = std::max(last.value_or(0), *e.utc_end_ns);
      ASSERT_EQ(summary.own_ns.at(e.event).has_value(), brute.own_known(e));
      if (brute.own_known(e)) {
        ASSERT_EQ(summary.own_ns.at(e.event), brute.count([&](std::int64_t t) { return brute.owns(e, t); }));
      }
    }
    for (const auto& [category, share] : summary.by_category) {
      const auto is_mine = [&, name = category](const LedgerEvent& e) { return e.category == name; };
      if (share.union_ns) {
        ASSERT_EQ(*share.union_ns,
                  brute.count([&, name = category](std::int64_t t) { return brute.any(t, name); }));
      } else {
        ASSERT_TRUE(std::none_of(events.begin(), events.end(),
                                 [&](const auto& e) { return is_mine(e) && brute.known(e); }));
      }
      if (share.own_ns) {
        ASSERT_EQ(*share.own_ns, brute.count([&](std::int64_t t) {
          return std::any_of(events.begin(), events.end(),
                             [&](const auto& e) { return is_mine(e) && brute.owns(e, t); });
        }));
      }
    }
    if (!first || !last || *last < *first) {
      ASSERT_EQ(summary.wall_clock_ns, std::nullopt);
      continue;
    }
    ASSERT_EQ(summary.wall_clock_ns, *last - *first);
    ASSERT_EQ(summary.active_ns,
              brute.count([&](std::int64_t t) { return brute.any(t, "") && !brute.any(t, "pause"); }));
    ASSERT_EQ(summary.unattributed_ns,
              brute.count([&](std::int64_t t) { return t >= *first && t < *last && !brute.any(t, ""); }));
  }
}

}  // namespace
}  // namespace profdb::serving
