#include "integration/access/fixture.hpp"

using namespace svc;
using namespace svc::access;

namespace {

/// What follows `name` in a section of INFO, up to the next comma.
double told(script_bench& bench, std::string const& section, std::string const& line, std::string const& name) {
  auto const text = bench.text({"INFO", section});
  auto const at = text.find(name + "=", text.find(line + ":"));
  REQUIRE(at != std::string::npos);
  return std::stod(text.substr(at + name.size() + 1));
}

/// The median duration of a call by Redis's own clock, rounded up to one of its buckets.
double median_micros(script_bench& bench) {
  return told(bench, "latencystats", "latency_percentiles_usec_evalsha", "p50");
}

std::vector<std::int64_t> spread(std::size_t count, std::int64_t from, std::int64_t to) {
  std::vector<std::int64_t> stamps;
  auto const n = static_cast<std::int64_t>(count);
  for (std::int64_t i = 0; i < n; ++i) stamps.push_back(from + (to - from) * i / n);
  return stamps;
}

}  // namespace

TEST_CASE("an admission costs Redis a few microseconds, however full the window") {
  script_bench bench;
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
    bench.command({"CONFIG", "RESETSTAT"});
    for (int i = 0; i < 800; ++i) bench.admit(c.limit, minute);
    CHECK(told(bench, "commandstats", "cmdstat_evalsha", "calls") == 800);
    auto const median = median_micros(bench);
    MESSAGE(c.name << ": median " << median << " us per call");
    CHECK(median <= 60);
  }
}

TEST_CASE("no list, however long, stalls Redis") {
  script_bench bench;
  constexpr std::size_t many = 100'000;
  struct {
    std::string_view name;
    std::int64_t oldest, newest;  ///< relative to now
    double bound;                 ///< microseconds; a loop over the list would take five times as long
  } const cases[] = {{"all expired", -3 * minute, -minute, 20'000},
                     {"half expired", -minute - minute / 2, -minute / 2, 20'000},
                     {"all from the future", 2 * second, 3 * second, 80'000},
                     {"half from the future", -minute / 2, minute / 2, 40'000}};
  for (auto const& c : cases) {
    // The quickest of three: noise passes, a loop over the list does not.
    double quickest = 1e9;
    for (int i = 0; i < 3; ++i) {
      auto const now = bench.time();
      bench.seed(spread(many, now + c.oldest, now + c.newest));
      bench.command({"CONFIG", "RESETSTAT"});
      bench.admit(static_cast<std::int64_t>(many), minute);
      quickest = std::min(quickest, told(bench, "commandstats", "cmdstat_evalsha", "usec"));
    }
    MESSAGE(c.name << ": " << quickest << " us");
    CHECK(quickest <= c.bound);
  }
}
