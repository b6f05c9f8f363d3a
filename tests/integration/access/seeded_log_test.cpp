#include "integration/access/fixture.hpp"

#include <random>

using namespace svc;
using namespace svc::access;

namespace {

/// True if `now` is Redis's time, which was read before and after, or the newest stamp if that is at most a second
/// ahead.
void check_time(std::int64_t now, std::int64_t newest, std::int64_t before, std::int64_t after) {
  bool const may_stand_still = newest > before && newest - after <= second;
  bool const must_stand_still = newest > after && newest - before <= second;
  bool const its_own = before <= now && now <= after;
  CHECK((now == newest ? may_stand_still || its_own : !must_stand_still && its_own));
}

/// Asks once, and compares answer and log with the model. Returns the answer.
limit_decision ask_and_compare(script_bench& bench, window_model& model, std::int64_t limit) {
  auto const before = bench.time();
  auto const got = bench.admit(limit, model.window);
  check_time(got.now_micros, model.stamps.empty() ? 0 : model.stamps.back(), before, bench.time());
  CHECK(answer_of(got) == model.ask(got.now_micros, limit));
  CHECK(bench.stamps() == model.stamps);
  if (!model.stamps.empty()) CHECK(bench.life(bench.log) > 0);
  return got;
}

/// `count` stamps between `first` and `last`, oldest first, some of them equal.
std::vector<std::int64_t> between(std::mt19937_64& draw, std::size_t count, std::int64_t first, std::int64_t last) {
  std::vector<std::int64_t> stamps(count);
  for (auto& stamp : stamps) stamp = std::uniform_int_distribution(first, last)(draw);
  std::sort(stamps.begin(), stamps.end());
  return stamps;
}

void append(std::vector<std::int64_t>& last, std::vector<std::int64_t> const& more) {
  last.insert(last.end(), more.begin(), more.end());
}

}  // namespace

TEST_CASE("however many have expired at once are removed, and nothing else") {
  script_bench bench;
  std::mt19937_64 draw(1);
  constexpr std::int64_t window = minute;
  // Around the counts that are popped singly, halved, and one node of Redis's list (some 800 stamps).
  for (std::size_t const expired : {0, 1, 3, 4, 5, 6, 7, 8, 9, 31, 100, 818, 819, 820, 2500}) {
    for (std::size_t const live : {0, 1, 2, 5, 300, 820}) {
      CAPTURE(expired);
      CAPTURE(live);
      auto const now = bench.time();
      window_model model{window, between(draw, expired, now - 3 * window, now - window)};
      append(model.stamps, between(draw, live, now - window + 10 * second, now));
      bench.seed(model.stamps);
      auto const limit = static_cast<std::int64_t>(std::uniform_int_distribution<std::size_t>(1, live + 2)(draw));
      ask_and_compare(bench, model, limit);
      CHECK(model.stamps.size() == live + (static_cast<std::int64_t>(live) < limit ? 1 : 0));
    }
  }
}

TEST_CASE("the interval is half-open: a stamp expires exactly at the end of its window") {
  script_bench bench;
  constexpr std::int64_t window = minute;
  struct {
    std::string_view name;
    std::int64_t age;  ///< of the older stamps when the request arrives
    std::size_t count;
    bool admitted;
  } const cases[] = {
      {"one microsecond before", window - 1, 1, false},
      {"at the end", window, 1, true},
      {"one microsecond after", window + 1, 1, true},
      {"many before", window - 1, 9, false},
      {"many at the end", window, 9, true},
      {"many after", window + 1, 9, true},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    // A newest stamp that is less than a second ahead of Redis's clock is the time of the decision.
    auto const now = bench.time() + second / 2;
    window_model model{window, std::vector<std::int64_t>(c.count, now - c.age)};
    model.stamps.push_back(now);
    bench.seed(model.stamps);
    auto const got = ask_and_compare(bench, model, static_cast<std::int64_t>(c.count) + 1);
    CHECK(got.now_micros == now);
    CHECK(got.admitted == c.admitted);
    if (!c.admitted) CHECK(got.retry_micros == now + 1);
  }
}

TEST_CASE("a clock up to a second late does not advance; if it is later, future stamps count as now") {
  script_bench bench;
  std::mt19937_64 draw(2);
  constexpr std::int64_t window = minute;
  for (std::int64_t const ahead : {1'000L, 900'000L, 990'000L, 1'020'000L, 1'200'000L, 3 * window}) {
    for (std::size_t const future : {1, 2, 5, 999, 1000, 1001, 2500}) {
      for (std::size_t const live : {0, 1, 7, 900}) {
        for (std::size_t const expired : {0, 3, 40}) {
          CAPTURE(ahead);
          CAPTURE(future);
          CAPTURE(live);
          CAPTURE(expired);
          auto const now = bench.time();
          window_model model{window, between(draw, expired, now - 3 * window, now - window)};
          append(model.stamps, between(draw, live, now - window + 10 * second, now));
          append(model.stamps, between(draw, future, now + ahead / 2, now + ahead));
          model.stamps.back() = now + ahead;
          bench.seed(model.stamps);
          auto const limit =
              std::uniform_int_distribution<std::int64_t>(1, static_cast<std::int64_t>(live + future + 1))(draw);
          ask_and_compare(bench, model, limit);
        }
      }
    }
  }
}

TEST_CASE("a lowered and a raised limit take effect at once, and retry is correct") {
  script_bench bench;
  constexpr std::int64_t window = 600'000;
  auto const now = bench.time();
  window_model model{window, {}};
  for (std::int64_t i = 0; i < 10; ++i) model.stamps.push_back(now - window + 400'000 + i * 15'000);
  auto const counted = model.stamps;
  bench.seed(model.stamps);
  // Ten are counted; under a limit of three the eighth must expire first.
  auto const lowered = ask_and_compare(bench, model, 3);
  CHECK_FALSE(lowered.admitted);
  CHECK(lowered.retry_micros == counted.at(7) + window);
  CHECK(ask_and_compare(bench, model, 11).admitted);
  CHECK_FALSE(ask_and_compare(bench, model, 11).admitted);
  auto const decision = ask_and_compare(bench, model, 1);
  bench.pass(decision.retry_micros);
  CHECK(ask_and_compare(bench, model, 1).admitted);
}

TEST_CASE("a client that waits until retry is admitted, if there was no other") {
  script_bench bench;
  for (std::int64_t const window : {30'000, 70'000, 150'000}) {
    for (std::int64_t const limit : {1, 2, 7}) {
      CAPTURE(window);
      CAPTURE(limit);
      window_model model{window, {}};
      bench.seed({});
      for (int round = 0; round < 3; ++round) {
        auto got = ask_and_compare(bench, model, limit);
        while (got.admitted) got = ask_and_compare(bench, model, limit);
        // Until then each is refused with the same time; the first one after it is admitted.
        auto const retry = got.retry_micros;
        while (!got.admitted) {
          CHECK(got.retry_micros == retry);
          got = ask_and_compare(bench, model, limit);
          CHECK(got.admitted == (got.now_micros >= retry));
        }
      }
    }
  }
}

TEST_CASE("a log outlives the window of its last stamp, by two seconds at most") {
  script_bench bench;
  for (std::int64_t const window : {50'000L, 1'500'000L}) {
    CAPTURE(window);
    bench.seed({});
    auto const until = bench.time() + 1'800'000;  // across the end of a second at least once
    std::int64_t latest = 0;
    while (latest < until) {
      latest = bench.admit(100'000, window).now_micros;
      auto const ends = std::stoll(bench.text({"PEXPIRETIME", bench.log})) * 1000;
      // A second of reserve, more or less the time that a busy machine spends between the script's TIME and its other
      // commands.
      CHECK(ends >= latest + window + second / 2);
      CHECK(ends <= latest + window + 2 * second + second / 5);
    }
  }
  // Also when everything in it is from the future, and the request is refused.
  for (std::int64_t const ahead : {3 * second, 90 * second}) {
    bench.seed(std::vector<std::int64_t>(3, bench.time() + ahead));
    CHECK_FALSE(bench.admit(1, second).admitted);
    CHECK(bench.life(bench.log) > 2000);
    CHECK(bench.life(bench.log) <= 3000);
  }
}
