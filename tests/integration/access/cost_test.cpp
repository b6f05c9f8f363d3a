#include "integration/access/fixture.hpp"

using namespace svc;
using namespace svc::access;

namespace {

/// Returns the number after `name` in Redis's statistics of script calls, up to the next comma.
double reported(script_bench& bench, std::string const& name) {
  auto const text = bench.text({"INFO", "commandstats"});
  auto const position = text.find(name + "=", text.find("cmdstat_evalsha:"));
  REQUIRE(position != std::string::npos);
  return std::stod(text.substr(position + name.size() + 1));
}

/// Returns the time that Redis spends on the one script that each `call` runs, in microseconds of its own clock.
template <class Call>
double cost_of(script_bench& bench, int calls, Call&& call) {
  bench.command({"CONFIG", "RESETSTAT"});
  for (int i = 0; i < calls; ++i) call();
  CHECK(reported(bench, "calls") == calls);
  return reported(bench, "usec") / calls;
}

/// A machine may be slow for as long as a test runs, so no single time is conclusive. The measured script runs in
/// turns with a script of known work, and the test compares the quickest turns of both.
redis::script const& ten_lengths() {
  static redis::script const script("ten_lengths", "for _ = 1, 10 do redis.call('LLEN', KEYS[1]) end return 1");
  return script;
}
redis::script const& each_element() {
  static redis::script const script("each_element",
                                    "for _ = 1, redis.call('LLEN', KEYS[1]) do "
                                    "redis.call('LMOVE', KEYS[1], KEYS[1], 'LEFT', 'RIGHT') end return 1");
  return script;
}

std::vector<std::int64_t> spread(std::size_t count, std::int64_t first, std::int64_t last) {
  std::vector<std::int64_t> stamps;
  auto const n = static_cast<std::int64_t>(count);
  for (std::int64_t i = 0; i < n; ++i) stamps.push_back(first + (last - first) * i / n);
  return stamps;
}

}  // namespace

TEST_CASE("an admission costs Redis no more than a hundred small commands, however full the window") {
  script_bench bench({&admission::script(), &ten_lengths()});
  struct {
    std::string_view name;
    std::size_t counted;
    std::int64_t newest_age;
    std::int64_t limit;
  } const cases[] = {{"slots free", 100, 0, 2000},
                     {"full", 1000, 0, 1000},
                     {"full, steadily leaving", 999, minute - 2 * second, 1000},
                     {"the largest limit", 99'000, 0, 100'000}};
  for (auto const& c : cases) {
    auto const now = bench.time();
    bench.seed(spread(c.counted, now - minute + second / 10, now - c.newest_age));
    double ours = 1e9, ten = 1e9;
    for (int turn = 0; turn < 40; ++turn) {
      ours = std::min(ours, cost_of(bench, 20, [&] { bench.admit(c.limit, minute); }));
      ten = std::min(ten, cost_of(bench, 20, [&] { bench.evaluate(ten_lengths(), {bench.log}, {}); }));
    }
    MESSAGE(c.name << ": " << ours << " us per call, ten lengths " << ten << " us");
    CHECK(ours <= 10 * ten);
  }
}

TEST_CASE("no list, however long, stalls Redis: no admission visits all of its elements") {
  script_bench bench({&admission::script(), &each_element()});
  constexpr std::size_t many = 100'000;
  struct {
    std::string_view name;
    std::int64_t oldest, newest;  ///< relative to now
    double most;                  ///< limit, relative to the cost of a loop over the list
  } const cases[] = {{"all expired", -3 * minute, -minute, 0.1},
                     {"half expired", -minute - minute / 2, -minute / 2, 0.1},
                     {"all from the future", 2 * second, 3 * second, 0.33},
                     {"half from the future", -minute / 2, minute / 2, 0.33}};
  for (auto const& c : cases) {
    double ours = 1e9, each = 1e9;
    for (int turn = 0; turn < 3; ++turn) {
      auto const now = bench.time();
      bench.seed(spread(many, now + c.oldest, now + c.newest));
      each = std::min(each, cost_of(bench, 1, [&] { bench.evaluate(each_element(), {bench.log}, {}); }));
      ours = std::min(ours, cost_of(bench, 1, [&] { bench.admit(static_cast<std::int64_t>(many), minute); }));
    }
    MESSAGE(c.name << ": " << ours << " us, a loop over the list " << each << " us");
    CHECK(ours <= c.most * each);
  }
}
