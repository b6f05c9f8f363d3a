// Runs next to containers that use the same user ids: a run leaves nothing behind, and ends nobody else's processes.
#include "workshop.hpp"

#include <doctest/doctest.h>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

using namespace svc::test;

namespace {

/// A program of a user that sleeps until it is ended; `unshare` starts it in namespaces of its own first.
class bystander {
 public:
  bystander(std::string const& namespaces, std::string const& user, std::string const& group = "") : pid_(::fork()) {
    if (pid_ != 0) return;
    // Whoever reads the test's output must not wait for this process.
    for (int const stream : {STDOUT_FILENO, STDERR_FILENO}) ::dup2(::open("/dev/null", O_WRONLY | O_CLOEXEC), stream);
    if (!group.empty()) std::ofstream(group + "/cgroup.procs") << "0\n";
    auto const command = "exec /usr/bin/unshare " + namespaces + " /usr/bin/setpriv --reuid=" + user +
                         " --regid=" + user + " --clear-groups /bin/sleep 1000";
    ::execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    ::_exit(127);
  }
  ~bystander() {
    // The child first: a change of its user id takes away the signal that it would get at its parent's end.
    if (auto const pid = sleeper(); pid > 0) ::kill(pid, SIGKILL);
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  bystander(bystander const&) = delete;
  bystander& operator=(bystander const&) = delete;

  /// True once `sleep` runs as that user: in the process itself or in its only child.
  bool wait_started(std::string const& user) const {
    for (int i = 0; i < 500; ++i) {
      if (runs_as(user)) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }
  bool runs_as(std::string const& user) const {
    std::ifstream file("/proc/" + std::to_string(sleeper()) + "/status");
    std::string const text{std::istreambuf_iterator<char>(file), {}};
    return text.find("Name:\tsleep\n") != std::string::npos &&
           text.find("\nUid:\t" + user + "\t") != std::string::npos && text.find("\nState:\tZ") == std::string::npos;
  }

 private:
  pid_t sleeper() const {
    auto const own = std::to_string(pid_);
    pid_t child = 0;
    std::ifstream("/proc/" + own + "/task/" + own + "/children") >> child;
    return child > 0 ? child : pid_;
  }

  pid_t pid_;
};

bool can_show_other_users() {
  bool const tools = ::access("/usr/bin/setpriv", X_OK) == 0 && ::access("/usr/bin/unshare", X_OK) == 0;
  if (is_root() && tools) return true;
  not_shown(is_root() ? "processes of other namespaces: no unshare or no setpriv"
                      : "processes of other namespaces with a slot's user id: only root can start them");
  return false;
}

std::string unused_id() {
  return std::to_string(1'850'000'000 + ::getpid() % 10'000 * 16);
}

}  // namespace

TEST_CASE("a run ends no process of another PID namespace that has its user id, and leaves none of its own") {
  if (!can_show_other_users()) return;
  auto const user = unused_id();
  for (std::string const mode : {"auto", "none"}) {
    CAPTURE(mode);
    workshop shop({.sandbox = mode, .environment = {"SVC_RUNNER_SANDBOX_FIRST_UID=" + user}});
    // Started after the runner, because a runner skips ids that are in use when it starts.
    bystander const container("--pid --net --fork", user);
    if (!container.wait_started(user)) return not_shown("a PID namespace of its own: unshare fails");
    std::string run;
    auto const end = shop.run_to_end(
        {"id -u\n(setsid sh -c '(sleep 1000 &) ; sleep 1000' </dev/null >/dev/null 2>&1 &)\necho away", "echo again"},
        {{"timeoutSeconds", 30}}, &run);
    CHECK(status_of(end) == "passed");
    auto const expected_user = shop.sandboxed() ? "1000" : user;
    CHECK(shop.service().all(run).find(expected_user + "\n") != std::string::npos);
    CHECK(processes_left(run) == 0);
    CHECK(container.runs_as(user));
  }
}

TEST_CASE("a run ends no process of another control group that has its user id") {
  if (!can_show_other_users()) return;
  auto const group = "/sys/fs/cgroup/pids/svc-test-" + std::to_string(::getpid());
  std::error_code refused;
  if (!std::filesystem::create_directory(group, refused)) return not_shown("a control group of its own, version 1");
  auto const user = unused_id();
  {
    workshop shop({.sandbox = "none", .environment = {"SVC_RUNNER_SANDBOX_FIRST_UID=" + user}});
    bystander const service("--net", user, group);
    REQUIRE(service.wait_started(user));
    CHECK(status_of(shop.run_to_end({"echo fine"})) == "passed");
    CHECK(service.runs_as(user));
  }
  std::filesystem::remove(group, refused);
}

TEST_CASE("a process that keeps forking and leaving its parent does not survive its run") {
  for (auto const& way : ways()) {
    CAPTURE(name_of(way));
    workshop shop(way);
    std::string run;
    // Each shell starts the next one and ends, so that no process stays long enough to be found by its number.
    auto const end = shop.run_to_end({"for i in 1 2 3 4; do (setsid sh -c 'hop() { (hop) & "
                                      "exit 0; }; hop' </dev/null >/dev/null 2>&1 &); done\necho away"},
                                     {{"timeoutSeconds", 30}}, &run);
    CHECK(status_of(end) == "passed");
    CHECK(shop.service().all(run).find("could not be ended") == std::string::npos);
    CHECK(processes_left(run) == 0);
    CHECK(shop.scratch_is_empty());
    CHECK(status_of(shop.run_to_end({"echo fine"})) == "passed");
  }
}
