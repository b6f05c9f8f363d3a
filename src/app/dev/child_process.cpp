#include "app/dev/child_process.hpp"

#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace svc::app::dev {
namespace {

constexpr int cannot_execute = 127;
constexpr milliseconds for_ever{24 * 3600 * 1000};

bool become(store_user const& user) {
  return setgroups(0, nullptr) == 0 && setgid(user.gid) == 0 && setuid(user.uid) == 0;
}

/// Between fork and exec: only async-signal-safe calls.
[[noreturn]] void become_program(child_options const& options, pid_t parent, int log, char* const* argv,
                                 char* const* environment) {
  setpgid(0, 0);
  if (options.as && !become(*options.as)) _exit(cannot_execute);
  // Changing the user clears the death signal, so it is set after that. The parent may have died before that.
  prctl(PR_SET_PDEATHSIG, options.death_signal);
  if (getppid() != parent) _exit(cannot_execute);
  int const nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  bool const ready = nothing >= 0 && dup2(nothing, 0) == 0 && dup2(log, 1) == 1 && dup2(log, 2) == 2 &&
                     chdir(options.directory.c_str()) == 0;
  // Nor the sockets that a service manager passed to us (LISTEN_FDS): a store that held one would keep it open after
  // us.
  close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
  if (ready) execve(options.program.c_str(), argv, environment);
  _exit(cannot_execute);
}

pid_t spawn(child_options const& options) {
  int const log = open(options.log_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
  if (log < 0) fail(options.log_file);
  std::vector<std::string> texts = options.arguments;
  std::vector<char*> argv;
  for (auto& text : texts) argv.push_back(text.data());
  argv.push_back(nullptr);
  // Passes on nothing of our environment, which may hold secrets (SVC_REDIS_PASSWORD) and variables that a service
  // manager set only for us (NOTIFY_SOCKET).
  std::string path = "PATH=/usr/local/bin:/usr/bin:/bin";
  std::string locale = "LC_ALL=C";
  std::vector<char*> environment{path.data(), locale.data(), nullptr};

  pid_t const parent = getpid();
  pid_t const pid = fork();
  if (pid == 0) become_program(options, parent, log, argv.data(), environment.data());
  close(log);
  if (pid < 0) fail("fork");
  return pid;
}

int exit_code(siginfo_t const& info) {
  return info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
}

}  // namespace

std::optional<store_user> find_store_user() {
  if (geteuid() != 0) return std::nullopt;
  for (auto const* name : {"postgres", "nobody"})
    if (passwd const* user = getpwnam(name)) return store_user{user->pw_uid, user->pw_gid, name};
  throw std::runtime_error("there is neither a user postgres nor nobody, and PostgreSQL does not run as root");
}

bool can_enter(std::string const& directory, std::optional<store_user> const& user) {
  pid_t const pid = fork();
  if (pid < 0) fail("fork");
  if (pid == 0) _exit((!user || become(*user)) && ::access(directory.c_str(), X_OK) == 0 ? 0 : 1);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

child_process::child_process(child_options const& options)
    : pid_(spawn(options)), descriptor_(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0))) {
  if (descriptor_ < 0) {
    int const reason = errno;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    errno = reason;
    fail("pidfd_open");
  }
}

child_process::child_process(child_process&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)), descriptor_(std::exchange(other.descriptor_, -1)), code_(other.code_) {}

child_process::~child_process() {
  if (pid_ == 0) return;
  if (!wait(milliseconds(0))) {
    send(SIGKILL);
    wait(for_ever);
  }
  close(descriptor_);
}

std::optional<int> child_process::wait(milliseconds patience) {
  if (code_) return code_;
  pollfd ready{descriptor_, POLLIN, 0};
  auto const until = deadline::after(patience);
  int got = 0;
  do {
    auto const left = std::chrono::duration_cast<milliseconds>(until.at() - steady::now()).count();
    got = poll(&ready, 1, static_cast<int>(std::max<std::int64_t>(0, left)));
  } while (got < 0 && errno == EINTR);
  if (got <= 0) return std::nullopt;
  siginfo_t info{};
  if (waitid(P_PIDFD, static_cast<id_t>(descriptor_), &info, WEXITED | WNOHANG) != 0) fail("waitid");
  return code_ = exit_code(info);
}

void child_process::send(int signal) const {
  syscall(SYS_pidfd_send_signal, descriptor_, signal, nullptr, 0);
}

void child_process::stop(int signal, milliseconds patience) {
  if (wait(milliseconds(0))) return;
  send(signal);
  if (!wait(patience)) send(SIGKILL);
}

int run_to_end(child_options const& options) {
  return child_process(options).wait(for_ever).value_or(cannot_execute);
}

}  // namespace svc::app::dev
