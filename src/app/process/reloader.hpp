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

/// The consequences of reading the configuration again.
struct reload_plan {
  configuration values{};               ///< the values that apply from now on
  std::vector<std::string> taken{};     ///< keys whose values change now
  std::vector<std::string> waiting{};   ///< keys whose values differ from those at the start of the process, until a
                                        ///< restart
  std::vector<std::string> problems{};  ///< if any, nothing changes
};

/// `started` has the values at the start of the process, `holds` the current values. Pure.
reload_plan plan_reload(configuration const& started, configuration const& holds, loaded_configuration const& fresh);

/// The result of the last attempt to read the configuration; the start counts as one.
struct reload_report {
  timestamp time{};
  bool refused = false;
  std::vector<std::string> waiting{};  ///< keys that wait for a restart
};

/// Reads the configuration again on SIGHUP, gives the workers the changeable values, and reports which keys need a
/// restart. If there is any problem, nothing changes. The TLS files have their own watcher. The reloader always makes
/// it load the files, because a wrong key must not prevent the renewal of a certificate. The application owns the
/// object, which only the control thread uses.
class reloader {
 public:
  struct parts {
    asio::io_context& control;
    configuration const& started;
    configuration_reader read;
    metrics& counters;
    service_manager const& manager;
    tls_reloader* tls;  ///< null when no listener speaks TLS
    /// Gives these values to all workers; returns once they apply.
    std::function<task<>(configuration const&)> spread;
    std::function<bool()> serving;         ///< neither starting nor draining
    std::function<std::string()> address;  ///< returns the service's address
  };

  explicit reloader(parts parts);

  void start();
  void stop();
  /// The current values.
  configuration const& values() const { return holds_; }
  reload_report const& last() const { return last_; }
  /// Returns the service's address and configuration in one line for `systemctl status`.
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
