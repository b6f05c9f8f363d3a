#include "integration/cli/svc_process.hpp"

#include <doctest/doctest.h>

#include <csignal>

using namespace svc::test;

TEST_CASE("a process has its own clean environment, stdin, directory and terminal") {
  auto const shell = [](invocation invocation, std::string const& script) {
    invocation.arguments = {"-c", script};
    return svc_process(invocation, "/bin/sh").wait();
  };
  setenv("SERVICE_TOKEN", "of the machine", 1);
  auto const got = shell({.environment = {"A=b", "LANG=C"}, .input = "typed", .directory = "/usr"},
                         "pwd; cat; echo; env | grep -E '^(A|LANG|SERVICE_TOKEN)=' | sort; echo wrong >&2; exit 7");
  CHECK(got.code == 7);
  CHECK(got.out == "/usr\ntyped\nA=b\nLANG=C\n");
  CHECK(got.err == "wrong\n");
  CHECK(got.max_rss_kib > 0);
  CHECK(shell({.terminal = {{.columns = 33, .rows = 9}}}, "stty size <&1; test -t 2").out == "9 33\r\n");
  CHECK(shell({}, "kill -9 $$").code == 137);
}

TEST_CASE("a process is written to and signalled") {
  invocation invocation{.arguments = {"-c", "read line; echo got $line; exec sleep 100"}, .input = std::nullopt};
  svc_process process(invocation, "/bin/sh");
  process.write("hello\n");
  CHECK(process.out().wait_line([](auto const& l) { return l == "got hello"; }, std::chrono::seconds(20)));
  process.signal(SIGTERM);
  CHECK(process.wait().code == 143);
}
