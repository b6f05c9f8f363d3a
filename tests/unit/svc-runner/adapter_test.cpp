#include "svc-runner/adapter.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace svc::runner;

TEST_CASE("an end by SIGKILL names the possible senders, unless the run's own memory limit was the cause") {
  std::string const senders =
      ", not by this runner: the script may have sent it, the machine may have run out of memory (see its kernel "
      "log), "
      "or another program of the machine sent it";
  struct {
    int exit_code;
    bool out_of_memory;
    std::string expected;
  } const cases[] = {
      {1, false, "exit code 1"},
      {128, false, "exit code 128"},
      {128 + 9, false, "ended by signal 9 (SIGKILL)" + senders},
      {128 + 9, true, "ended by signal 9 (SIGKILL)"},
      {128 + 15, false, "ended by signal 15 (SIGTERM)"},
      {128 + 33, false, "ended by signal 33"},
      {128 + 64, false, "ended by signal 64"},
      {128 + 65, false, "exit code 193"},
      {255, true, "exit code 255"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.exit_code);
    CHECK(describe_exit(c.exit_code, c.out_of_memory) == c.expected);
  }
}
