#pragma once

#include "app/configuration/configuration.hpp"
#include "app/process/service_manager.hpp"
#include "svc/core/async.hpp"
#include "svc/core/metrics.hpp"
#include "svc/core/time.hpp"

#include <boost/asio/basic_signal_set.hpp>

#include <functional>
#include <string>
#include <vector>

namespace svc::app {

class tls_reloader;

/// What reading the configuration again leads to.
struct reload_plan {
  configuration values{};               ///< those that hold from now on
  std::vector<std::string> taken{};     ///< keys whose values change now
  std::vector<std::string> waiting{};   ///< keys that differ from what the process was started with, until a restart
  std::vector<std::string> problems{};  ///< if any, nothing changes
};

/// `started`: what the process was started with; `holds`: what holds now. Pure.
reload_plan plan_reload(configuration const& started, configuration const& holds, loaded_configuration const& fresh);

/// How the last attempt to read the configuration ended; the start counts as one.
struct reload_report {
  timestamp time{};
  bool refused = false;
  std::vector<std::string> waiting{};  ///< keys that wait for a restart
};

/// Reads the configuration again on SIGHUP, gives the workers what may change, and says what needs a restart. If
/// anything is wrong, nothing changes. The TLS files have their own watch, which is told to load them whatever the
/// configuration says: a wrong key must not keep a certificate from being renewed. Control thread only; owned by the
/// application.
class reloader {
 public:
  struct parts {
    asio::io_context& control;
    configuration const& started;
    configuration_reader read;
    metrics& counters;
    service_manager const& manager;
    tls_reloader* tls;  ///< null when no listener speaks TLS
    /// Gives these values to all workers; returns once they hold.
    std::function<task<>(configuration const&)> spread;
    std::function<bool()> serving;         ///< neither starting nor draining
    std::function<std::string()> address;  ///< that the service is known by
  };

  explicit reloader(parts parts);

  void start();
  void stop();
  /// The values that hold.
  configuration const& values() const { return holds_; }
  reload_report const& last() const { return last_; }
  /// Where the service serves and with which configuration, in one line for `systemctl status`.
  std::string summary() const;

 private:
  task<> watch_signal();
  task<> reload();
  task<> read_again();
  loaded_configuration read() const;
  task<> take(reload_plan plan);
  void refuse(std::vector<std::string> const& problems);

  parts parts_;
  configuration holds_;
  reload_report last_;
  counter loaded_, refused_;
  gauge loaded_at_, waiting_;
  asio::basic_signal_set<executor> hangups_;
};

}  // namespace svc::app
