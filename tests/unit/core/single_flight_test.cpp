#include "svc/core/single_flight.hpp"

#include <doctest/doctest.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <string>
#include <vector>

using namespace svc;
using namespace std::chrono_literals;

namespace {

using string_flights = single_flight<std::string, int>;

struct waiting_list {
  asio::io_context io{1};
  std::vector<int> completed{}, late{};

  void wait(int owner, string_flights::flight_ptr f, steady::duration patience = 10s) {
    asio::co_spawn(io, stand(owner, std::move(f), patience), asio::detached);
  }
  task<> stand(int owner, string_flights::flight_ptr f, steady::duration patience) {
    co_await string_flights::wait(f, deadline::after(patience));
    (f->done ? completed : late).push_back(owner);
  }
};

}  // namespace

TEST_CASE("a flight is found only by its key, from its start until it is removed") {
  string_flights all;
  CHECK_FALSE(all.find("a"));
  auto const f = all.lead("a");
  CHECK(all.find("a") == f);
  CHECK_FALSE(all.find("b"));
  f->outcome = 7;
  all.complete(f);
  CHECK(all.find("a")->outcome == 7);
  all.remove("a", f);
  CHECK_FALSE(all.find("a"));
  all.remove("a", f);
}

TEST_CASE("a newer flight replaces an older one, which does not end that") {
  string_flights all;
  auto const older = all.lead("a");
  auto const newer = all.lead("a");
  CHECK(newer->begun >= older->begun);
  CHECK(all.find("a") == newer);
  all.remove("a", older);
  CHECK(all.find("a") == newer);
}

TEST_CASE("forgetting all ends joining, and no waiting") {
  waiting_list waiting_list;
  string_flights all;
  auto const f = all.lead("a");
  all.lead("b");
  waiting_list.wait(1, f);
  all.invalidate_all();
  CHECK_FALSE(all.find("a"));
  CHECK_FALSE(all.find("b"));
  waiting_list.io.poll();
  all.complete(f);
  waiting_list.io.run();
  CHECK(waiting_list.completed == std::vector{1});
}

TEST_CASE("landing wakes those that wait for this flight, in the order of their arrival") {
  waiting_list waiting_list;
  string_flights all;
  auto const older = all.lead("a");
  for (int owner = 0; owner < 3; ++owner) waiting_list.wait(owner, older);
  auto const newer = all.lead("a");
  waiting_list.wait(3, newer, 20ms);
  waiting_list.io.poll();
  CHECK(waiting_list.completed.empty());
  all.complete(older);
  waiting_list.io.poll();
  CHECK(waiting_list.completed == std::vector<int>{0, 1, 2});
  waiting_list.io.run();
  CHECK(waiting_list.late == std::vector<int>{3});
}

TEST_CASE("a caller after the landing does not wait") {
  waiting_list waiting_list;
  string_flights all;
  auto const f = all.lead("a");
  all.complete(f);
  waiting_list.wait(0, f, 1h);
  waiting_list.io.poll();
  CHECK(waiting_list.completed == std::vector<int>{0});
}

TEST_CASE("a caller whose deadline passes leaves, and the flight completes for the others") {
  waiting_list waiting_list;
  string_flights all;
  auto const f = all.lead("a");
  waiting_list.wait(0, f, 1ms);
  waiting_list.wait(1, f);
  while (waiting_list.late.empty()) waiting_list.io.run_one();
  CHECK(waiting_list.late == std::vector<int>{0});
  CHECK(f->waiting.size() == 1);
  all.complete(f);
  waiting_list.io.run();
  CHECK(waiting_list.completed == std::vector<int>{1});
  CHECK(f->waiting.empty());
}

TEST_CASE("a flight may complete after its register has been destroyed") {
  waiting_list waiting_list;
  string_flights::flight_ptr f;
  {
    string_flights all;
    f = all.lead("a");
    waiting_list.wait(0, f);
    waiting_list.io.poll();
  }
  string_flights::complete(f);
  waiting_list.io.run();
  CHECK(waiting_list.completed == std::vector<int>{0});
}
