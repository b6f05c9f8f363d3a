#include "auth/flights.hpp"

#include "support/run_task.hpp"
#include "svc/core/result.hpp"
#include "svc/store/auth_reader.hpp"

#include <doctest/doctest.h>

using namespace svc;
using namespace svc::auth;

namespace {

struct counting_reader final : store::auth_reader {
  task<std::optional<token_record>> read(sha256_digest, deadline) override {
    ++reads;
    if (fails) throw unavailable("gone");
    if (!known) co_return std::nullopt;
    co_return token_record{};
  }
  int reads = 0;
  bool known = true, fails = false;
};

TEST_CASE("who comes just after a flight landed") {
  enum class after : std::uint8_t { any, sent_now };
  struct {
    std::string name;
    bool known, fails;
    after wants;
    int reads;
  } const cases[] = {
      {"joins its record", true, false, after::any, 1},
      {"not when it must have left later", true, false, after::sent_now, 2},
      {"not an absence", false, false, after::any, 2},
      {"not a failure", true, true, after::any, 2},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    asio::io_context io(1);
    counting_reader reader;
    reader.known = c.known;
    reader.fails = c.fails;
    flights tested(io, reader, [](flown const&) {});
    auto const join = [&](std::optional<steady::time_point> not_before) {
      return test::run_task(
          io, tested.join({}, not_before, [] { return true; }, deadline::after(std::chrono::seconds(5))));
    };
    auto const first = join(std::nullopt);
    auto const second = join(c.wants == after::any ? std::nullopt : std::optional(steady::now()));
    CHECK(reader.reads == c.reads);
    CHECK(first.what == second.what);
    CHECK((first.sent == second.sent) == (c.reads == 1));
  }
}

TEST_CASE("a landed record is joined for a moment only") {
  asio::io_context io(1);
  counting_reader reader;
  flights tested(io, reader, [](flown const&) {});
  auto const join = [&] {
    test::run_task(io, tested.join({}, std::nullopt, [] { return true; }, deadline::after(std::chrono::seconds(5))));
  };
  join();
  // Until nothing is left to do: the flight has been forgotten.
  io.restart();
  io.run();
  join();
  CHECK(reader.reads == 2);
}

}  // namespace
