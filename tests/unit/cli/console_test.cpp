#include "cli/console/console.hpp"

#include "cli/console/failure.hpp"
#include "unit/cli/ends.hpp"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <csignal>

using namespace svc::cli;
using svc::test::ends;

namespace {

surroundings const on_terminals{.out_terminal = true, .err_terminal = true, .columns_wanted = 20};

exit_code exit_of_failure(auto const& act) {
  try {
    act();
  } catch (failure const& f) {
    return f.exit();
  }
  return exit_code::deadline;  // none that the console knows
}

}  // namespace

TEST_CASE("colours are written to terminals, unless they are refused, or wherever they are wanted") {
  struct {
    char const* name;
    surroundings around;
    bool wanted, refused;
    bool out, err;
  } const cases[] = {
      {"pipes", {}, false, false, false, false},
      {"terminals", {.out_terminal = true, .err_terminal = true}, false, false, true, true},
      {"one terminal", {.err_terminal = true}, false, false, false, true},
      {"NO_COLOR", {.out_terminal = true, .err_terminal = true, .colour_refused = true}, false, false, false, false},
      {"never", {.out_terminal = true, .err_terminal = true}, false, true, false, false},
      {"always, into pipes", {}, true, false, true, true},
      {"always beats NO_COLOR", {.out_terminal = true, .colour_refused = true}, true, false, true, true},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    console console(c.around);
    console.choose(format::text, "", c.wanted, c.refused);
    CHECK(console.colour_out() == c.out);
    CHECK(console.colour_err() == c.err);
  }
}

TEST_CASE("a template that is wrong is refused before anything is sent") {
  console console(surroundings{});
  CHECK(exit_of_failure([&] { console.choose(format::templated, "{id", false, false); }) == exit_code::usage);
}

TEST_CASE("data is kept back in pipes until it is flushed, and written at once to terminals") {
  ends piped;
  console target(surroundings{}, piped.out(), piped.err());
  target.data_line("a");
  CHECK(piped.written_out().empty());
  target.flush();
  CHECK(piped.written_out() == "a\n");
  ends seen;
  console terminal(on_terminals, seen.out(), seen.err());
  terminal.data_line("a");
  CHECK(seen.written_out() == "a\n");
}

TEST_CASE("a reader that closes the pipe ends the command quietly, unless its exit code matters more") {
  ::signal(SIGPIPE, SIG_IGN);
  ends gone;
  gone.close_reader();
  console target(surroundings{}, gone.out(), gone.err());
  target.data("a");
  CHECK(exit_of_failure([&] { target.flush(); }) == exit_code::ok);
  console waits(surroundings{}, gone.out(), gone.err());
  waits.outlive_reader();
  waits.data("a");
  CHECK_NOTHROW(waits.flush());
  CHECK(gone.written_err().empty());
}

TEST_CASE("data that cannot be written is a failure") {
  int const full = ::open("/dev/full", O_WRONLY);
  REQUIRE(full >= 0);
  console console(surroundings{}, full, full);
  console.data("a");
  CHECK(exit_of_failure([&] { console.flush(); }) == exit_code::unreachable);
  ::close(full);
}

TEST_CASE("progress is one line, shortened, gone before anything else is written") {
  ends seen;
  console console(on_terminals, seen.out(), seen.err());
  console.progress("waiting for a run that has a long name");
  CHECK(seen.written_err() == "\rwaiting for a run …\x1b[K");
  console.note("done");
  CHECK(seen.written_err() == "\r\x1b[Kdone\n");
  console.progress("again");
  seen.written_err();
  console.data("row\n");
  CHECK(seen.written_err() == "\r\x1b[K");
  console.progress("");
  CHECK(seen.written_err().empty());
}

TEST_CASE("progress is drawn at most ten times a second") {
  ends seen;
  console console(on_terminals, seen.out(), seen.err());
  auto const begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 1000; ++i) console.progress("x");
  auto const took = std::chrono::steady_clock::now() - begin;
  auto const text = seen.written_err();
  auto const drawn = std::count(text.begin(), text.end(), 'x');
  CHECK(drawn >= 1);
  CHECK(drawn <= 1 + took / std::chrono::milliseconds(100));
}

TEST_CASE("there is no progress where it cannot be written over, nor with --quiet") {
  surroundings const nowhere[] = {{}, {.out_terminal = true}, {.err_terminal = true, .dumb = true}};
  for (auto const& around : nowhere) {
    ends seen;
    console target(around, seen.out(), seen.err());
    target.progress("x");
    CHECK(seen.written_err().empty());
  }
  ends seen;
  console target(on_terminals, seen.out(), seen.err());
  target.choose(format::quiet, "", false, false);
  target.progress("x");
  target.note("not with --quiet either");
  target.warn("but warnings are");
  CHECK(seen.written_err() == "warning: but warnings are\n");
}

TEST_CASE("a terminal's width may be set by COLUMNS, and pipes have none") {
  CHECK(console({.out_terminal = true, .columns_wanted = 33}).width() == 33);
  CHECK(console({.columns_wanted = 33}).width() == 0);
}
