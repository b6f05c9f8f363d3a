#pragma once

#include "svc/core/deadline.hpp"

#include <string>
#include <string_view>

namespace svc::app {

/// The value of a variable that the service manager set for this process, empty without one. Removes it: child
/// processes must not take it for theirs. Main thread, before others are started.
std::string take_variable(char const* name);

/// Tells the service manager how this process is, over the socket that NOTIFY_SOCKET names; without one it does
/// nothing. The protocol is written out here, as sd_notify(3) allows (it promises that it stays): libsystemd would
/// bring libgcrypt, liblzma, libzstd, liblz4 and libcap into the process to send one datagram. Immutable; any thread.
class service_manager {
 public:
  /// From this process's environment; see `take_variable`.
  static service_manager from_environment();

  /// `socket`: a path, or `@` and an abstract name; empty: nobody listens. `watchdog`: how long it waits for a sign
  /// of life; 0: it does not.
  explicit service_manager(std::string_view socket, microseconds watchdog = microseconds(0));
  service_manager(service_manager const&) = delete;
  service_manager& operator=(service_manager const&) = delete;
  ~service_manager();

  /// How often it should be told `alive`: twice in the time that it waits. 0: never.
  microseconds watchdog_interval() const { return watchdog_ / 2; }

  /// The sentence is one line for people, as all below: `systemctl status` shows it.
  void status(std::string_view sentence) const;
  /// It may take traffic; also at the end of a reload.
  void ready(std::string_view sentence) const;
  void reloading(std::string_view sentence) const;
  void stopping(std::string_view sentence) const;
  void alive() const;

 private:
  void tell(std::string const& state) const;

  std::string address_;  ///< of its socket, as sockaddr_un has it
  microseconds watchdog_;
  int descriptor_ = -1;
};

/// WATCHDOG_USEC, if WATCHDOG_PID is `self` or not set; 0 otherwise. Pure.
microseconds read_watchdog(std::string_view microseconds_text, std::string_view pid, long self);

}  // namespace svc::app
