// Malicious scripts: contained and reported, and nothing of them is left.
#include "workshop.hpp"

#include <doctest/doctest.h>

#include <boost/json.hpp>

#include <unistd.h>
#include <filesystem>

using namespace svc::test;
namespace json = boost::json;

TEST_CASE("a fork bomb") {
  for (auto way : ways()) {
    CAPTURE(name_of(way));
    way.lines = "[limits]\nprocesses = 40";
    workshop shop(way);
    std::string run;
    auto const end = shop.run_to_end({"b() { b | b & }; b; sleep 1000"}, {{"timeoutSeconds", short_timeout}}, &run);
    bool const ended = status_of(end) == "timed_out" || status_of(end) == "failed";
    CHECK(ended);
    if (shop.isolation().find("processes") != std::string::npos)
      CHECK(shop.service().all(run).find("the limit of 40 processes was reached") != std::string::npos);
    CHECK(processes_left(run) == 0);
    CHECK(shop.scratch_is_empty());
    CHECK(status_of(shop.run_to_end({"echo fine"})) == "passed");
  }
}

TEST_CASE("a memory hog") {
  for (auto way : ways()) {
    CAPTURE(name_of(way));
    way.lines = "[limits]\nmemory_mb = 48";
    workshop shop(way);
    std::string run;
    auto const end = shop.run_to_end({"head -c 600M /dev/zero | tail | wc -c"}, {{"timeoutSeconds", 30}}, &run);
    auto const all = shop.service().all(run);
    // The last command of a pipe decides the exit code, so the test checks that no process got the memory.
    CHECK(all.find("629145600") == std::string::npos);
    if (shop.isolation().find("(memory") != std::string::npos) {
      CHECK(all.find("the memory limit of 48 MiB ended a process") != std::string::npos);
    } else {
      CHECK(all.find("memory") != std::string::npos);
    }
    CHECK(processes_left(run) == 0);
  }
}

TEST_CASE("an endless printer") {
  for (auto way : {workshop::options{.sandbox = "auto"}, workshop::options{.sandbox = "none"}}) {
    CAPTURE(name_of(way));
    way.lines = "[limits]\noutput_lines = 200\noutput_kb = 64";
    workshop shop(way);
    std::string run;
    auto const end = shop.run_to_end({"yes"}, {{"timeoutSeconds", short_timeout}}, &run);
    CHECK(status_of(end) == "timed_out");
    auto const lines = shop.service().lines(run);
    REQUIRE(lines.size() == 202);
    CHECK(lines[199] == "y");
    CHECK(lines[200].find("output limit reached (200 lines, 64 KiB)") != std::string::npos);
    CHECK(lines[201].find("the run's time was over") != std::string::npos);

    auto const quick = shop.run_to_end({"seq 1 100000; exit 7"}, {}, &run);
    CHECK(status_of(quick) == "failed");
    CHECK(details_of(quick) == "exit code 7");
  }
}

TEST_CASE("a line without end") {
  workshop shop({.lines = "[limits]\noutput_kb = 64"});
  std::string run;
  auto const end = shop.run_to_end({"head -c 1000000 /dev/zero | tr '\\0' x; exit 0"}, {}, &run);
  CHECK(status_of(end) == "passed");
  auto const lines = shop.service().lines(run);
  REQUIRE(!lines.empty());
  CHECK(lines.front().size() == 16'384);
  CHECK(lines.back().find("output limit reached") != std::string::npos);
}

TEST_CASE("a daemonising script") {
  for (auto const& way : ways()) {
    CAPTURE(name_of(way));
    workshop shop(way);
    std::string run;
    auto const end = shop.run_to_end({"(setsid sh -c '(sleep 1000 &) ; sleep 1000' </dev/null >/dev/null 2>&1 &)\n"
                                      "(setsid sleep 1000 &)\necho away"},
                                     {{"timeoutSeconds", 30}}, &run);
    CHECK(status_of(end) == "passed");
    CHECK(shop.service().all(run) == "away\n");
    CHECK(processes_left(run) == 0);
    CHECK(shop.scratch_is_empty());
  }
}

TEST_CASE("a script that looks for the runner's token") {
  auto all_ways = ways();
  for (auto const& each : ways()) {
    all_ways.push_back(each);
    all_ways.back().token_in_environment = true;
  }
  for (auto const& way : all_ways) {
    CAPTURE(name_of(way));
    CAPTURE(way.token_in_environment);
    workshop shop(way);
    // An unsandboxed script of the same user can read the file; the start warns of that.
    bool const promised = shop.sandboxed() || way.token_in_environment || (is_root() && !way.as_nobody);
    if (!promised) {
      CHECK(shop.runner().err().text().find("who may read the token's file") != std::string::npos);
      continue;
    }
    std::string run;
    auto const end = shop.run_to_end(
        {"cat " + shop.token_file() + " " + shop.directory() +
             "/runner.toml\nenv\nfor p in /proc/[0-9]*; do tr '\\0' '\\n' < $p/environ; tr '\\0' '\\n' < $p/cmdline; "
             "ls -l $p/fd; dd if=$p/mem bs=1 count=1; done 2>&1 | grep -a svc_runner_\n"
             "kill -0 $PPID; echo looked",
         "echo still here"},
        {{"timeoutSeconds", 30}}, &run);
    auto const all = shop.service().all(run);
    CHECK(all.find("looked") != std::string::npos);
    CHECK(all.find(std::string(workshop::token).substr(11)) == std::string::npos);
    CHECK(end.at("tests").as_array().at(1).at("status").as_string() == "passed");
    CHECK(shop.runner().err().text().find(std::string(workshop::token).substr(11)) == std::string::npos);
  }
}

TEST_CASE("a script that kills all processes that it can") {
  for (auto const& way : ways()) {
    CAPTURE(name_of(way));
    // Without separation by user it would kill other processes on this machine.
    if (way.sandbox == "none" && (way.as_nobody || !is_root())) continue;
    workshop shop(way);
    std::string run;
    auto const end =
        shop.run_to_end({"(setsid sleep 1000 &)\nkill -9 $PPID\nkill -9 -1\nexit 4"}, {{"timeoutSeconds", 5}}, &run);
    CHECK(status_of(end) != "passed");
    CHECK(processes_left(run) == 0);
    CHECK(status_of(shop.run_to_end({"echo fine"})) == "passed");
  }
}

TEST_CASE("a script that kills its supervisor, as the runner's own user") {
  if (!is_root() || ::access("/usr/bin/setpriv", X_OK) != 0) return not_shown("runners of other users");
  workshop shop({.sandbox = "none", .as_nobody = true});
  std::string run;
  auto const end = shop.run_to_end({"(setsid sleep 1000 >/dev/null 2>&1 &)\nkill -9 $PPID\nsleep 1000"}, {}, &run);
  CHECK(status_of(end) == "error");
  CHECK(processes_left(run) == 0);
  CHECK(status_of(shop.run_to_end({"echo fine"})) == "passed");
}

TEST_CASE("inside bubblewrap: no network, a read-only system, its own /tmp and processes") {
  workshop shop;
  if (!shop.sandboxed()) return not_shown("bubblewrap: " + shop.isolation());
  auto const name = "svc-runner-" + std::filesystem::path(shop.directory()).filename().string();
  std::string run;
  auto const end =
      shop.run_to_end({"echo net: $(grep -c : /proc/net/dev) $(grep -c lo: /proc/net/dev)\n"
                       "for d in /usr /etc / /var; do touch $d/x 2>/dev/null && echo wrote $d; done\n"
                       "touch /tmp/" +
                       name +
                       " && echo tmp\n"
                       "echo processes: $(ls -d /proc/[0-9]* | wc -l)\n"
                       "ls /root /home /var/lib 2>/dev/null | head -3\n"
                       "unshare -Ur true 2>/dev/null && echo namespaces; pwd; echo \"home: $HOME $TMPDIR\""},
                      {}, &run);
  CHECK(status_of(end) == "passed");
  auto const all = shop.service().all(run);
  CAPTURE(all);
  CHECK(all.find("net: 1 1\n") != std::string::npos);
  CHECK(all.find("wrote") == std::string::npos);
  CHECK(all.find("tmp\n") != std::string::npos);
  CHECK(!std::filesystem::exists("/tmp/" + name));
  CHECK(all.find("namespaces") == std::string::npos);
  CHECK(all.find("/work\n") != std::string::npos);
  CHECK(all.find("home: /work /tmp\n") != std::string::npos);
  auto const position = all.find("processes: ") + 11;
  CHECK(std::stoi(all.substr(position, 4)) < 12);
}
