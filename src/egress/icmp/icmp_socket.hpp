#pragma once

#include "egress/socket_watch.hpp"
#include "svc/core/ip_address.hpp"
#include "svc/egress/icmp/pinger.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace svc::egress {

/// The outcome of sending a request.
enum class sending : std::uint8_t {
  sent,
  no_way,   ///< no route, reported by this machine or its router
  no_room,  ///< our own fault: no buffers or sequence numbers left
};

/// The requests of one ping that wait for replies. `changed` wakes its coroutine.
struct open_ping {
  explicit open_ping(asio::io_context& io) : changed(io) {}

  ip_address address{};
  std::array<std::uint8_t, 16> token{};
  std::size_t token_size = 0;  ///< number of token bytes in the payload
  std::unordered_map<std::uint16_t, steady::time_point> waiting{};
  ping_answer* into = nullptr;
  unsigned unreachable = 0;
  steady_timer changed;
};

/// The socket of one family. Worker-local, held by `shared_ptr`; listens while a ping waits.
class pinger::icmp_socket : public std::enable_shared_from_this<icmp_socket> {
 public:
  /// Returns null if neither kind of socket is allowed.
  static std::shared_ptr<icmp_socket> open(asio::io_context& io, bool v4);
  icmp_socket(asio::io_context& io, int fd, bool v4, bool raw);

  asio::io_context& io() { return io_; }
  sending send(std::shared_ptr<open_ping> const& ping, std::size_t payload);
  void remove(open_ping const& ping);
  void stop();

 private:
  /// Returns false on an error; `errno` has the reason.
  bool send_bytes(std::string const& message, ip_address const& address);
  void listen();
  void read_all();
  void take(std::span<std::uint8_t const> message, ip_address const& address);
  void read_errors();
  std::shared_ptr<open_ping> find(std::uint16_t sequence, ip_address const& address);

  asio::io_context& io_;
  std::shared_ptr<descriptor> socket_;
  bool const v4_, raw_;
  std::uint16_t id_ = 0, next_ = 0;
  bool listening_ = false;
  std::unordered_map<std::uint16_t, std::shared_ptr<open_ping>> open_;
};

}  // namespace svc::egress
