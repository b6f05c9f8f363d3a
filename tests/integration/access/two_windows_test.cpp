// Tests requests that count in two windows of a user: in both, or in neither.
#include "integration/access/fixture.hpp"

#include <random>

using namespace svc;
using namespace svc::access;

namespace {

constexpr class_window cli{rate_class::cli, {12, 60}}, probe{rate_class::probe, {5, 60}};

/// Asks like the service, for one subject, several requests at a time.
std::vector<limit_decision> ask_together(script_bench& bench, admission& shared, std::vector<bool> const& both) {
  std::vector<limit_decision> out(both.size());
  auto const entry = [](admission& admission, bool two, limit_decision& into) -> task<> {
    auto const reply = co_await admission.admit(
        {"s", epoch_mode::none, 0, cli.which, cli.window, two ? std::optional(probe) : std::nullopt},
        deadline::after(std::chrono::seconds(10)));
    REQUIRE((reply.verdict == admission_verdict::ok || reply.verdict == admission_verdict::denied));
    into = reply.decision;
  };
  std::size_t left = both.size();
  for (std::size_t i = 0; i < both.size(); ++i)
    asio::co_spawn(bench.loop().io, entry(shared, both[i], out[i]), [&](std::exception_ptr failed) {
      --left;
      if (failed) std::rethrow_exception(failed);
    });
  bench.loop().io.restart();
  while (left > 0) bench.loop().io.run_one();
  return out;
}

/// Returns the promised decision, for windows in which no stamp expires.
limit_decision expected(std::int64_t& in_cli, std::int64_t& in_probe, bool both) {
  limit_decision first{cli.which, cli.window, in_cli < cli.window.limit};
  limit_decision second{probe.which, probe.window, in_probe < probe.window.limit};
  if (first.admitted && (!both || second.admitted)) {
    ++in_cli;
    in_probe += both ? 1 : 0;
  }
  first.remaining = static_cast<std::uint32_t>(cli.window.limit - in_cli);
  second.remaining = static_cast<std::uint32_t>(probe.window.limit - in_probe);
  if (!both) return first;
  return shown_of(first, second);
}

}  // namespace

TEST_CASE("requests of one call that count in one window or in two: each answer is the model's") {
  script_bench bench;
  admission shared(bench.client());
  std::mt19937_64 draw(7);
  int full_probe = 0, full_cli = 0;
  for (int round = 0; round < 200; ++round) {
    CAPTURE(round);
    bench.command({"FLUSHALL"});
    std::int64_t in_cli = 0, in_probe = 0;
    for (int call = 0; call < 3; ++call) {
      std::vector<bool> both(std::uniform_int_distribution<std::size_t>(1, 9)(draw));
      for (std::size_t i = 0; i < both.size(); ++i) both[i] = draw() % 2 == 0;
      auto const got = ask_together(bench, shared, both);
      for (std::size_t i = 0; i < both.size(); ++i) {
        CAPTURE(i);
        auto const want = expected(in_cli, in_probe, both[i]);
        CHECK(got[i].admitted == want.admitted);
        if (in_cli == cli.window.limit && in_probe == probe.window.limit && both[i])
          continue;  // microseconds decide which one is full for longer
        CHECK(got[i].which == want.which);
        CHECK(got[i].remaining == want.remaining);
        full_probe += !want.admitted && want.which == rate_class::probe ? 1 : 0;
        full_cli += !want.admitted && want.which == rate_class::cli ? 1 : 0;
      }
    }
    CHECK(bench.command({"LLEN", "svc:{s}:w:cli:60"}).number == in_cli);
    CHECK(bench.command({"LLEN", "svc:{s}:w:probe:60"}).number == in_probe);
  }
  CHECK(full_probe > 50);
  CHECK(full_cli > 50);
}

TEST_CASE("two full windows: the answer names the one that is full for longer") {
  script_bench bench;
  auto const replies = [&](std::string const& second) {
    return bench.evaluate(admission::script(), {"svc:{s}:w:cli:1", "svc:{s}:epoch", second, "svc:{s}:epoch"},
                          {"none", "0", "1", "1000000", "0", "also", "0", "1", "60000000", "0"});
  };
  auto const read = [](redis::reply const& all) {
    return read_admission_reply({redis::delivery::answered, all.elements.at(0)}, {rate_class::cli, {1, 1}},
                                class_window{rate_class::probe, {1, 60}});
  };
  CHECK(read(replies("svc:{s}:w:probe:60")).decision.admitted);
  auto const full = read(replies("svc:{s}:w:probe:60")).decision;
  CHECK_FALSE(full.admitted);
  CHECK(full.which == rate_class::probe);
  CHECK(full.retry_micros - full.now_micros > 50 * second);
}

TEST_CASE("a stale request counts in neither window") {
  script_bench bench;
  bench.command({"SET", "svc:{s}:epoch", "9"});
  auto const got = bench.evaluate(admission::script(),
                                  {"svc:{s}:w:cli:60", "svc:{s}:epoch", "svc:{s}:w:probe:60", "svc:{s}:epoch"},
                                  {"cached", "8", "5", "60000000", "0", "also", "0", "5", "60000000", "0"});
  REQUIRE(got.elements.size() == 1);
  CHECK(got.elements[0].elements.at(0).text == "STALE");
  CHECK(bench.command({"EXISTS", "svc:{s}:w:cli:60", "svc:{s}:w:probe:60"}).number == 0);
}

TEST_CASE("a second window with room to spare keeps expired stamps, and is exact before it refuses") {
  script_bench bench;
  std::string const shared = "svc:{s}:w:project:1";
  auto const trigger = [&](int key, std::int64_t limit) {
    auto const replies = bench.evaluate(
        admission::script(), {"svc:{s}:w:trigger:" + std::to_string(key), "svc:{s}:epoch", shared, "svc:{s}:epoch"},
        {"none", "0", std::to_string(limit), "60000000", "0", "also", "0", "4", std::to_string(second), "0"});
    return read_admission_reply({redis::delivery::answered, replies.elements.at(0)},
                                {rate_class::trigger, {static_cast<std::uint32_t>(limit), 60}},
                                class_window{rate_class::project, {4, 1}})
        .decision;
  };
  std::int64_t const start = bench.time();
  // Keys have one slot each. The project has more room until its last slot, which is then as tight and is shown.
  for (int key = 0; key < 4; ++key) {
    auto const got = trigger(key, 1);
    CHECK(got.admitted);
    CHECK(got.remaining == 0);
    CHECK(got.which == (key == 3 ? rate_class::project : rate_class::trigger));
  }
  auto const fifth = trigger(4, 1);
  CHECK_FALSE(fifth.admitted);
  CHECK(fifth.which == rate_class::project);
  REQUIRE(bench.time() - start < second);  // otherwise the machine stood still, and the window has moved on
  CHECK(bench.command({"LLEN", "svc:{s}:w:trigger:4"}).number == 0);

  bench.pass(fifth.retry_micros + second);
  CHECK(trigger(5, 100).remaining == 3);
  CHECK(bench.command({"LLEN", shared}).number == 1);
  // If the key is tighter, the project's expired stamps stay where they are.
  bench.pass(bench.time() + second + 1000);
  CHECK(trigger(6, 2).which == rate_class::trigger);
  CHECK(bench.command({"LLEN", shared}).number == 2);
  CHECK(trigger(7, 100).remaining == 2);
  CHECK(bench.command({"LLEN", shared}).number == 2);
}
