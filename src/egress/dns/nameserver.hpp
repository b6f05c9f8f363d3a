#pragma once

#include "egress/dns/round.hpp"
#include "egress/socket_watch.hpp"

#include <functional>
#include <memory>

using ares_channel = struct ares_channeldata*;

namespace svc::egress {

/// An open lookup, shared by its coroutine and by the open questions of c-ares. `changed` wakes the
/// coroutine, in a later turn of the event loop.
struct open_round {
  open_round(asio::io_context& io, std::string name, std::vector<record_type> types)
      : round(std::move(name), std::move(types)), changed(io) {}

  dns_round round;
  steady_timer changed;
};

/// One DNS server with its own c-ares channel, so that the resolver decides which server is next. c-ares
/// would not distinguish SERVFAIL of all its servers from no server at all. Asks over UDP, and over TCP if
/// the answer was truncated. Worker-local, held by `shared_ptr`.
///
/// c-ares calls back from inside `ares_query`, `ares_process_fd` and `ares_destroy`; its callbacks only
/// record the answer and wake the reader, so that no other code runs inside c-ares.
class nameserver : public std::enable_shared_from_this<nameserver> {
 public:
  /// Throws `std::runtime_error`. c-ares drops a question somewhat later than `patience`.
  nameserver(asio::io_context& io, nameserver_address const& address, milliseconds patience);
  ~nameserver();
  nameserver(nameserver const&) = delete;
  nameserver& operator=(nameserver const&) = delete;

  /// Asks the round's question `i` as part of its current step. The answer may be there when this returns.
  void ask(std::shared_ptr<open_round> const& round, std::size_t i);
  /// Ends all open questions as unanswered. No further question is allowed.
  void stop();

 private:
  void on_socket(int socket, bool readable, bool writable);
  void on_timer();
  /// Arms the timer for the time at which c-ares must run again.
  void rearm();

  ares_channel channel_ = nullptr;
  socket_watch sockets_;
  steady_timer timer_;
};

}  // namespace svc::egress
