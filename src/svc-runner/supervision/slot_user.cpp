#include "svc-runner/supervision/slot_user.hpp"

#include "svc-runner/files.hpp"
#include "svc-runner/supervision/uid_hold.hpp"
#include "svc/core/numbers.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <optional>
#include <string>

namespace svc::runner {
namespace {

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
