#pragma once

#include "app/settled_change.hpp"
#include "svc/app/configuration.hpp"
#include "svc/core/async.hpp"
#include "svc/core/background_loops.hpp"
#include "svc/core/metrics.hpp"
#include "svc/net/tls_context.hpp"

#include <boost/asio/basic_signal_set.hpp>

#include <functional>

namespace svc::app {

/// Keeps what TLS listeners use as its files are: loads them at the start, at SIGHUP and when they changed. Files
/// that cannot be used are refused with one line, and what was loaded before stays. Control thread only; owned by the
/// application, whose `control` runs until this ends.
class tls_reloader {
 public:
  /// Throws when the files cannot be used.
  tls_reloader(asio::io_context& control, configuration const& with, metrics& counters, background_loops& loops);

  net::tls_context const& current() const { return current_; }
  /// From now on each new context is given to `changed`.
  void start(std::function<void(net::tls_context const&)> changed);

 private:
  task<> watch_files();
  task<> watch_signal();
  task<> load_at_once();
  void reload();
  bool load_tickets();
  bool load_certificate();
  void announce();
  settled_change::stamps look() const;

  configuration const& with_;
  settled_change files_;
  net::shared_ticket_keys tickets_;  ///< without a file the same for as long as this lives
  net::tls_context current_;
  std::function<void(net::tls_context const&)> changed_;
  gauge expiry_;
  counter loaded_, refused_;
  background_loop_ptr looks_;
  asio::basic_signal_set<executor> hangups_;
};

}  // namespace svc::app
