#include "svc/core/spawn_task.hpp"

#include "svc/core/log.hpp"
#include "svc/core/loop_activity.hpp"
#include "svc/core/result.hpp"
#include "svc/core/turns.hpp"

#include <doctest/doctest.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>

#include <new>
#include <stdexcept>

namespace svc {
namespace {

enum class ending : std::uint8_t { returns, throws, runs_out_of_memory, throws_a_number, loses_a_store };

task<int> end_with(ending ending) {
  co_await others_turn();
  switch (ending) {
    case ending::returns:
      break;
    case ending::throws:
      throw std::logic_error("a bug");
    case ending::runs_out_of_memory:
      throw std::bad_alloc();
    case ending::throws_a_number:
      throw 7;
    case ending::loses_a_store:
      throw unavailable("PostgreSQL is gone");
  }
  co_return 1;
}

task<> end_quietly(ending ending) {
  co_await end_with(ending);
}

TEST_CASE("an exception of a coroutine that nobody waits for is counted, and its thread continues") {
  struct {
    ending ending;
    std::uint64_t counted;
  } const cases[] = {{ending::returns, 0},
                     {ending::throws, 1},
                     {ending::runs_out_of_memory, 1},
                     {ending::throws_a_number, 1},
                     {ending::loses_a_store, 0}};
  for (auto const& c : cases) {
    CAPTURE(static_cast<int>(c.ending));
    asio::io_context io{1};
    loop_activity activity("test");
    turn_meter meter(steady::now(), {});
    bool went_on = false;
    spawn_task(io, end_quietly(c.ending));
    spawn_task(io.get_executor(), end_with(c.ending));
    asio::post(io, [&] { asio::post(io, [&] { went_on = true; }); });
    run_turns(io, meter, activity);
    CHECK(went_on);
    // With a result and without one.
    CHECK(activity.failures() == 2 * c.counted);
  }
}

TEST_CASE("an exception of a coroutine that nobody waits for does not leave a loop without an activity") {
  asio::io_context io{1};
  bool went_on = false;
  spawn_task(io, end_quietly(ending::throws));
  asio::post(io, [&] { went_on = true; });
  CHECK_NOTHROW(io.run());
  CHECK(went_on);
}

task<> fail_twice(int& runs) {
  if (++runs < 3) throw std::logic_error("a bug");
  co_return;
}

TEST_CASE("a loop that fails is reset and starts again, until it returns or is no longer wanted") {
  asio::io_context io{1};
  int runs = 0, resets = 0, unwanted = 0;
  asio::co_spawn(io,
                 keep_running(
                     "the work of a test", [] { return true; }, [&] { ++resets; }, [&] { return fail_twice(runs); }),
                 asio::detached);
  asio::co_spawn(io,
                 keep_running(
                     "the work of a test", [&] { return unwanted == 0; }, {},
                     [&]() -> task<> {
                       ++unwanted;
                       throw std::logic_error("a bug");
                       co_return;
                     }),
                 asio::detached);
  io.run();
  CHECK(runs == 3);
  CHECK(resets == 2);
  CHECK(unwanted == 1);
}

}  // namespace
}  // namespace svc
