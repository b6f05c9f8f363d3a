#pragma once

#include "svc/core/deadline.hpp"

#include <string>
#include <string_view>

namespace svc::app {

/// Returns the value of a variable that the service manager set for this process, empty without one. Removes the
/// variable, because child processes must not use it. Call it in the main thread, before other threads start.
std::string take_variable(char const* name);

/// Notifies the service manager of this process's state, over the socket that NOTIFY_SOCKET names; without one it
/// does nothing. The class implements the protocol itself, as sd_notify(3) allows, which promises to keep it.
/// libsystemd would load libgcrypt, liblzma, libzstd, liblz4 and libcap to send one datagram. Immutable and
/// thread-safe.
class service_manager {
 public:
  /// Reads this process's environment; see `take_variable`.
  static service_manager from_environment();

  /// `socket` is a path, or `@` and an abstract name; if empty, there is no manager. `watchdog` is the time that the
  /// manager waits for a sign of life; 0: it does not wait.
  explicit service_manager(std::string_view socket, microseconds watchdog = microseconds(0));
  service_manager(service_manager const&) = delete;
  service_manager& operator=(service_manager const&) = delete;
  ~service_manager();

  /// Returns how often to call `alive`: twice in the manager's waiting time. 0: never.
  microseconds watchdog_interval() const { return watchdog_ / 2; }

  /// The sentence is one line for people, as in all functions below: `systemctl status` shows it.
  void status(std::string_view sentence) const;
  /// Reports that the process may take traffic; also at the end of a reload.
  void ready(std::string_view sentence) const;
  void reloading(std::string_view sentence) const;
  void stopping(std::string_view sentence) const;
  void alive() const;

 private:
  void notify(std::string const& state) const;

  std::string address_;  ///< of its socket, as sockaddr_un has it
  microseconds watchdog_;
  int descriptor_ = -1;
};

/// Returns WATCHDOG_USEC, if WATCHDOG_PID is `self` or not set, otherwise 0. Pure.
microseconds read_watchdog(std::string_view microseconds_text, std::string_view pid, long self);

}  // namespace svc::app
