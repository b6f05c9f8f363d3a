// The process that starts a program and ends it with all its descendants. Blocking, single-threaded code: nothing
// here runs in the runner itself.

#include "svc-runner/supervision/script_filter.hpp"
#include "svc-runner/supervision/supervision.hpp"
#include "svc-runner/supervision/sweeper.hpp"
#include "svc/core/deadline.hpp"

#include <fcntl.h>
#include <grp.h>
#include <linux/keyctl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>

namespace svc::runner {
namespace {

constexpr std::size_t longest_task = 256UL * 1024 * 1024;
constexpr rlim_t open_files = 4096;

/// Reads the runner's lines; a second one may arrive together with the first.
class line_reader {
 public:
  explicit line_reader(int first) : first(first) {}

  int descriptor() const { return first; }
  bool has_line() const { return pending_.find('\n') != std::string::npos; }
  /// Nothing when the other end has closed.
  std::optional<std::string> next() {
    std::array<char, 65536> part;
    for (std::size_t searched = 0; pending_.size() < longest_task;) {
      if (auto const end = pending_.find('\n', searched); end != std::string::npos) {
        auto line = pending_.substr(0, end + 1);
        pending_.erase(0, end + 1);
        return line;
      }
      searched = pending_.size();
      auto const got = ::recv(first, part.data(), part.size(), 0);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return std::nullopt;
      pending_.append(part.data(), static_cast<std::size_t>(got));
    }
    return std::nullopt;
  }

 private:
  int first;
  std::string pending_{};
};

int sealed(std::string_view text) {
  int const file = ::memfd_create("sandbox", MFD_CLOEXEC);
  if (file < 0) throw std::runtime_error("memfd_create failed");
  if (::write(file, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    throw std::runtime_error("the sandbox's arguments could not be written");
  ::lseek(file, 0, SEEK_SET);
  return file;
}

std::string joined(std::vector<std::string> const& arguments) {
  std::string out;
  for (auto const& each : arguments) out.append(each).push_back('\0');
  return out;
}

/// The arguments of execve, made before the fork: nothing may allocate between fork and exec.
struct prepared_process {
  explicit prepared_process(supervision const& task) : texts(task.arguments) {
    if (task.filter) filter = script_filter(task.sandboxed);
    if (!task.sealed_arguments.empty()) sealed_arguments = sealed(joined(task.sealed_arguments));
    // Bubblewrap itself needs more system calls than its script may make, and applies the filter last.
    if (task.filter && task.sandboxed)
      sealed_filter = sealed({reinterpret_cast<char const*>(filter.data()), filter.size() * sizeof filter.front()});
    auto const arguments = texts.size();
    for (auto const& [name, value] : task.environment) texts.push_back(name + "=" + value);
    for (std::size_t i = 0; i < texts.size(); ++i) (i < arguments ? argv : environment).push_back(texts[i].data());
    argv.push_back(nullptr);
    environment.push_back(nullptr);
  }
  std::vector<std::string> texts;
  std::vector<char*> argv{}, environment{};
  seccomp_program filter{};
  int sealed_arguments = -1, sealed_filter = -1;
};

bool limit(__rlimit_resource_t which, rlim_t most) {
  rlimit now{};
  ::getrlimit(which, &now);
  rlim_t const value = std::min(most, now.rlim_max);
  rlimit const wanted{value, value};
  return ::setrlimit(which, &wanted) == 0;
}

bool apply_limits(supervision const& task) {
  bool good = limit(RLIMIT_CORE, 0) && limit(RLIMIT_NOFILE, open_files) &&
              limit(RLIMIT_FSIZE, static_cast<rlim_t>(task.limits.file_mb * mebibyte));
  if (task.limit_processes) good = good && limit(RLIMIT_NPROC, static_cast<rlim_t>(task.limits.processes));
  if (task.limit_memory) good = good && limit(RLIMIT_DATA, static_cast<rlim_t>(task.limits.memory_mb * mebibyte));
  return good;
}

bool change_user(std::optional<std::int64_t> const& last) {
  if (!last) return true;
  auto const id = static_cast<uid_t>(*last);
  return ::setgroups(0, nullptr) == 0 && ::setresgid(id, id, id) == 0 && ::setresuid(id, id, id) == 0;
}

[[noreturn]] void complain(char const* subject) {
  static_cast<void>(!::write(STDERR_FILENO, "svc-runner: ", 12));
  static_cast<void>(!::write(STDERR_FILENO, subject, std::strlen(subject)));
  static_cast<void>(!::write(STDERR_FILENO, "\n", 1));
  ::_exit(127);
}

/// A new session keyring hides keys of earlier runs; only the filter closes the user's keyring.
void leave_keys() {
  ::syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, nullptr);
}

/// Leaves the program only its standard streams and the descriptors that bubblewrap reads.
bool pass_descriptors(prepared_process const& setup) {
  bool good = true;
  unsigned first = STDERR_FILENO + 1;
  if (setup.sealed_arguments >= 0) {
    // dup2 drops close-on-exec.
    good = ::dup2(setup.sealed_arguments, supervision::sealed_descriptor) == supervision::sealed_descriptor;
    bool const filtered = setup.sealed_filter >= 0;
    if (filtered) good = good && ::dup2(setup.sealed_filter, supervision::filter_descriptor) >= 0;
    ::syscall(SYS_close_range, first, supervision::sealed_descriptor - 1, 0);
    first = (filtered ? supervision::filter_descriptor : supervision::sealed_descriptor) + 1;
  }
  ::syscall(SYS_close_range, first, ~0U, 0);
  return good;
}

/// Between fork and exec: only async-signal-safe calls.
[[noreturn]] void become_program(supervision const& task, cgroup const& group, prepared_process const& setup) {
  ::setsid();
  if (!group.join()) complain("the control group cannot be joined");
  if (!change_user(task.uid)) complain("the user cannot be changed");
  leave_keys();
  if (!apply_limits(task)) complain("a limit cannot be set");
  // Changing the user clears the death signal, so it is set after that.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  // Signals that we or our parents ignore would stay ignored, and a shell could not trap them.
  for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  bool ready = ::chdir(task.directory.c_str()) == 0;
  ready = pass_descriptors(setup) && ready;
  if (task.filter && !task.sandboxed && !install_filter(setup.filter))
    complain("the system calls cannot be filtered");
  if (ready) ::execve(task.program.c_str(), setup.argv.data(), setup.environment.data());
  complain("the program cannot be started");
}

int code_of(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// Reaps every process that has ended; the exit code once `main` is among them.
std::optional<int> reap(pid_t main) {
  std::optional<int> out;
  int status = 0;
  for (pid_t pid = 0; (pid = ::waitpid(-1, &status, WNOHANG)) > 0;)
    if (pid == main) out = code_of(status);
  return out;
}

/// The time left, as `poll` takes it; one millisecond more, because it is rounded down.
int left_of(std::optional<deadline> const& until) {
  if (!until) return -1;
  auto const left = std::chrono::duration_cast<milliseconds>(until->at() - steady::now());
  return std::max(0, static_cast<int>(left.count()) + 1);
}

/// Waits until the program ends and returns its exit code; nothing when it must be killed: the runner wants it at
/// once or is dead, or the program exceeded the time that the runner gave it.
std::optional<int> watch(line_reader& control, int children, pid_t main, bool sandboxed, bool& outlasted) {
  std::optional<deadline> until;
  for (;;) {
    std::array<pollfd, 2> waiting{{{control.descriptor(), POLLIN, 0}, {children, POLLIN, 0}}};
    if (::poll(waiting.data(), waiting.size(), control.has_line() ? 0 : left_of(until)) < 0 && errno != EINTR)
      return std::nullopt;
    if (waiting[1].revents != 0) {
      signalfd_siginfo ignored{};
      static_cast<void>(!::read(children, &ignored, sizeof ignored));
      if (auto const code = reap(main)) return code;
    }
    if (until && until->passed()) {
      outlasted = true;
      return std::nullopt;
    }
    if (waiting[0].revents == 0 && !control.has_line()) continue;
    auto const line = control.next();
    auto const grace = line ? read_end_line(*line) : std::nullopt;
    if (!grace) return std::nullopt;
    until = deadline::after(*grace);
    ask_to_end(main, sandboxed);
  }
}

int watch_children() {
  sigset_t child;
  ::sigemptyset(&child);
  ::sigaddset(&child, SIGCHLD);
  // The program inherits the blocked signal: an early SIGTERM waits and is not lost.
  sigset_t blocked = child;
  ::sigaddset(&blocked, SIGTERM);
  // The runner decides about signals from a terminal; it closes the control socket if the program must end.
  for (int const from_terminal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(from_terminal, SIG_IGN);
  ::sigprocmask(SIG_BLOCK, &blocked, nullptr);
  return ::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
}

/// Only the program may hold the pipes that it writes to: their readers must see its end.
void let_go_of_output() {
  int const nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nothing < 0) return;
  ::dup2(nothing, STDOUT_FILENO);
  ::dup2(nothing, STDERR_FILENO);
  ::close(nothing);
}

supervision_report run(supervision const& task, line_reader& control) {
  int const children = watch_children();
  if (children < 0) throw std::runtime_error("signalfd failed");
  cgroup const group(task.groups, task.group_name, task.limits);
  prepared_process const setup(task);
  pid_t const main = ::fork();
  if (main < 0) throw std::runtime_error("no further process can be started");
  if (main == 0) become_program(task, group, setup);
  let_go_of_output();
  supervision_report out;
  out.exit_code = watch(control, children, main, task.sandboxed, out.outlasted).value_or(128 + SIGKILL);
  out.refused_forks = group.refused_forks();
  out.left = sweep(group, task.own_uid ? task.uid : std::nullopt);
  out.memory_kills = group.memory_kills();
  return out;
}

}  // namespace

int supervise(int control) {
  // This precedes the task, which holds secrets, because scripts may run as the same user.
  ::prctl(PR_SET_DUMPABLE, 0);
  // Daemons become our children, not init's.
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  line_reader reader(control);
  auto const line = reader.next();
  if (!line) return 1;
  supervision_report report;
  try {
    auto const task = read_supervision(*line);
    if (!task) throw std::runtime_error("the supervisor did not understand its task");
    report = run(*task, reader);
  } catch (std::exception const& e) {
    report.error = e.what();
  }
  auto const said = to_line(report);
  static_cast<void>(!::send(control, said.data(), said.size(), MSG_NOSIGNAL));
  return 0;
}

}  // namespace svc::runner
