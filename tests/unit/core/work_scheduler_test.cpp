#include "svc/core/work_scheduler.hpp"

#include "svc/core/result.hpp"
#include "svc/core/turns.hpp"

#include <doctest/doctest.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>

#include <string>
#include <thread>
#include <vector>

using namespace svc;
using namespace std::chrono_literals;

namespace {

account_owner shop(std::uint8_t number) {
  return {.project = {{number}}};
}

constexpr auto share = std::chrono::nanoseconds(work_scheduler::window) / work_scheduler::share_divisor;

struct scheduler_fixture {
  asio::io_context io{1};
  account time{work_scheduler::terms("test_cpu", 1)};
  work_scheduler shares{io, time, "second"};
  std::string order{};

  /// Spends this much more than the share of a project.
  void exceed(std::uint8_t number, std::chrono::nanoseconds agent = 1ms) {
    shares.spend(shop(number), share + agent, steady::now());
  }
  task<> work(std::uint8_t number, char mark) {
    co_await shares.turn(shop(number));
    order += mark;
  }
  void start(std::uint8_t number, char mark) { asio::co_spawn(io, work(number, mark), asio::detached); }
};

}  // namespace

TEST_CASE_FIXTURE(scheduler_fixture,
                  "a project waits only beyond its share, and is counted only if others want the thread") {
  CHECK_FALSE(shares.must_wait(shop(1)));
  shares.spend(shop(1), share, steady::now());
  CHECK_FALSE(shares.must_wait(shop(1)));
  exceed(1);
  CHECK(shares.must_wait(shop(1)));
  CHECK(time.refused() == 0);  // the only project
  shares.spend(shop(2), 1ms, steady::now());
  CHECK_FALSE(shares.must_wait(shop(2)));
  CHECK(shares.must_wait(shop(1)));
  CHECK(time.refused() == 1);
  CHECK(time.held() >= 1'000'000'000);
}

TEST_CASE_FIXTURE(scheduler_fixture,
                  "of those beyond their share the one that spent least goes first, and all others between") {
  exceed(1, 50ms);
  exceed(2, 10ms);
  for (char mark : {'a', 'b', 'c'}) start(1, mark);
  start(2, 'X');
  start(3, '-');  // within its share
  // A task that becomes ready later still runs before the rest of the line.
  asio::post(io, [&] { asio::post(io, [&] { asio::post(io, [&] { order += '.'; }); }); });
  io.run();
  CHECK(order.find('-') < order.find('a'));
  CHECK(order.find('X') < order.find('a'));
  CHECK(order.find('.') < order.find('c'));
  CHECK(order.find('a') < order.find('b'));
  CHECK(order.find('b') < order.find('c'));
  CHECK(order.size() == 6);
}

TEST_CASE_FIXTURE(scheduler_fixture,
                  "work on the second thread is charged to its project, and its exceptions come back") {
  auto const here = std::this_thread::get_id();
  auto const busy = [](milliseconds time_of_thread) {
    for (auto const until = thread_time() + time_of_thread; thread_time() < until;) {
    }
  };
  bool failed = false, other = false;
  asio::co_spawn(
      io,
      [&]() -> task<> {
        co_await shares.away(shop(1), [&] {
          other = std::this_thread::get_id() != here;
          CHECK(working_for().project == shop(1).project);
          busy(30ms);
        });
        CHECK(std::this_thread::get_id() == here);
        try {
          co_await shares.away(shop(1), [] { throw unavailable("a reason"); });
        } catch (unavailable const&) {
          failed = true;
        }
        shares.stop();
        bool ran = false, refused = false;
        try {
          co_await shares.away(shop(1), [&] { ran = true; });
        } catch (unavailable const&) {
          refused = true;
        }
        CHECK_FALSE(ran);
        CHECK(refused);
        io.stop();
      },
      asio::detached);
  auto const guard = asio::make_work_guard(io);
  io.run();
  CHECK(other);
  CHECK(failed);
  CHECK(time.sums_of(shop(1)).project >= 30'000'000);
  CHECK(time.sums_of(shop(1)).project < 1'000'000'000);
}

TEST_CASE_FIXTURE(scheduler_fixture, "on the second thread the project that has spent the least goes first") {
  exceed(1);
  std::string ran;
  auto const entry = [&](std::uint8_t number, char mark) -> task<> {
    co_await shares.away(shop(number), [&ran, mark] {
      ran += mark;
      std::this_thread::sleep_for(1ms);
    });
    if (ran.size() == 4) io.stop();
  };
  for (char mark : {'a', 'b', 'c'}) asio::co_spawn(io, entry(1, mark), asio::detached);
  asio::co_spawn(io, entry(2, 'X'), asio::detached);
  auto const guard = asio::make_work_guard(io);
  io.run();
  CHECK(ran == "aXbc");
}
