// The processor time of the thread that checks: one project's expensive answers do not delay the checks of another.
#include "integration/monitoring/checks/fixture.hpp"
#include "monitoring/checks/http_check.hpp"
#include "svc/core/turns.hpp"
#include "svc/core/work_scheduler.hpp"

#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>

#include <algorithm>
#include <random>

namespace svc::checks {
namespace {

/// A megabyte on which the pattern below defeats a DFA, so that its search takes tenths of a second.
std::string expensive_body() {
  std::minstd_rand random(7);
  std::string out(1'000'000, '0');
  for (auto& each : out) each = random() % 2 == 0 ? '0' : '1';
  out.back() = 'x';
  return out;
}

constexpr char const* expensive = R"({"maxBodyBytes":1048576,"retryStrategy":{"maxRetries":0},"assertions":[
  {"source":"body","comparison":"matches","expected":"1[01]{16}y"}]})";

account_owner shop(std::uint8_t number) {
  return {.project = {{number}}};
}

/// A thread that checks, as the service has it.
struct checking_thread {
  asio::io_context io{1};
  account time{work_scheduler::terms("check_cpu", 1)};
  loop_activity activity{"checks"};
  work_scheduler shares{io, time, "assertions"};
  dns_server dns{knowing({})};
  engine made{io,
              {.names = asking({dns.port()}),
               .policy = loopback_policy(),
               .trust = std::make_shared<egress::trust_store const>(std::initializer_list<std::string>{})},
              &shares};
  std::size_t greedy_left = 0;
  std::vector<milliseconds> small_took{};

  /// With a secret, so that a failure is evaluated again to mask it.
  task<check_outcome> one(std::uint8_t project, std::shared_ptr<check_config const> config) {
    work_for(shop(project));
    auto const values = std::make_shared<check_values>();
    values->all.emplace("KEY", secret_string("hidden"));
    values->secret.emplace_back("KEY");
    auto const got = co_await made.run(config, values, deadline::after(60s));
    CHECK(working_for().project == shop(project).project);
    co_return *got;
  }
  task<> greedy(std::shared_ptr<check_config const> config, int rounds) {
    for (int i = 0; i < rounds; ++i) CHECK(outcome(co_await one(1, config)) == "down assertion_failed");
    --greedy_left;
  }
  task<> small(std::shared_ptr<check_config const> config) {
    while (greedy_left > 0) {
      auto const begun = steady::now();
      CHECK(outcome(co_await one(2, config)) == "up");
      small_took.push_back(std::chrono::duration_cast<milliseconds>(steady::now() - begun));
      steady_timer pause(io, 10ms);
      co_await pause.async_wait(awaiting);
    }
    io.stop();
  }
};

/// The processor time of the assertions of one response.
std::chrono::nanoseconds time_to_evaluate(check_config const& config, std::string const& body) {
  checks::answer answer;
  answer.status = 200;
  answer.body = body;
  auto const& assertions = *dynamic_cast<http_settings const&>(*config.settings).assertions;
  CHECK(assertions.most_steps(answer) > std::uint64_t{1} << 20);
  auto const before = thread_time();
  CHECK(assertions.evaluate(answer, nullptr).known.error.has_value());
  return thread_time() - before;
}

}  // namespace

TEST_CASE("expensive answers of one project delay no check of another, and no turn of the thread takes 50 ms") {
  http_server large(saying(answer_of(200, "", expensive_body()))), little(saying(answer_of(200, "", "fine")));
  checking_thread thread;
  thread.shares.observe(thread.activity);
  auto const dear = parsed({.target = large.url(), .config = expensive});
  auto const cheap = parsed(without_retries({.target = little.url()}));
  constexpr std::size_t checks = 6;
  thread.greedy_left = checks;
  for (std::size_t i = 0; i < checks; ++i) asio::co_spawn(thread.io, thread.greedy(dear, 2), asio::detached);
  asio::co_spawn(thread.io, thread.small(cheap), asio::detached);
  auto const guard = asio::make_work_guard(thread.io);
  turn_meter meter(steady::now(), {});
  auto const begun = steady::now();
  run_turns(thread.io, meter, thread.activity);
  auto const lasted = std::chrono::duration_cast<milliseconds>(steady::now() - begun);

  REQUIRE_FALSE(thread.small_took.empty());
  std::ranges::sort(thread.small_took);
  auto const away = std::chrono::duration<double>(thread.shares.away_activity().longest()).count();
  MESSAGE("longest turn ", std::chrono::duration<double, std::milli>(thread.activity.longest()).count(), " ms, ",
          thread.small_took.size(), " small checks in ", lasted.count(), " ms, the slowest took ",
          thread.small_took.back().count(), " ms, the longest work of the second thread ", away, " s");
  CHECK(thread.small_took.size() > 5);
  // The work would have kept the thread otherwise.
  CHECK(away > 0.05);
  // A failure is evaluated twice, in two pieces.
  auto const once = std::chrono::duration<double>(time_to_evaluate(*dear, expensive_body())).count();
  CHECK(away < 1.6 * once);
  CHECK(thread.activity.longest() < 50ms);
  // On a machine that others use as well.
  CHECK(thread.small_took[thread.small_took.size() / 2] < 50ms);
  CHECK(thread.time.sums_of(shop(1)).project > thread.time.sums_of(shop(2)).project);
}

}  // namespace svc::checks
