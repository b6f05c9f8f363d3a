#pragma once

#include "redis/handshake.hpp"
#include "redis/multiplexer.hpp"
#include "redis/transport.hpp"

namespace svc::redis {

/// One physical connection, from opening to its end: executes the multiplexer's decisions on a transport.
/// Worker-local; shared by the `client::backend` that made it and by its own pending operations. The settings
/// and counters outlive it.
class connection : public std::enable_shared_from_this<connection> {
 public:
  /// The connection calls `silent` like `client::on_silence`. `silent` may call `give_up`, and outlives the
  /// connection's last turn.
  connection(asio::io_context& io, settings const& where, address address, tls_context const* tls,
             statistics& counters, std::function<void(steady::time_point)> silent);

  /// Opens the connection and does the handshake within `connect_timeout`. Returns false if it is closed,
  /// with the reason in `fault()`.
  task<bool> open(std::vector<handshake_step> steps);
  /// Receives until the connection is closed.
  task<> serve();
  /// Ends all open commands; their callers continue in a later turn of the event loop.
  void close(std::string reason);

  /// Ends all patient commands; their callers continue in a later turn of the event loop.
  void give_up();

  /// Accepts a command, which leaves together with all others of this turn of the event loop. Returns false
  /// if it is `unsent`.
  bool submit(command_parts const& parts, waiter* waiter);

  bool closed() const { return transport_.closed(); }
  std::string const& fault() const { return fault_; }
  /// Returns true if a write was refused, so that a new connection must find the current primary.
  bool read_only() const { return read_only_; }

 private:
  task<bool> shake_hands(std::vector<handshake_step> steps);
  task<> receive_once();
  void take(transport::received_bytes const& got);
  void deliver();
  void check_time();

  void ping();
  void schedule_flush();
  void flush();

  void arm(steady::time_point time);
  void on_timer();

  asio::io_context& io_;
  settings const& where_;
  statistics& counters_;
  transport transport_;
  multiplexer mux_;
  std::function<void(steady::time_point)> silent_;
  steady_timer timer_;  // for all deadlines and the silence limit: a timer per command costs more than the command
  steady_timer ping_timer_;
  steady::time_point armed_at_ = steady::time_point::max();
  steady::time_point opened_ = steady::now();
  bool read_only_ = false;
  bool flush_scheduled_ = false;  // also while the socket is full
  bool time_is_up_ = false;       // a deadline has passed; acted on once the socket has been read
  std::string fault_;
};

}  // namespace svc::redis
