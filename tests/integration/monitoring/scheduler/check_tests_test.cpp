// Checks of monitors that are not saved: of one thread for another.
#include "svc/monitoring/scheduler/check_tests.hpp"

#include <doctest/doctest.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>

#include <atomic>
#include <thread>
#include <vector>

using namespace svc;
using namespace std::chrono_literals;

namespace {

using answers = std::vector<result<scheduler::check_report>>;

/// A check worker's thread, on which checks take until `done`, and the thread of who asks.
struct two_threads {
  two_threads() : worker_([this] { there.run(); }) {}
  ~two_threads() {
    policy_.reset();
    there.stop();
    worker_.join();
  }

  static task<scheduler::check_end> run(two_threads* threads, scheduler::check_order order) {
    ++threads->begun;
    if (order.type == "busy") co_return scheduler::skip_reason::target_busy;
    if (order.type == "unread") co_return scheduler::skip_reason::values_unread;
    if (order.type == "throws") throw std::runtime_error("a fault");
    steady_timer pause(co_await asio::this_coro::executor);
    while (!threads->done) {
      pause.expires_after(1ms);
      auto [ec] = co_await pause.async_wait(awaiting);
      if (ec) break;
    }
    scheduler::check_report out;
    out.attempts = 3;
    co_return out;
  }

  void ask(scheduler::check_order order, answers& into, deadline until = deadline::after(10s)) {
    asio::co_spawn(here, tests.run(std::move(order), until),
                   [&into](std::exception_ptr failed, result<scheduler::check_report> got) {
                     if (failed) got = error(errc::unavailable);
                     into.push_back(std::move(got));
                   });
  }
  void until_answered(answers const& all, std::size_t count) {
    here.restart();
    while (all.size() < count) here.run_one();
  }
  void until_begun(int count) const {
    while (begun < count) std::this_thread::sleep_for(1ms);
  }
  bool stop() {
    std::atomic<int> ended{-1};
    asio::co_spawn(there, tests.stop(deadline::after(5s)),
                   [&](std::exception_ptr, bool all) { ended = all ? 1 : 0; });
    while (ended < 0) std::this_thread::sleep_for(1ms);
    return ended == 1;
  }

  asio::io_context here{1}, there{1};
  std::atomic<bool> done{false};
  std::atomic<int> begun{0};
  scheduler::check_tests tests{there, [this](scheduler::check_order order) { return run(this, std::move(order)); }};

 private:
  asio::executor_work_guard<asio::io_context::executor_type> policy_{there.get_executor()};
  std::thread worker_;
};

}  // namespace

TEST_CASE("an unsaved monitor's result is returned, or the reason why there is none") {
  two_threads t;
  t.done = true;
  answers got;
  struct {
    std::string type;
    std::optional<errc> fails;
  } const cases[] = {{"good", std::nullopt},
                     {"busy", errc::rate_limited},
                     {"unread", errc::unavailable},
                     {"throws", errc::unavailable}};
  for (auto const& c : cases) {
    CAPTURE(c.type);
    got.clear();
    t.ask({.type = c.type}, got);
    t.until_answered(got, 1);
    CHECK(got[0].has_value() == !c.fails.has_value());
    if (c.fails) CHECK(got[0].error().code == *c.fails);
    if (!c.fails) CHECK(got[0]->attempts == 3);
  }
}

TEST_CASE("an organization has a share of the slots, and they are returned") {
  two_threads t;
  auto const id = uuid::generate_v7();
  answers mine, others;
  for (std::size_t i = 0; i < scheduler::check_tests::most_of_organization; ++i) t.ask({.organization = id}, mine);
  t.here.restart();
  t.here.poll();
  t.until_begun(static_cast<int>(scheduler::check_tests::most_of_organization));
  answers refused;
  t.ask({.organization = id}, refused);
  t.until_answered(refused, 1);
  CHECK(refused[0].error().code == errc::rate_limited);
  for (auto left = scheduler::check_tests::most - scheduler::check_tests::most_of_organization; left > 0; --left)
    t.ask({.organization = uuid::generate_v7()}, others);
  t.here.restart();
  t.here.poll();
  t.until_begun(static_cast<int>(scheduler::check_tests::most));
  t.ask({.organization = uuid::generate_v7()}, refused);
  t.until_answered(refused, 2);
  CHECK(refused[1].error().code == errc::overloaded);
  t.done = true;
  t.until_answered(mine, scheduler::check_tests::most_of_organization);
  t.until_answered(others, scheduler::check_tests::most - scheduler::check_tests::most_of_organization);
  CHECK(std::ranges::all_of(mine, [](auto const& each) { return each.has_value(); }));
  answers again;
  t.ask({.organization = id}, again);
  t.until_answered(again, 1);
  CHECK(again[0].has_value());
}

TEST_CASE("a request that waited long enough gets no result, and a worker that stops cancels its checks") {
  two_threads t;
  answers got;
  t.ask({}, got, deadline::after(20ms));
  t.until_answered(got, 1);
  CHECK(got[0].error().code == errc::unavailable);
  t.ask({}, got);
  t.here.restart();
  t.here.poll();
  t.until_begun(2);
  CHECK(t.stop());
  t.until_answered(got, 2);
  CHECK(got[1].error().code == errc::unavailable);
  // Its loop ends behind that, and nobody takes what is posted to it.
  t.there.stop();
  t.ask({}, got);
  t.until_answered(got, 3);
  CHECK(got[2].error().code == errc::overloaded);
}
