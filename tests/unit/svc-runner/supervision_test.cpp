#include "svc-runner/supervision/supervision.hpp"

#include "svc-runner/isolation/bubblewrap.hpp"
#include "svc-runner/isolation/isolation.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace svc::runner;

TEST_CASE("a supervisor's task arrives unchanged, whatever its bytes") {
  supervision task;
  task.program = "/bin/sh";
  task.arguments = {"sh", "a b", "\xff\n"};
  task.environment = {{"A", "line\nfeed"}, {"B", "\xfe"}};
  task.directory = "/tmp";
  task.sealed_arguments = {"--setenv", "X", ""};
  task.uid = 1'900'000'001;
  task.own_uid = true;
  task.groups = {.version = 1, .memory = "/m", .processes = "/p", .cpu = "/c"};
  task.group_name = "g";
  task.limits.memory_mb = 7;
  task.limit_memory = true;
  task.filter = true;
  task.sandboxed = true;
  auto const line = to_line(task);
  CHECK(line.find('\n') == line.size() - 1);
  auto const got = read_supervision(line);
  REQUIRE(got);
  CHECK(to_line(*got) == line);
  CHECK(got->arguments == task.arguments);
  CHECK(got->environment == task.environment);
  CHECK(got->uid == task.uid);
  CHECK(got->filter);
  CHECK(got->sandboxed);
  for (auto const* bad : {"", "{}", "[]", "{\"program\":1}"}) CHECK(!read_supervision(bad));
}

TEST_CASE("a report arrives unchanged") {
  auto const got = read_report(
      to_line({.error = "e", .exit_code = 137, .memory_kills = 2, .refused_forks = 3, .left = 4, .outlasted = true}));
  REQUIRE(got);
  CHECK(got->error == "e");
  CHECK(got->exit_code == 137);
  CHECK(got->memory_kills == 2);
  CHECK(got->refused_forks == 3);
  CHECK(got->left == 4);
  CHECK(got->outlasted);
  CHECK(!read_report("{}"));
}

TEST_CASE("the end is requested by a line") {
  CHECK(read_end_line(end_line(svc::milliseconds(1500))) == svc::milliseconds(1500));
  for (auto const* bad : {"", "\n", "-1\n", "1", "a\n", "1 2\n"}) CHECK(!read_end_line(bad));
}

TEST_CASE("bubblewrap's options: closed and hidden resources") {
  sandbox_view view;
  view.scratch = "/s";
  view.read_only = {"/opt"};
  view.hidden = {"/etc/svc-runner/token", "/opt/token", "/srv/token"};
  auto const has = [](std::vector<std::string> const& all, std::vector<std::string> const& part) {
    return std::search(all.begin(), all.end(), part.begin(), part.end()) != all.end();
  };
  auto const closed = bubblewrap_options(view, {{"A", "b"}});
  CHECK(has(closed, {"--unshare-net"}));
  CHECK(has(closed, {"--ro-bind", "/opt", "/opt"}));
  CHECK(has(closed, {"--ro-bind", "/dev/null", "/etc/svc-runner/token"}));
  CHECK(has(closed, {"--ro-bind", "/dev/null", "/opt/token"}));
  CHECK(!has(closed, {"/srv/token"}));
  CHECK(has(closed, {"--clearenv", "--setenv", "A", "b"}));
  CHECK(has(closed, {"--bind", "/s", "/work"}));
  CHECK(has(closed, {"--size", "1073741824", "--tmpfs", "/dev/shm", "--remount-ro", "/dev"}));
  CHECK(!has(closed, {"--seccomp"}));
  view.filter = true;
  CHECK(has(bubblewrap_options(view, {}), {"--seccomp", "10"}));
  view.network = true;
  CHECK(!has(bubblewrap_options(view, {}), {"--unshare-net"}));
  CHECK(bubblewrap_command(view, {"/bin/true"}) == std::vector<std::string>{"/bin/true"});
  view.processes = 7;
  CHECK(bubblewrap_command(view, {"/bin/true"}).at(2).find("ulimit -p 7") == 0);
}

TEST_CASE("a script in bubblewrap sees its directory as /work, and any other script at its own path") {
  isolation given;
  CHECK(seen_scratch(given, "/var/lib/svc-runner/1") == "/var/lib/svc-runner/1");
  given.bubblewrap = true;
  CHECK(seen_scratch(given, "/var/lib/svc-runner/1") == "/work");
}
