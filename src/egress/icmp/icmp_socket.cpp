#include "egress/icmp/icmp_socket.hpp"

#include "egress/addresses.hpp"
#include "egress/icmp/echo.hpp"
#include "svc/core/random.hpp"

#include <linux/errqueue.h>
#include <linux/icmp.h>
#include <netinet/icmp6.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace svc::egress {

namespace {

constexpr std::size_t longest_packet = 2048;
/// Buffer for the replies of all pings of a worker that arrive while it does other work. The kernel gives at most
/// `net.core.rmem_max`, doubled.
constexpr int receive_buffer = 4 << 20;

int open_icmp_socket(bool v4, int kind) {
  return socket(v4 ? AF_INET : AF_INET6, kind | SOCK_CLOEXEC | SOCK_NONBLOCK,
                v4 ? static_cast<int>(IPPROTO_ICMP) : static_cast<int>(IPPROTO_ICMPV6));
}

template <class Value>
void set_socket(int fd, int level, int option, Value const& value) {
  setsockopt(fd, level, option, &value, sizeof value);
}

bool is_shortage(int error) {
  return error == EAGAIN || error == ENOBUFS || error == ENOMEM;
}

/// Limits the socket to echo replies, because a raw socket would wake for all messages of the machine.
void hear_replies_alone(int fd, bool v4) {
  if (v4) {
    // A set bit blocks its message type.
    set_socket(fd, SOL_RAW, ICMP_FILTER, icmp_filter{~(1U << ICMP_ECHOREPLY)});
    return;
  }
  icmp6_filter filter{};
  ICMP6_FILTER_SETBLOCKALL(&filter);
  ICMP6_FILTER_SETPASS(ICMP6_ECHO_REPLY, &filter);
  set_socket(fd, IPPROTO_ICMPV6, ICMP6_FILTER, filter);
}

}  // namespace

std::shared_ptr<pinger::icmp_socket> pinger::icmp_socket::open(asio::io_context& io, bool v4) {
  int fd = open_icmp_socket(v4, SOCK_DGRAM);
  bool const raw = fd < 0;
  if (raw) fd = open_icmp_socket(v4, SOCK_RAW);
  if (fd < 0) return nullptr;
  if (raw) hear_replies_alone(fd, v4);
  if (v4)
    set_socket(fd, IPPROTO_IP, IP_RECVERR, 1);
  else
    set_socket(fd, IPPROTO_IPV6, IPV6_RECVERR, 1);
  set_socket(fd, SOL_SOCKET, SO_RCVBUF, receive_buffer);
  return std::make_shared<icmp_socket>(io, fd, v4, raw);
}

pinger::icmp_socket::icmp_socket(asio::io_context& io, int fd, bool v4, bool raw)
    : io_(io), socket_(std::make_shared<descriptor>(io, fd)), v4_(v4), raw_(raw) {
  std::array<std::uint8_t, 4> bytes{};
  random_bytes(bytes);
  std::memcpy(&id_, bytes.data(), 2);
  std::memcpy(&next_, bytes.data() + 2, 2);
}

void pinger::icmp_socket::stop() {
  socket_->close();
  for (auto const& [sequence, ping] : std::exchange(open_, {})) ping->changed.cancel();
}

bool pinger::icmp_socket::send_bytes(std::string const& message, ip_address const& address) {
  socket_address const socket_address(address, 0);
  int const fd = socket_->native_handle();
  auto const sent = [&] {
    return sendto(fd, message.data(), message.size(), MSG_NOSIGNAL, socket_address.get(), socket_address.size) >= 0;
  };
  // The socket is shared, so the first error may be a router's report about another request.
  return sent() || (!is_shortage(errno) && sent());
}

sending pinger::icmp_socket::send(std::shared_ptr<open_ping> const& ping, std::size_t payload) {
  if (open_.size() >= std::numeric_limits<std::uint16_t>::max()) return sending::no_room;
  while (open_.contains(next_)) ++next_;
  std::vector<std::uint8_t> bytes(payload);
  std::copy_n(ping->token.begin(), ping->token_size, bytes.begin());
  if (!send_bytes(echo_request(v4_, id_, next_, bytes), ping->address))
    return is_shortage(errno) ? sending::no_room : sending::no_way;
  ping->waiting.emplace(next_, steady::now());
  open_.emplace(next_++, ping);
  listen();
  return sending::sent;
}

void pinger::icmp_socket::remove(open_ping const& ping) {
  for (auto const& [sequence, time] : ping.waiting) open_.erase(sequence);
}

void pinger::icmp_socket::listen() {
  if (listening_ || open_.empty()) return;
  listening_ = true;
  socket_->async_wait(asio::posix::descriptor_base::wait_read,
                      [weak = weak_from_this()](boost::system::error_code ec) {
                        auto const alive = weak.lock();
                        if (!alive) return;
                        alive->listening_ = false;
                        if (ec) return;
                        alive->read_errors();
                        alive->read_all();
                        alive->listen();
                      });
}

std::shared_ptr<open_ping> pinger::icmp_socket::find(std::uint16_t sequence, ip_address const& address) {
  auto const found = open_.find(sequence);
  return found == open_.end() || !(found->second->address == address) ? nullptr : found->second;
}

void pinger::icmp_socket::take(std::span<std::uint8_t const> message, ip_address const& address) {
  auto const echo = read_echo(message, v4_, v4_ && raw_);
  if (!echo || !echo->reply || (raw_ && echo->id != id_)) return;
  auto const ping = find(echo->sequence, address);
  if (!ping || echo->payload.size() < ping->token_size ||
      !std::equal(ping->token.begin(), ping->token.begin() + static_cast<std::ptrdiff_t>(ping->token_size),
                  echo->payload.begin()))
    return;
  auto const took = std::chrono::duration_cast<microseconds>(steady::now() - ping->waiting.at(echo->sequence));
  auto& answer = *ping->into;
  answer.least = answer.received == 0 ? took : std::min(answer.least, took);
  answer.most = std::max(answer.most, took);
  answer.sum += took;
  ++answer.received;
  ping->waiting.erase(echo->sequence);
  open_.erase(echo->sequence);
  ping->changed.cancel();
}

void pinger::icmp_socket::read_all() {
  std::array<std::uint8_t, longest_packet> buffer;  // NOLINT: written before it is read
  // The loop ends after 64 packets so that other work gets a turn; remaining packets wake the next wait.
  for (int i = 0; i < 64; ++i) {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    auto const got = recvfrom(socket_->native_handle(), buffer.data(), buffer.size(), MSG_DONTWAIT,
                              reinterpret_cast<sockaddr*>(&address), &size);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    // Any other error belongs to one request, and the error queue reports it.
    auto const position = got < 0 ? std::nullopt : address_of(reinterpret_cast<sockaddr*>(&address));
    if (position) take(std::span(buffer).first(static_cast<std::size_t>(got)), *position);
  }
}

/// Reads the errors that routers report. Each error contains the first bytes of the request that caused it.
void pinger::icmp_socket::read_errors() {
  for (int i = 0; i < 64; ++i) {
    std::array<std::uint8_t, longest_packet> data{};
    std::array<std::uint8_t, 512> control{};
    sockaddr_storage address{};
    iovec part{data.data(), data.size()};
    msghdr message{};
    message.msg_name = &address, message.msg_namelen = sizeof address;
    message.msg_iov = &part, message.msg_iovlen = 1;
    message.msg_control = control.data(), message.msg_controllen = control.size();
    auto const got = recvmsg(socket_->native_handle(), &message, MSG_ERRQUEUE | MSG_DONTWAIT);
    if (got < 0) return;
    auto const echo = read_echo(std::span(data).first(static_cast<std::size_t>(got)), v4_, false);
    auto const position = address_of(reinterpret_cast<sockaddr*>(&address));
    auto const ping = echo && position ? find(echo->sequence, *position) : nullptr;
    if (!ping || (raw_ && echo->id != id_)) continue;
    ++ping->unreachable;
    ping->waiting.erase(echo->sequence);
    open_.erase(echo->sequence);
    ping->changed.cancel();
  }
}

}  // namespace svc::egress
