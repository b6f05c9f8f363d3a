#pragma once

#include "redis/multiplexer.hpp"
#include "redis/transport.hpp"

namespace svc::redis {

/// One command that a new connection sends before it may be used. Views into the settings and scripts.
struct handshake_step {
  std::string_view name;  ///< for the log; the arguments may hold a password
  std::vector<std::string_view> arguments;
  std::string_view expected{};  ///< the text of a good reply, or of its first element; empty: any reply but an error
  bool may_fail = false;
  std::string_view otherwise{};  ///< the fault of an unexpected reply; empty: a general text
};

/// A step that proves that the server is a primary.
inline handshake_step const role_step{"ROLE", {"ROLE"}, "master", false, "the server is a replica"};

/// Returns AUTH, SELECT, CLIENT SETNAME, SCRIPT LOAD or PING, and ROLE, as the settings require. `database` is the
/// number as text; it and the other arguments outlive the steps.
std::vector<handshake_step> handshake_steps(settings const& where, std::string_view database,
                                            std::vector<script const*> const& scripts);

/// Returns the reason why the connection cannot be used after these outcomes, one for each step; empty if it can.
/// `end` is the reason of the link's end, if it has ended. An error reply takes precedence, because it explains more
/// than the missing replies after it. A full or protected server answers the first command, whichever it is, with an
/// error and closes the connection.
std::string handshake_fault(std::vector<handshake_step> const& steps, std::vector<outcome const*> const& got,
                            std::string const& end);

/// One physical connection, from opening to its end: executes on a channel the decisions of the multiplexer.
/// Worker-local; shared by the `client::backend` that made it and by its own pending operations. The settings and
/// counters outlive it.
class connection : public std::enable_shared_from_this<connection> {
 public:
  /// The link calls `silent` as `client::on_silence` says. `silent` may call `give_up`, and outlives the link's last
  /// turn.
  connection(asio::io_context& io, settings const& where, address address, tls_context const* tls,
             statistics& counters, std::function<void(steady::time_point)> silent);

  /// Opens the connection and does the handshake within `connect_timeout`. False: closed, with the reason in
  /// `fault()`.
  task<bool> open(std::vector<handshake_step> steps);
  /// Receives until the link is closed.
  task<> serve();
  /// Ends all open commands; their callers continue in a later turn of the event loop.
  void close(std::string reason);

  /// Ends all patient commands; their callers continue in a later turn of the event loop.
  void give_up();

  /// Accepts a command, which leaves together with all others of this turn of the event loop. False: `unsent`.
  bool submit(command_parts const& parts, waiter* waiter);

  bool closed() const { return transport_.closed(); }
  std::string const& fault() const { return fault_; }
  /// True if a write was refused: a new connection must find the current primary.
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
