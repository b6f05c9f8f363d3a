#include "svc-runner/supervision/sweeper.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace svc::runner;

TEST_CASE("only a living process of the slot's user, in the runner's own namespace and control groups, is its own") {
  std::string const group = "4:pids:/system.slice/svc-runner.service\n0::/\n";
  auto const status = [](std::string const& state, std::string const& user, std::string const& numbers) {
    return "Name:\tsleep\nState:\t" + state + "\nUid:\t" + user + "\t7\t7\t7\nNStgid:\t" + numbers + "\nNSpid:\t" +
           numbers + "\nNSpgid:\t" + numbers + "\n";
  };
  struct {
    char const* title;
    std::string status, cgroup;
    bool expected;
  } const cases[] = {
      {"its own", status("S (sleeping)", "7", "41"), group, true},
      {"of another user", status("S (sleeping)", "8", "41"), group, false},
      {"dead", status("Z (zombie)", "7", "41"), group, false},
      {"of a container", status("S (sleeping)", "7", "41\t1"), group, false},
      {"of a container in a container", status("S (sleeping)", "7", "41\t9\t1"), group, false},
      {"of another service", status("S (sleeping)", "7", "41"), "4:pids:/system.slice/other.service\n0::/\n", false},
      {"of a group below", status("S (sleeping)", "7", "41"), "4:pids:/system.slice/svc-runner.service/a\n0::/\n",
       false},
      {"of unknown groups", status("S (sleeping)", "7", "41"), "", false},
      {"of an unknown namespace", "Name:\ta\nState:\tS (sleeping)\nUid:\t7\t7\t7\t7\n", group, false},
      {"gone", "", "", false},
  };
  for (auto const& c : cases) {
    CAPTURE(c.title);
    CHECK(is_own_process(c.status, c.cgroup, 7, group) == c.expected);
  }
}
