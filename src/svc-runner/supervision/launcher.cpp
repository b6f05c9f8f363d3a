#include "svc-runner/supervision/launcher.hpp"

#include "svc-runner/supervision/sweeper.hpp"
#include "svc/core/deadline.hpp"

#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <thread>

namespace svc::runner {
namespace {

constexpr std::size_t longest_report = 64UL * 1024;
constexpr milliseconds last_patience{10'000};

/// Descriptors; the destructor closes those that were not taken.
struct ends {
  std::array<int, 2> out{-1, -1}, err{-1, -1}, control{-1, -1};
  ~ends() {
    for (auto const& pair : {out, err, control})
      for (int const end : pair)
        if (end >= 0) ::close(end);
  }
  static int take(int& end) { return std::exchange(end, -1); }
};

/// Between fork and exec: only async-signal-safe calls. Closes everything else, because Asio opens sockets without
/// close-on-exec.
[[noreturn]] void become_supervisor(char const* program, ends const& ends, int held) {
  char name[] = "svc-runner";
  char argument[] = "supervise";
  char* const argv[] = {name, argument, nullptr};
  char* const environment[] = {nullptr};
  int const nothing = ::open("/dev/null", O_RDONLY);
  // Duplicated above the targets first, so that none is overwritten before it is used.
  int const control = ::fcntl(ends.control[1], F_DUPFD, 10);
  int const out = ::fcntl(ends.out[1], F_DUPFD, 10);
  int const err = ::fcntl(ends.err[1], F_DUPFD, 10);
  int const kept = held < 0 ? -1 : ::fcntl(held, F_DUPFD, 10);
  unsigned first = supervise_descriptor + 1;
  bool ready = ::dup2(nothing, 0) == 0 && ::dup2(out, 1) == 1 && ::dup2(err, 2) == 2 &&
               ::dup2(control, supervise_descriptor) == supervise_descriptor;
  if (held >= 0) ready = ready && ::dup2(kept, static_cast<int>(first++)) >= 0;
  ::syscall(SYS_close_range, first, ~0U, 0);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (ready) ::execve(program, argv, environment);
  ::_exit(127);
}

}  // namespace

void supervised_process::end(milliseconds grace) {
  boost::system::error_code ignored;
  if (grace.count() > 0 && notified) {
    asio::write(control, asio::buffer(end_line(grace)), ignored);
    return;
  }
  control.shutdown(socket::shutdown_send, ignored);
}

std::unique_ptr<supervised_process> launcher::start(int held) {
  ends ends;
  bool const made = ::pipe2(ends.out.data(), O_CLOEXEC) == 0 && ::pipe2(ends.err.data(), O_CLOEXEC) == 0 &&
                    ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.control.data()) == 0;
  if (!made) throw std::runtime_error(std::string("no pipe for a script: ") + std::strerror(errno));
  pid_t const pid = ::fork();
  if (pid == 0) become_supervisor(supervisor_.c_str(), ends, held);
  if (pid < 0) throw std::runtime_error(std::string("no process for a script: ") + std::strerror(errno));
  auto out = std::make_unique<supervised_process>(io_, ends::take(ends.out[0]), ends::take(ends.err[0]),
                                                  ends::take(ends.control[0]), pid);
  live_.emplace(pid, out.get());
  return out;
}

task<supervision_report> launcher::report(supervised_process& process, supervision supervision) {
  auto const line = to_line(supervision);
  // If this fails, reading the report fails too.
  static_cast<void>(co_await asio::async_write(process.control, asio::buffer(line), awaiting));
  process.notified = true;
  std::string answer;
  auto const [ec, n] =
      co_await asio::async_read_until(process.control, asio::dynamic_buffer(answer, longest_report), '\n', awaiting);
  auto const said = ec ? std::nullopt : read_report(answer);
  // Without a report it is dead or must be killed.
  if (!said) ::kill(process.pid, SIGKILL);
  ::waitpid(process.pid, nullptr, 0);
  live_.erase(process.pid);
  if (said) co_return *said;
  end_strays();
  supervision_report lost;
  lost.error = "the supervisor of this test was killed";
  co_return lost;
}

void launcher::end_all() {
  for (auto const& [pid, each] : live_) each->end();
  auto const until = deadline::after(last_patience);
  while (!live_.empty() && !until.passed()) {
    std::erase_if(live_, [](auto const& entry) { return ::waitpid(entry.first, nullptr, WNOHANG) != 0; });
    std::this_thread::sleep_for(milliseconds(1));
  }
}

bool launcher::end_strays_of_now() {
  bool found = false;
  for (auto const pid : descendants(::getpid())) {
    int status = 0;
    // Only our own children can be waited for: those that are not supervisors are strays, with all their descendants.
    if (live_.contains(pid)) continue;
    auto const state = ::waitpid(pid, &status, WNOHANG);
    found = found || state >= 0;
    if (state != 0) continue;
    auto const below = descendants(pid);
    ::kill(pid, SIGKILL);
    for (auto const each : below) ::kill(each, SIGKILL);
    ::waitpid(pid, nullptr, 0);
  }
  return found;
}

void launcher::end_strays() {
  // A process forked after a round has listed them becomes our child by the next round, because its parent is dead
  // then.
  auto const until = deadline::after(last_patience);
  while (end_strays_of_now() && !until.passed()) {
  }
}

}  // namespace svc::runner
