#include "integration/access/fixture.hpp"

#include "svc/domain/principal.hpp"

using namespace svc;
using namespace svc::access;

namespace {

constexpr std::int64_t ours = 1'763'635'872'000'010;
constexpr std::int64_t lower = ours - 1, higher = ours + 1;
constexpr auto none = std::nullopt;
constexpr auto kept = std::nullopt;

struct epoch_case {
  std::string_view name;
  epoch_mode mode;
  std::optional<std::int64_t> stored;
  bool stale;
  std::optional<std::int64_t> reported;     ///< nothing: no epoch was stored
  std::optional<std::int64_t> known_epoch;  ///< kept: unchanged
};

constexpr epoch_case epoch_cases[] = {
    {"none, missing", epoch_mode::none, none, false, ours, kept},
    {"none, lower", epoch_mode::none, lower, false, ours, kept},
    {"none, equal", epoch_mode::none, ours, false, ours, kept},
    {"none, higher", epoch_mode::none, higher, false, ours, kept},
    {"cached, missing", epoch_mode::cached, none, true, none, kept},
    {"cached, lower", epoch_mode::cached, lower, true, lower, kept},
    {"cached, equal", epoch_mode::cached, ours, false, ours, kept},
    {"cached, higher", epoch_mode::cached, higher, true, higher, kept},
    {"fresh, missing", epoch_mode::fresh, none, false, ours, ours},
    {"fresh, lower", epoch_mode::fresh, lower, false, ours, ours},
    {"fresh, lower with fewer digits", epoch_mode::fresh, 9, false, ours, ours},
    {"fresh, equal", epoch_mode::fresh, ours, false, ours, kept},
    {"fresh, higher", epoch_mode::fresh, higher, true, higher, kept},
    {"forced, missing", epoch_mode::forced, none, false, ours, ours},
    {"forced, lower", epoch_mode::forced, lower, false, ours, ours},
    {"forced, equal", epoch_mode::forced, ours, false, ours, kept},
    {"forced, higher", epoch_mode::forced, higher, false, higher, kept},
};

struct limit_case {
  std::string_view name;
  std::uint32_t limit;
  std::size_t counted;
  admission_verdict verdict;
  std::size_t counted_after;
};

constexpr limit_case limit_cases[] = {
    {"check only, nothing counted", 0, 0, admission_verdict::ok, 0},
    {"check only, some counted", 0, 3, admission_verdict::ok, 3},
    {"first of one", 1, 0, admission_verdict::ok, 1},
    {"last free slot", 3, 2, admission_verdict::ok, 3},
    {"full", 3, 3, admission_verdict::denied, 3},
    {"more than full", 2, 3, admission_verdict::denied, 3},
};

constexpr std::int64_t least_epoch_life = 24 * 3600 * 900, most_epoch_life = 24 * 3600 * 1100;

void check_case(script_bench& bench, epoch_case const& e, limit_case const& l) {
  CAPTURE(e.name);
  CAPTURE(l.name);
  bench.command({"FLUSHALL"});
  auto const epoch_at = epoch_key("s");
  if (e.stored) bench.command({"SET", epoch_at, std::to_string(*e.stored), "PX", "1000"});
  if (l.counted > 0) bench.seed(std::vector<std::int64_t>(l.counted, bench.time() - 1000));
  auto const before = bench.everything();

  admission asked(bench.client());
  auto const reply = bench.loop().run(
      asked.admit({"s", e.mode, ours, rate_class::cli, {l.limit, 1}}, deadline::after(std::chrono::seconds(10))));

  CHECK(reply.epoch == (e.mode == epoch_mode::none ? std::optional<std::int64_t>(ours) : e.reported));
  auto const after = bench.everything();
  if (e.stale) {
    CHECK(reply.verdict == admission_verdict::stale);
    CHECK(after == before);
    return;
  }
  CHECK(reply.verdict == l.verdict);
  CHECK(bench.stamps().size() == l.counted_after);
  if (l.counted == l.counted_after && l.counted > 0) CHECK(after.at(bench.log) == before.at(bench.log));
  if (e.known_epoch) {
    CHECK(bench.text({"GET", epoch_at}) == std::to_string(*e.known_epoch));
    CHECK(bench.life(epoch_at) > least_epoch_life - 5000);
    CHECK(bench.life(epoch_at) <= most_epoch_life);
  } else {
    CHECK(after.contains(epoch_at) == before.contains(epoch_at));
    if (e.stored) CHECK(after.at(epoch_at) == before.at(epoch_at));
  }
}

}  // namespace

TEST_CASE("each mode against each stored epoch, at each state of the window") {
  script_bench bench;
  for (auto const& e : epoch_cases)
    for (auto const& l : limit_cases) check_case(bench, e, l);
}

TEST_CASE("a flushed Redis is filled only by a request that has just read PostgreSQL") {
  script_bench bench;
  admission asked(bench.client());
  auto const admit = [&](epoch_mode mode, std::int64_t epoch) {
    return bench.loop().run(
        asked.admit({"s", mode, epoch, rate_class::cli, {5, 1}}, deadline::after(std::chrono::seconds(10))));
  };
  CHECK(admit(epoch_mode::fresh, ours).verdict == admission_verdict::ok);
  CHECK(admit(epoch_mode::cached, ours).verdict == admission_verdict::ok);
  bench.command({"FLUSHALL"});
  for (int i = 0; i < 3; ++i) CHECK(admit(epoch_mode::cached, ours).verdict == admission_verdict::stale);
  CHECK(bench.everything().empty());
  CHECK(admit(epoch_mode::fresh, higher).verdict == admission_verdict::ok);
  CHECK(admit(epoch_mode::cached, ours).verdict == admission_verdict::stale);
}

TEST_CASE("keys of one subject share a slot; each class and window has its own log") {
  script_bench bench;
  admission asked(bench.client());
  for (auto const& [which, seconds] :
       {std::pair(rate_class::cli, 1U), std::pair(rate_class::cli, 2U), std::pair(rate_class::refused, 1U)}) {
    auto const reply = bench.loop().run(
        asked.admit({"s", epoch_mode::fresh, ours, which, {1, seconds}}, deadline::after(std::chrono::seconds(10))));
    CHECK(reply.verdict == admission_verdict::ok);
  }
  auto const found = bench.everything();
  CHECK(found.size() == 4);
  for (auto const key : {"svc:{s}:epoch", "svc:{s}:w:cli:1", "svc:{s}:w:cli:2", "svc:{s}:w:refused:1"})
    CHECK(found.contains(key));
}
