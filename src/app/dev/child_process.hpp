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

/// Throws with what errno says.
[[noreturn]] inline void fail(std::string const& what) {
  throw std::runtime_error(what + ": " + std::strerror(errno));
}

/// Whom the stores run as when we are root: PostgreSQL refuses root, and Redis has no need of it.
struct store_user {
  uid_t uid;
  gid_t gid;
  std::string name;
};

/// `postgres` if it exists, else `nobody`; nothing when we are not root (the stores run as ourselves).
std::optional<store_user> find_store_user();

/// True when `user` (or we ourselves) can enter the directory. Asks the kernel, in a child.
bool can_enter(std::string const& directory, std::optional<store_user> const& user);

struct child_options {
  std::string program;
  std::vector<std::string> arguments;  ///< argv, the name first
  std::optional<store_user> as{};
  std::string log_file;  ///< standard output and error; emptied
  int death_signal;      ///< what the child gets when we die, however we die
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

  pid_t pid() const { return pid_; }  ///< a mere number once the child has ended
  /// Readable once the child has ended.
  int descriptor() const { return descriptor_; }
  /// The exit code (128 + signal for a signal) within `patience`. Reaps, so that nobody takes an ended child for
  /// alive: PostgreSQL starts on no data whose last server's number still exists.
  std::optional<int> wait(milliseconds patience);
  /// Sends `signal` and waits; after `patience`, kills.
  void stop(int signal, milliseconds patience);
  void send(int signal) const;

 private:
  pid_t pid_;
  /// Names this child alone, also when its number has gone to another.
  int descriptor_;
  std::optional<int> code_{};  ///< once it was reaped
};

/// Runs to its end and returns the exit code.
int run_to_end(child_options const& options);

}  // namespace svc::app::dev
