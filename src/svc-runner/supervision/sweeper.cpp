#include "svc-runner/supervision/sweeper.hpp"

#include "svc-runner/files.hpp"
#include "svc-runner/supervision/uid_hold.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/numbers.hpp"

#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
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

/// True if the line `NSpid` has one number. It lists the process's number in each PID namespace, from the one that
/// /proc belongs to down to the process's own.
bool in_namespace_of_proc(std::string_view status) {
  constexpr std::string_view name = "\nNSpid:\t";
  auto position = status.find(name);
  if (position == std::string_view::npos) return false;
  status.remove_prefix(position + name.size());
  auto const numbers = status.substr(0, status.find('\n'));
  return !numbers.empty() && numbers.find_first_of("\t ") == std::string_view::npos;
}

/// Kills the process if it is one of ours. The descriptor is opened before /proc is read, so that the signal cannot
/// reach a later process with the same number.
bool kill_if_own(std::string const& pid, std::int64_t user, std::string const& own_cgroup) {
  auto const directory = "/proc/" + pid;
  if (living_user(read_text(directory + "/status").value_or("")) != user) return false;
  auto const number = parse_number<pid_t>(pid).value_or(0);
  int const process = static_cast<int>(::syscall(SYS_pidfd_open, number, 0));
  if (process < 0) return false;
  bool const own = is_own_process(read_text(directory + "/status").value_or(""),
                                  read_text(directory + "/cgroup").value_or(""), user, own_cgroup);
  if (own) ::syscall(SYS_pidfd_send_signal, process, SIGKILL, nullptr, 0);
  ::close(process);
  return own;
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
  // SIGTERM would end bubblewrap and, with it, everything inside. Its child leads the session of the processes
  // inside, and survives the signal because it is the first process of its namespace.
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

bool is_own_process(std::string_view status, std::string_view cgroup, std::int64_t user,
                    std::string_view own_cgroup) {
  return living_user(status) == user && in_namespace_of_proc(status) && cgroup == own_cgroup;
}

std::int64_t kill_own_processes(std::int64_t user) {
  std::int64_t count = 0;
  auto const own_cgroup = read_text("/proc/self/cgroup").value_or("");
  std::error_code gone;
  for (std::filesystem::directory_iterator directory("/proc", gone);
       !gone && directory != std::filesystem::directory_iterator(); directory.increment(gone)) {
    auto const name = directory->path().filename().string();
    if (parse_number<pid_t>(name) && kill_if_own(name, user, own_cgroup)) ++count;
  }
  return count;
}

}  // namespace svc::runner
