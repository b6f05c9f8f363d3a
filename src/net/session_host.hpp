#pragma once

#include "net/connection_table.hpp"
#include "net/request_buffers.hpp"
#include "net/unique_fd.hpp"
#include "svc/core/async.hpp"
#include "svc/http/client_address.hpp"
#include "svc/http/message.hpp"
#include "svc/net/listener.hpp"
#include "svc/net/session_settings.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>

namespace svc::net {

/// An accepted, non-blocking connection on its way from the listener to its worker.
struct arrival {
  unique_fd descriptor;
  int family;
  std::string peer;  ///< textual address without a port
  listener_traits traits;
};

class session;

/// State that the sessions of one `worker_connections` share. Worker-local except for `load`; lives as long as the
/// last session.
struct session_host {
  session_host(asio::io_context& io, http::service& served, session_settings limits, http::forwarding rules,
               std::shared_ptr<shared_counts> counts)
      : service(served),
        settings(limits),
        tick(limits.shortest()),
        forwarding(std::move(rules)),
        table(settings, std::move(counts)),
        emptied(io.get_executor()) {}

  http::service& service;
  session_settings const settings;
  session_settings::duration const tick;  ///< interval of each session's watchdog
  http::forwarding forwarding;
  request_buffer_pool buffers{};
  std::string frame{};  ///< scratch of the streamed bodies
  std::unordered_set<session*> sessions{};
  connection_table table;
  bool announced = false;  ///< answers close their connection
  bool draining = false;   ///< in addition, no session waits for another request
  std::atomic<std::size_t> load = 0;
  std::size_t leaving = 0;   ///< connections in `load` that were closed to make room but still exist
  std::size_t reserved = 0;  ///< the remaining connections that are on the reserve
  steady_timer emptied;      ///< cancelled when `load` falls to 0

  /// Returns the number of connections that stay and are not on the reserve, including those on their way to this
  /// worker.
  std::size_t ordinary() const { return load.load(std::memory_order_relaxed) - leaving - reserved; }
  /// Returns how many ordinary connections exceed the limit.
  std::size_t surplus() const {
    // Reads once, because the listener's thread adds to `load` meanwhile.
    auto const now = ordinary();
    return now - std::min(now, settings.connections);
  }
};

/// A slot in `load` that `worker_connections::reserve` took. The destructor gives it back. Worker-local.
class reserved_connection {
 public:
  explicit reserved_connection(std::shared_ptr<session_host> host) : host_(std::move(host)) {}
  reserved_connection(reserved_connection&&) noexcept = default;
  reserved_connection& operator=(reserved_connection&&) = delete;
  ~reserved_connection() {
    if (host_ && host_->load.fetch_sub(1, std::memory_order_relaxed) == 1) host_->emptied.cancel();
  }

  session_host& host() const { return *host_; }

 private:
  std::shared_ptr<session_host> host_;
};

}  // namespace svc::net
