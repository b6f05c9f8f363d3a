#include "app/process/tls_reloader.hpp"

#include "svc/core/log.hpp"
#include "svc/core/spawn_task.hpp"
#include "svc/core/time.hpp"

#include <sys/stat.h>

#include <exception>

namespace svc::app {

std::vector<file_stamp> stamps_of(std::vector<std::string> const& paths) {
  std::vector<file_stamp> out;
  for (auto const& path : paths) {
    struct stat found{};
    if (::stat(path.c_str(), &found) == 0)
      out.push_back({found.st_dev, found.st_ino, found.st_size, found.st_mtim.tv_sec, found.st_mtim.tv_nsec});
    else
      out.emplace_back();
  }
  return out;
}

namespace {

/// Time between two stat() calls of each file. Files are loaded once nothing has changed for this long, so several
/// files must be replaced without a longer pause in between.
constexpr std::chrono::seconds look_interval{1};

counter reloads(metrics& counters, char const* result) {
  return counters.make_counter("svc_tls_reloads_total", "Loads of the TLS files after the start",
                               {{"result", result}});
}

}  // namespace

tls_reloader::tls_reloader(asio::io_context& control, configuration const& config, metrics& counters,
                           background_loops& loops)
    : control_(control),
      config_(config),
      files_(look()),
      tickets_(config.tls.ticket_keys_file.empty() ? net::random_ticket_keys()
                                                   : net::load_ticket_keys(config.tls.ticket_keys_file)),
      current_(net::load_tls_context(config.tls.cert_file, config.tls.key_file, tickets_)),
      expiry_(counters.make_gauge("svc_tls_certificate_expiry_timestamp_seconds",
                                  "When the certificate for new connections expires, in Unix time")),
      loaded_(reloads(counters, "loaded")),
      refused_(reloads(counters, "refused")),
      looks_(loops.add("tls_files", "control", look_interval)) {
  announce();
}

void tls_reloader::start(std::function<void(net::tls_context const&)> changed) {
  changed_ = std::move(changed);
  spawn_task(control_, repeat(looks_, [] { return true; }, [this] { return watch_files(); }));
}

task<> tls_reloader::watch_files() {
  if (files_.look(look())) reload();
  co_return;
}

void tls_reloader::load_at_once() {
  // The stamp is read before the load, so that the next look sees a change during the load.
  files_.take(look());
  reload();
}

settled_change::stamps tls_reloader::look() const {
  return stamps_of({config_.tls.cert_file, config_.tls.key_file, config_.tls.ticket_keys_file});
}

/// Loads each independently: bad ticket keys must not keep a certificate from being renewed.
void tls_reloader::reload() {
  bool const tickets = load_tickets(), certificate = load_certificate();
  (tickets && certificate ? loaded_ : refused_).add();
}

bool tls_reloader::load_tickets() {
  if (config_.tls.ticket_keys_file.empty()) return true;
  try {
    auto fresh = net::load_ticket_keys(config_.tls.ticket_keys_file);
    if (*fresh == *tickets_) return true;
    current_ = net::with_ticket_keys(current_, fresh);
    tickets_ = std::move(fresh);
    changed_(current_);
    log::info("TLS session ticket keys loaded", {{"keys", tickets_->size()}});
    return true;
  } catch (std::exception const& e) {
    log::error("the TLS session ticket keys cannot be used; those loaded before stay", {{"reason", e.what()}});
    return false;
  }
}

bool tls_reloader::load_certificate() {
  try {
    current_ = net::load_tls_context(config_.tls.cert_file, config_.tls.key_file, tickets_);
    changed_(current_);
    announce();
    return true;
  } catch (std::exception const& e) {
    log::error("the TLS certificate or its key cannot be used; those loaded before stay", {{"reason", e.what()}});
    return false;
  }
}

void tls_reloader::announce() {
  auto const end = net::certificate_expiry(current_);
  expiry_.set(static_cast<double>(end.micros / 1'000'000));
  log::info("TLS certificate loaded", {{"notAfter", to_rfc3339(end)}});
}

}  // namespace svc::app
