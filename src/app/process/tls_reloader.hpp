#pragma once

#include "app/configuration/configuration.hpp"
#include "svc/core/async.hpp"
#include "svc/core/background_loops.hpp"
#include "svc/core/metrics.hpp"
#include "svc/net/tls_context.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace svc::app {

/// Distinguishes versions of a file. A missing file has a stamp of zeros.
struct file_stamp {
  std::uint64_t device = 0, inode = 0;
  std::int64_t size = 0, seconds = 0, nanoseconds = 0;

  friend bool operator==(file_stamp const&, file_stamp const&) = default;
};

/// The stamps of the files at the paths, symbolic links followed. An empty path counts as a missing file.
std::vector<file_stamp> stamps_of(std::vector<std::string> const& paths);

/// Decides when to load files that may be replaced one after another: when they differ from those taken last and have
/// not changed since the previous look.
class settled_change {
 public:
  using stamps = std::vector<file_stamp>;

  explicit settled_change(stamps now) : taken_(now), seen_(std::move(now)) {}

  /// True when they should be loaded. They count as taken then, even if loading fails: a file that cannot be used is
  /// reported once and tried again when it changes.
  bool look(stamps now) {
    bool const settled = now == seen_;
    seen_ = std::move(now);
    if (!settled || seen_ == taken_) return false;
    taken_ = seen_;
    return true;
  }
  /// Call when the files are loaded for another reason than `look`.
  void take(stamps now) { taken_ = seen_ = std::move(now); }

 private:
  stamps taken_, seen_;
};

/// Keeps the listeners' TLS context up to date with its files: loads them at the start, on SIGHUP and
/// when they have changed. Files that cannot be used are refused with one log line, and the earlier files stay in
/// effect. Control thread only; owned by the application, whose `control` outlives this.
class tls_reloader {
 public:
  /// Throws when the files cannot be used.
  tls_reloader(asio::io_context& control, configuration const& config, metrics& counters, background_loops& loops);

  net::tls_context const& current() const { return current_; }
  /// From now on passes each new context to `changed`.
  void start(std::function<void(net::tls_context const&)> changed);
  /// After `start`: loads the files, changed or not.
  void load_at_once();

 private:
  task<> watch_files();
  void reload();
  bool load_tickets();
  bool load_certificate();
  void announce();
  settled_change::stamps look() const;

  asio::io_context& control_;
  configuration const& config_;
  settled_change files_;
  net::shared_ticket_keys tickets_;  ///< without a file: the same keys for as long as this lives
  net::tls_context current_;
  std::function<void(net::tls_context const&)> changed_;
  gauge expiry_;
  counter loaded_, refused_;
  background_loop_ptr looks_;
};

}  // namespace svc::app
