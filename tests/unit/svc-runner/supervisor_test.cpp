// A supervisor in a fork of the test, which sends it the same messages as the runner.
#include "svc-runner/supervision/supervision.hpp"

#include <doctest/doctest.h>

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>

using namespace svc::runner;

namespace {

/// Returns the report on a program that the supervisor is to start and to end at the same time.
std::optional<supervision_report> ended_at_once(supervision const& task, svc::milliseconds grace) {
  std::array<int, 2> ends{};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
  auto const all = to_line(task) + end_line(grace);
  REQUIRE(::write(ends[0], all.data(), all.size()) == static_cast<ssize_t>(all.size()));
  pid_t const pid = ::fork();
  REQUIRE(pid >= 0);
  if (pid == 0) {
    ::close(ends[0]);
    ::_exit(supervise(ends[1]));
  }
  ::close(ends[1]);
  std::string said;
  std::array<char, 512> block{};
  for (ssize_t n = 0; (n = ::read(ends[0], block.data(), block.size())) > 0;)
    said.append(block.data(), static_cast<std::size_t>(n));
  ::close(ends[0]);
  ::waitpid(pid, nullptr, 0);
  return read_report(said);
}

}  // namespace

TEST_CASE("a program that must end while it is being started gets SIGTERM, and not its whole grace") {
  supervision task;
  task.program = "/bin/sleep";
  task.arguments = {"sleep", "60"};
  task.directory = "/";
  for (int i = 0; i < 20; ++i) {
    auto const got = ended_at_once(task, std::chrono::seconds(10));
    REQUIRE(got);
    CHECK(got->error == "");
    CHECK_FALSE(got->outlasted);
    CHECK(got->exit_code == 128 + SIGTERM);
  }
}
