#include "svc/core/kept_running.hpp"

#include <doctest/doctest.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <stdexcept>

using namespace svc;

namespace {

task<> fail_twice(int& runs) {
  if (++runs < 3) throw std::logic_error("a bug");
  co_return;
}

}  // namespace

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
