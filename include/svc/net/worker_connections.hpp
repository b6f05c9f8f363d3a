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

/// The live connections of all listeners of one kind on one worker: they share a service and a limit. Worker-local
/// unless stated otherwise. Made by the application, outlives the listener that feeds it; `io` must run until
/// `emptied` before either is destroyed. The process must ignore SIGPIPE: OpenSSL writes with write(2).
class worker_connections {
 public:
  /// `tls` may be null when no listener that feeds this speaks TLS. `served` is this worker's and outlives the
  /// sessions.
  /// `rules`: which peers may name a client's address. `counts`: what clients hold, over all workers that share it;
  /// null: counts of this worker alone.
  worker_connections(asio::io_context& io, http::service& served, session_settings settings, tls_context tls,
                     http::forwarding rules = {}, std::shared_ptr<shared_counts> counts = {});
  worker_connections(worker_connections const&) = delete;
  worker_connections& operator=(worker_connections const&) = delete;
  /// Closes what is left.
  ~worker_connections();

  /// Any thread. Connections here and on their way here.
  std::size_t load() const;
  /// Any thread. Reserves a place for a connection on its way here; false when the worker is full.
  bool reserve();
  /// Any thread. True when `reserve` would fail.
  bool full() const;
  /// Closes connections that wait for their client, to make room for others. Worker-local, like all below.
  void make_room();
  /// Connections that met a limit or were closed to make room, by reason.
  struct turned_away {
    std::size_t address = 0, user = 0, room = 0;
  };
  turned_away turned() const;
  /// Any thread, to post to.
  asio::io_context& io() const { return io_; }

  /// Takes over a connection for which a place is reserved.
  void adopt(arrival taken);

  /// For new connections; existing ones keep theirs.
  void replace_tls(tls_context tls) { tls_ = std::move(tls); }
  /// A peer that is not trusted any more is not believed from its next request on; one that is trusted now, on new
  /// connections.
  void replace_forwarding(http::forwarding rules);

  /// From now on each answer says `Connection: close`, but idle clients may still send one more request: the first
  /// half of a drain, for a load balancer that has not noticed yet.
  void announce_drain();
  /// Idle connections close at once, busy ones after their answer. One that has not asked yet may do so within
  /// `session_settings::first_in_drain`: its client could not know.
  void drain();
  /// Closes all connections, whatever they are doing.
  void close_all();
  /// True when the last connection is gone, false at the deadline.
  task<bool> emptied(deadline until);

 private:
  void close_waiting(std::size_t surplus);

  asio::io_context& io_;
  tls_context tls_;
  std::shared_ptr<session_host> host_;
};

}  // namespace svc::net
