#include "svc-runner/supervision/sweeper.hpp"

#include "svc-runner/files.hpp"
#include "svc-runner/supervision/slot_user.hpp"
#include "svc/core/deadline.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <sstream>
#include <thread>

namespace svc::runner {
namespace {

namespace fs = std::filesystem;

constexpr milliseconds patience{10'000};
constexpr milliseconds pause_between_rounds{2};

void add_children(pid_t subject, std::vector<pid_t>& out) {
  std::error_code gone;
  fs::directory_iterator const threads("/proc/" + std::to_string(subject) + "/task", gone);
  if (gone) return;
  for (auto directory = begin(threads); directory != end(threads); directory.increment(gone)) {
    std::istringstream pids(read_text(directory->path().string() + "/children").value_or(""));
    for (pid_t pid = 0; pids >> pid;) out.push_back(pid);
    if (gone) return;
  }
}

/// Reaps ended children; false once there are no children at all.
bool reap_all() {
  for (;;) {
    auto const pid = ::waitpid(-1, nullptr, WNOHANG);
    if (pid == 0) return true;
    if (pid < 0 && errno != EINTR) return false;
  }
}

}  // namespace

std::vector<pid_t> descendants(pid_t root) {
  std::vector<pid_t> out;
  add_children(root, out);
  for (std::size_t i = 0; i < out.size(); ++i) add_children(out[i], out);
  return out;
}

void ask_to_end(pid_t program, bool sandboxed) {
  pid_t group = program;
  std::vector<pid_t> children;
  if (sandboxed) add_children(program, children);
  // SIGTERM would end bubblewrap and, with it, everything inside. Its child leads the session of what runs inside,
  // and survives the signal because it is the first process of its namespace.
  if (!children.empty()) group = ::getpgid(children.front());
  if (group <= 1) return;
  bool const missing = ::kill(-group, SIGTERM) != 0 && errno == ESRCH;
  // Just forked, the program leads no group yet.
  if (missing && group == program) ::kill(program, SIGTERM);
}

std::int64_t sweep(cgroup const& group, std::optional<std::int64_t> own_uid) {
  auto const until = deadline::after(patience);
  group.refuse_forks();
  for (;;) {
    group.kill_all();
    auto const below = descendants(::getpid());
    for (auto const pid : below) ::kill(pid, SIGKILL);
    // This process is a subreaper: without children it has no descendants either.
    bool const none = !reap_all() && group.empty();
    auto const others = !none ? -1 : own_uid ? kill_own_processes(*own_uid) : 0;
    if (others == 0) return 0;
    if (until.passed()) return std::max(static_cast<std::int64_t>(std::max(below.size(), group.kill_all())), others);
    std::this_thread::sleep_for(pause_between_rounds);
  }
}

}  // namespace svc::runner
