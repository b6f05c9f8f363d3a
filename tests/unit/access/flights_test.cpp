#include "access/read_batches.hpp"

#include "support/run_task.hpp"
#include "unit/access/counting_reader.hpp"

#include <doctest/doctest.h>

using namespace svc;
using namespace svc::access;

namespace {

struct airport {
  auth_read_result join(std::optional<steady::time_point> not_before = {}) {
    return test::run_task(io, tested.join({}, not_before, {}, deadline::after(std::chrono::seconds(5))));
  }

  asio::io_context io{1};
  test::counting_reader reader;
  read_batches reads{io, reader, {50, 50}};
  flights tested{io, reads, [](auth_read_result const&) {}};
};

TEST_CASE("a reader just after a flight has landed") {
  enum class after : std::uint8_t { any, begun_now };
  struct {
    std::string name;
    bool known, fails;
    after wants;
    std::size_t reads;
  } const cases[] = {
      {"joins its record", true, false, after::any, 1},
      {"not when it must have left later", true, false, after::begun_now, 2},
      {"not an absence", false, false, after::any, 2},
      {"not a failure", true, true, after::any, 2},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    airport airport;
    airport.reader.known = c.known;
    airport.reader.fails = c.fails;
    auto const first = airport.join();
    auto const second = airport.join(c.wants == after::any ? std::nullopt : std::optional(steady::now()));
    CHECK(airport.reader.statements.size() == c.reads);
    CHECK(first.outcome == second.outcome);
    CHECK((first.begun == second.begun) == (c.reads == 1));
    if (first.record) CHECK(first.sent >= first.begun);
  }
}

TEST_CASE("a landed record is shared only for a moment") {
  airport airport;
  airport.join();
  // Until nothing is left to do: the flight has been forgotten.
  airport.io.restart();
  airport.io.run();
  airport.join();
  CHECK(airport.reader.statements.size() == 2);
}

TEST_CASE("nobody joins a record that was landed before all were forgotten") {
  airport airport;
  airport.join();
  airport.tested.invalidate_all();
  airport.join();
  CHECK(airport.reader.statements.size() == 2);
}

}  // namespace
