#include "svc/core/async_semaphore.hpp"

#include <doctest/doctest.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <memory>
#include <vector>

using namespace svc;
using namespace std::chrono_literals;

namespace {

struct passage_log {
  asio::io_context io{1};
  async_semaphore gate{2};
  std::vector<int> passed{}, gone{};
  int within = 0, most_within = 0;

  void visit(int owner, steady::duration patience = 10s) {
    asio::co_spawn(io, come(owner, patience), asio::detached);
  }
  task<> come(int owner, steady::duration patience) {
    auto const mine = co_await gate.enter(deadline::after(patience));
    (mine ? passed : gone).push_back(owner);
    if (!mine) co_return;
    most_within = std::max(most_within, ++within);
    steady_timer stay(io, 20ms);
    co_await stay.async_wait(awaiting);
    --within;
  }
};

}  // namespace

TEST_CASE("a turnstile lets two through at a time, in the order of their arrival") {
  passage_log log;
  for (int owner = 0; owner < 7; ++owner) log.visit(owner);
  log.io.run();
  CHECK(log.passed == std::vector<int>{0, 1, 2, 3, 4, 5, 6});
  CHECK(log.most_within == 2);
  CHECK(log.gone.empty());
}

TEST_CASE("a visitor that has waited too long leaves, and takes nobody's place") {
  passage_log log;
  for (int owner = 0; owner < 2; ++owner) log.visit(owner);
  log.visit(2, 1ms);
  log.visit(3);
  log.io.run();
  CHECK(log.gone == std::vector<int>{2});
  CHECK(log.passed == std::vector<int>{0, 1, 3});
  log.io.restart();
  for (int owner = 4; owner < 6; ++owner) log.visit(owner);
  log.io.run();
  CHECK(log.passed == std::vector<int>{0, 1, 3, 4, 5});
}

TEST_CASE("visitors that wait or are inside when it ends do no harm") {
  asio::io_context io{1};
  auto gate = std::make_unique<async_semaphore>(1);
  int through = 0;
  auto const come = [](async_semaphore& async_semaphore, asio::io_context& target, int& count) -> task<> {
    auto const mine = co_await async_semaphore.enter(deadline::after(10s));
    ++count;
    steady_timer stay(target, 10s);
    co_await stay.async_wait(awaiting);
  };
  for (int i = 0; i < 3; ++i) asio::co_spawn(io, come(*gate, io, through), asio::detached);
  io.poll();
  CHECK(through == 1);
  gate.reset();
}
