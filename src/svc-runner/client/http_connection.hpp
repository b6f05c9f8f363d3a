#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/secret.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>

namespace svc::runner {

/// The address at which the service listens for runners. A value.
struct endpoint {
  bool tls = true;
  std::string host{};  ///< a name or an address, IPv6 without brackets
  std::string port = "443";
  std::string unix_path{};  ///< instead of host and port, without TLS

  /// For the Host field.
  std::string authority() const;
};

/// `https://HOST[:PORT]`, `unix:/PATH`, or `http://` to this machine's loopback address; nothing else, and no path.
std::optional<endpoint> parse_endpoint(std::string_view url);

/// The request may or may not have arrived; send it again.
class connection_lost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The server has no certificate that we trust for this name. No request was sent.
class untrusted_service : public connection_lost {
 public:
  using connection_lost::connection_lost;
};

/// An answer of the service. A value.
struct http_reply {
  int status = 0;
  std::string body{};
  milliseconds retry_after{0};
};

/// Verifies servers by `ca_file`, or by the system's authorities. Throws `std::runtime_error`.
asio::ssl::context make_client_tls(std::string const& ca_file);

/// One keep-alive connection with at most one request in progress. Connects at the first request. Worker-local; the
/// TLS context must outlive it.
class http_connection {
 public:
  http_connection(asio::io_context& io, endpoint where, asio::ssl::context& tls);
  ~http_connection();
  http_connection(http_connection const&) = delete;
  http_connection& operator=(http_connection const&) = delete;

  /// Posts JSON and reads the answer. Throws `connection_lost`, also when `until` passes; then the connection is
  /// closed, and the next request opens another one.
  task<http_reply> post(std::string target, std::string body, secret_string const& token, deadline until);
  /// Ends a request in progress, which then throws.
  void close();
  bool open() const { return open_; }

 private:
  using tcp_socket = asio::basic_stream_socket<asio::ip::tcp, executor>;
  using unix_socket = asio::basic_stream_socket<asio::local::stream_protocol, executor>;
  using tls_stream = asio::ssl::stream<tcp_socket>;

  task<> connect();
  task<> connect_tcp(tcp_socket& socket);
  task<> shake_hands(tls_stream& stream);
  template <class Stream>
  task<http_reply> exchange(Stream& stream, std::string target, std::string body, secret_string const& token);
  /// Closes the connection when `until` passes, unless the returned guard is destroyed before.
  std::shared_ptr<http_connection*> guard(deadline until);

  asio::io_context& io_;
  endpoint where_;
  asio::ssl::context& tls_;
  steady_timer timer_;
  std::variant<std::monostate, tcp_socket, tls_stream, unix_socket> stream_;
  boost::beast::flat_buffer buffer_{};
  bool open_ = false;
  bool late_ = false;
};

}  // namespace svc::runner
