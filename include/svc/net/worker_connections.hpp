#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/shared_counts.hpp"
#include "svc/http/client_address.hpp"
#include "svc/http/message.hpp"
#include "svc/net/session_settings.hpp"
#include "svc/net/tls_context.hpp"

#include <cstddef>
#include <memory>
#include <string>

namespace svc::net {

struct arrival;
struct session_host;

/// The live connections of all listeners of one kind on one worker: they share a service and a limit.
/// Worker-local unless stated otherwise. The application owns the object, which outlives the listener that
/// feeds it; `io` must run until `emptied` before either is destroyed. The process must ignore SIGPIPE:
/// OpenSSL writes with write(2).
class worker_connections {
 public:
  /// `tls` may be null when no listener that feeds this speaks TLS. `served` is this worker's and outlives
  /// the sessions. `rules` has the peers that may name a client's address. `counts` counts the connections of
  /// clients over all workers that share it; null: only over this worker.
  worker_connections(asio::io_context& io, http::service& served, session_settings settings, tls_context tls,
                     http::forwarding rules = {}, std::shared_ptr<shared_counts> counts = {});
  worker_connections(worker_connections const&) = delete;
  worker_connections& operator=(worker_connections const&) = delete;
  /// Closes the remaining connections.
  ~worker_connections();

  /// Returns the number of connections here and on their way here. Any thread.
  std::size_t load() const;
  /// Reserves a slot for a connection on its way here. Returns false if the worker is full. Any thread.
  bool reserve();
  /// Returns true if `reserve` would fail. Any thread.
  bool full() const;
  /// Closes connections that wait for their client, to make room for others. Worker-local, like all below.
  void make_room();
  /// Connections that met a limit or were closed to make room, by reason.
  struct turned_away {
    std::size_t address = 0, user = 0, room = 0;
  };
  turned_away turned() const;
  /// Any thread, for posts.
  asio::io_context& io() const { return io_; }

  /// Takes over a connection for which a slot is reserved.
  void adopt(arrival taken);

  /// Sets the context of new connections; existing ones keep theirs.
  void replace_tls(tls_context tls) { tls_ = std::move(tls); }
  /// A peer that has lost trust is not believed from its next request on. A newly trusted peer is believed on
  /// new connections.
  void replace_forwarding(http::forwarding rules);

  /// Starts the first half of a drain: each answer says `Connection: close`. Idle clients may send one more
  /// request, because a load balancer may not have noticed yet.
  void announce_drain();
  /// Closes idle connections at once, busy ones after their answer. A connection that has sent no request yet
  /// may send one within `session_settings::first_in_drain`, because its client could not know of the drain.
  void drain();
  /// Closes all connections, whatever they are doing.
  void close_all();
  /// Returns true once the last connection is gone, false at the deadline.
  task<bool> emptied(deadline until);

 private:
  void close_waiting(std::size_t surplus);

  asio::io_context& io_;
  tls_context tls_;
  std::shared_ptr<session_host> host_;
};

}  // namespace svc::net
