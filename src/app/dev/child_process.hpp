#pragma once

#include "svc/core/deadline.hpp"

#include <sys/types.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace svc::app::dev {

/// Throws `subject` with the text for errno.
[[noreturn]] inline void fail(std::string const& subject) {
  throw std::runtime_error(subject + ": " + std::strerror(errno));
}

/// The user of the stores when we are root: PostgreSQL refuses to run as root, and Redis does not need to.
struct store_user {
  uid_t uid;
  gid_t gid;
  std::string name;
};

/// Returns `postgres` if it exists, else `nobody`; nothing when we are not root (the stores run as ourselves).
std::optional<store_user> find_store_user();

/// True when `user` (or we ourselves) can enter the directory. Asks the kernel, in a child.
bool can_enter(std::string const& directory, std::optional<store_user> const& user);

struct child_options {
  std::string program;
  std::vector<std::string> arguments;  ///< argv, the name first
  std::optional<store_user> as{};
  std::string log_file;  ///< standard output and error; emptied
  int death_signal;      ///< sent to the child when this process dies for any reason
  std::string directory = "/";
};

/// A child that cannot outlive this process. In a process group of its own, so that a terminal's Ctrl-C reaches
/// only us. Start it from the main thread: the death signal follows the thread that forked. Ended and reaped in
/// the destructor at the latest. Used by one thread at a time.
class child_process {
 public:
  /// Throws `std::runtime_error` when the program cannot be executed.
  explicit child_process(child_options const& options);
  child_process(child_process&& other) noexcept;
  child_process& operator=(child_process&&) = delete;
  ~child_process();

  pid_t pid() const { return pid_; }  ///< may belong to another process once the child was reaped
  /// Readable once the child has ended.
  int descriptor() const { return descriptor_; }
  /// The exit code (128 + signal for a signal) within `patience`. Reaps, so that an ended child does not look alive:
  /// PostgreSQL refuses data whose last server's pid still exists.
  std::optional<int> wait(milliseconds patience);
  /// Sends `signal` and waits; after `patience`, kills.
  void stop(int signal, milliseconds patience);
  void send(int signal) const;

 private:
  pid_t pid_;
  /// A pidfd, which names this child even when its pid has been reused.
  int descriptor_;
  std::optional<int> code_{};  ///< set once it was reaped
};

/// Runs the program to its end and returns the exit code.
int run_to_end(child_options const& options);

}  // namespace svc::app::dev
