#include "svc/egress/datagram_client.hpp"

#include "egress/addresses.hpp"
#include "egress/socket_watch.hpp"
#include "svc/egress/connection_gate.hpp"

#include <sys/socket.h>
#include <unistd.h>
#include <boost/asio/this_coro.hpp>

#include <array>
#include <cerrno>

namespace svc::egress {

namespace {

constexpr std::size_t longest_reply = 4096;

/// Returns a connected socket, which receives only from the peer and reports ICMP errors. Returns null on failure;
/// `errno` has the reason.
std::shared_ptr<descriptor> connected_to(asio::io_context& io, ip_address const& address, std::uint16_t port) {
  int const fd = socket(address.v4 ? AF_INET : AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return nullptr;
  socket_address const socket_address(address, port);
  if (connect(fd, socket_address.get(), socket_address.size) == 0) return std::make_shared<descriptor>(io, fd);
  int const reason = errno;
  close(fd);
  errno = reason;
  return nullptr;
}

bool sent(descriptor& descriptor, std::string const& payload) {
  return send(descriptor.native_handle(), payload.data(), payload.size(), MSG_NOSIGNAL) >= 0;
}

}  // namespace

task<datagram_answer> datagram_client::ask(datagram_request request, deadline until) {
  datagram_answer out;
  auto const addresses =
      co_await find_allowed(names_, *policy_, request.host, request.family, until, request.address_age);
  out.dns = addresses.took;
  out.error = addresses.error;
  if (addresses.error != failure::none) co_return out;
  std::shared_ptr<descriptor> socket;
  gated_time time{until};
  auto begin = steady::now();
  for (auto const& address : addresses.all) {
    auto const waited_before = time.waited;
    if (!co_await pass_gate(request.gate, address, request.port, time)) {
      out.error = failure::cancelled;
      co_return out;
    }
    begin += time.waited - waited_before;
    socket = connected_to(io_, address, request.port);
    out.address = address.to_string();
    if (socket && sent(*socket, request.payload)) break;
    out.error = failure_of_errno(errno, failure::connect_unreachable);
    socket = nullptr;
  }
  if (!socket) co_return out;
  bool const came = co_await ready(socket, asio::posix::descriptor_base::wait_read, time.until.at());
  if (is_cancelled(co_await asio::this_coro::cancellation_state)) {
    out.error = failure::cancelled;
    co_return out;
  }
  out.first_byte = std::chrono::duration_cast<microseconds>(steady::now() - begin);
  std::array<char, longest_reply> buffer{};
  auto const got = came ? recv(socket->native_handle(), buffer.data(), buffer.size(), MSG_DONTWAIT) : -1;
  if (got >= 0) out.reply.assign(buffer.data(), static_cast<std::size_t>(got));
  if (got >= 0)
    out.error = failure::none;
  else
    out.error = came ? failure_of_errno(errno, failure::connect_unreachable) : failure::first_byte_timeout;
  co_return out;
}

}  // namespace svc::egress
