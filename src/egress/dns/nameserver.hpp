#pragma once

#include "egress/dns/round.hpp"
#include "egress/socket_watch.hpp"

#include <functional>
#include <memory>

using ares_channel = struct ares_channeldata*;

namespace svc::egress {

/// A lookup under way, shared by its coroutine and by the questions that c-ares still has. `changed` wakes the
/// coroutine, in a later turn of the event loop.
struct open_round {
  open_round(asio::io_context& io, std::string name, std::vector<record_type> types)
      : round(std::move(name), std::move(types)), changed(io) {}

  dns_round round;
  steady_timer changed;
};

/// One DNS server, with a c-ares channel of its own, so that who is asked next is decided here: c-ares would not tell
/// SERVFAIL of all its servers from no server at all. Asks over UDP, and over TCP if the answer was cut.
/// Worker-local, held by `shared_ptr`.
///
/// c-ares calls back from inside `ares_query`, `ares_process_fd` and `ares_destroy`; those calls only note what came
/// and wake its reader, so that no code of others runs inside of c-ares.
class nameserver : public std::enable_shared_from_this<nameserver> {
 public:
  /// Throws `std::runtime_error`. `patience`: c-ares forgets a question somewhat later than after this time.
  nameserver(asio::io_context& io, nameserver_address const& address, milliseconds patience);
  ~nameserver();
  nameserver(nameserver const&) = delete;
  nameserver& operator=(nameserver const&) = delete;

  /// Asks the round's question `i` as part of its current step. The answer may be there when this returns.
  void ask(std::shared_ptr<open_round> const& round, std::size_t i);
  /// All open questions get silence; nothing may be asked any more.
  void stop();

 private:
  void on_socket(int socket, bool readable, bool writable);
  void on_timer();
  /// c-ares has a time at which it must run again.
  void rearm();

  ares_channel channel_ = nullptr;
  socket_watch sockets_;
  steady_timer timer_;
};

}  // namespace svc::egress
