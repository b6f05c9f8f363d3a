#include "redis/transport.hpp"

#include "svc/core/fault_words.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/local/stream_protocol.hpp>

namespace svc::redis {

transport::transport(asio::io_context& io, settings const& where, address address, tls_context const* tls)
    : where_(where), address_(std::move(address)), socket_(io), resolver_(io) {
  if (tls != nullptr) tls_.emplace(*tls, address_.host);
}

task<bool> transport::open() {
  if (!co_await connect() || closed_) co_return false;
  boost::system::error_code ec;
  socket_.non_blocking(true, ec);
  // A small write must not wait for the acknowledgement of the previous one: RFC 896 (Nagle) delays it, and RFC 1122
  // 4.2.3.2 delays the acknowledgement.
  if (where_.unix_path.empty()) socket_.set_option(asio::ip::tcp::no_delay(true), ec);
  if (ec) {
    fault_ = "socket options: " + ec.message();
    co_return false;
  }
  if (!tls_) co_return true;
  co_return co_await shake_hands();
}

task<bool> transport::connect() {
  if (!where_.unix_path.empty())
    co_return co_await connect_to(asio::local::stream_protocol::endpoint(where_.unix_path));
  boost::system::error_code no_address;
  auto const address = asio::ip::make_address(address_.host, no_address);
  if (no_address) co_return co_await resolve_and_connect();
  auto const port = static_cast<std::uint16_t>(std::stoul(address_.port));
  co_return co_await connect_to(asio::ip::tcp::endpoint(address, port));
}

task<bool> transport::resolve_and_connect() {
  auto [ec, found] = co_await resolver_.async_resolve(address_.host, address_.port, awaiting);
  if (ec) {
    fault_ = in_plain_words("resolve: " + ec.message());
    co_return false;
  }
  for (auto const& entry : found) {
    if (closed_) co_return false;
    if (co_await connect_to(entry.endpoint())) co_return true;
  }
  co_return false;
}

task<bool> transport::connect_to(asio::generic::stream_protocol::endpoint endpoint) {
  boost::system::error_code ignored;
  if (socket_.is_open()) socket_.close(ignored);
  auto [ec] = co_await socket_.async_connect(endpoint, awaiting);
  if (ec) fault_ = "connect: " + ec.message();
  co_return !ec && !closed_;
}

task<bool> transport::shake_hands() {
  for (;;) {
    auto const step = tls_->handshake();
    send_cipher();  // a new socket's buffer has room for the few flights of a handshake
    if (step == tls_engine::step::failed) fault_ = in_plain_words("tls: " + tls_->fault());
    if (step == tls_engine::step::failed || closed_) co_return false;
    if (step == tls_engine::step::done) co_return true;
    auto [ec, size] = co_await socket_.async_read_some(asio::buffer(input_), awaiting);
    if (ec) {
      fault_ = in_plain_words("tls: " + ec.message());
      co_return false;
    }
    tls_->feed({input_.data(), size});
  }
}

task<transport::received_bytes> transport::receive() {
  auto [ec, size] = co_await socket_.async_read_some(asio::buffer(input_), awaiting);
  if (closed_) co_return received_bytes{state::closed};
  // `wake` aborts the wait and loses no bytes: an operation that has already read some reports them.
  if (ec == asio::error::operation_aborted) co_return received_bytes{state::nothing};
  if (ec) co_return lost("read: " + ec.message());
  co_return taken(size);
}

transport::received_bytes transport::receive_now() {
  if (closed_) return {state::closed};
  boost::system::error_code ec;
  auto const size = socket_.read_some(asio::buffer(input_), ec);
  if (ec == asio::error::would_block || ec == asio::error::try_again) return {state::nothing};
  if (ec) return lost("read: " + ec.message());
  return taken(size);
}

void transport::wake() {
  boost::system::error_code ignored;
  socket_.cancel(ignored);
}

transport::received_bytes transport::taken(std::size_t size) {
  if (!tls_) return {state::data, {input_.data(), size}};
  tls_->feed({input_.data(), size});
  plain_in_.clear();
  auto const step = tls_->decrypt(plain_in_);
  send_cipher();  // answers to key updates
  if (step == tls_engine::step::failed && plain_in_.empty()) return lost("tls: " + tls_->fault());
  return {plain_in_.empty() ? state::nothing : state::data, plain_in_};
}

transport::received_bytes transport::lost(std::string reason) {
  if (fault_.empty()) fault_ = std::move(reason);
  close();
  return {state::closed};
}

std::size_t transport::send(std::string_view bytes) {
  if (!writable()) return 0;
  if (!tls_) return send_plain(bytes);
  send_cipher();
  if (blocked_ || !writable()) return 0;
  if (!tls_->encrypt(bytes)) {
    lost("tls: " + tls_->fault());
    return 0;
  }
  send_cipher();
  return bytes.size();
}

std::size_t transport::send_plain(std::string_view bytes) {
  std::size_t sent = 0;
  blocked_ = false;
  while (sent < bytes.size() && !write_failed_) {
    boost::system::error_code ec;
    sent += socket_.write_some(asio::buffer(bytes.substr(sent)), ec);
    blocked_ = ec == asio::error::would_block || ec == asio::error::try_again;
    if (blocked_) break;
    if (ec) {
      // The receiver closes the channel: what Redis sent before it closed the connection is still in the socket.
      write_failed_ = true;
      fault_ = "write: " + ec.message();
      socket_.shutdown(socket::shutdown_both, ec);
    }
  }
  return sent;
}

void transport::send_cipher() {
  tls_->drain(cipher_out_);
  cipher_out_.erase(0, send_plain(cipher_out_));
}

void transport::close() {
  closed_ = true;
  boost::system::error_code ignored;
  resolver_.cancel();
  socket_.close(ignored);
}

}  // namespace svc::redis
