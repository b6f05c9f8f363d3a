#pragma once

#include "support/throwaway_ca.hpp"

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

using SSL = struct ssl_st;
using SSL_CTX = struct ssl_ctx_st;

namespace svc::test {

class http_server;

/// One connection of a scripted server, used by its own thread.
class http_connection {
 public:
  http_connection(http_server& server, int fd, SSL* tls) : server_(server), fd_(fd), tls_(tls) {}

  /// Returns a whole request, with its body if `Content-Length` announces one; empty if the peer closed before.
  std::string request();
  bool send(std::string_view bytes);
  /// Returns the received bytes; empty if the peer closed.
  std::string some();
  /// Sends nothing more until the peer closes, or the test ends.
  void hold();
  /// Closes with RST.
  void reset();

 private:
  http_server& server_;
  int fd_;
  SSL* tls_;
  std::string received_;
};

/// Accepts connections, over TLS if it has a certificate. A function handles each connection in a separate thread.
class http_server {
 public:
  using script = std::function<void(http_connection&)>;
  struct options {
    std::string address = "127.0.0.1";
    int port = 0;                       ///< 0: a free port
    throwaway_ca const* tls = nullptr;  ///< null: plain
    /// The server accepts TCP connections but reads nothing: no handshake.
    bool mute = false;
    enum class stapled : std::uint8_t { nothing, good, revoked, garbage } staple = stapled::nothing;
    std::function<void(SSL_CTX*)> adjust{};  ///< adjusts the TLS context before the first connection
  };
  explicit http_server(script script) : http_server({}, std::move(script)) {}
  http_server(options where, script script);
  ~http_server();
  http_server(http_server const&) = delete;
  http_server& operator=(http_server const&) = delete;

  int port() const { return port_; }
  std::string url(std::string const& path = "/", std::string const& host = "127.0.0.1") const;
  /// Number of connections made until now, including those that are not accepted yet.
  int connections() const;
  /// Returns the results of `request()`, in order.
  std::vector<std::string> requests() const;

 private:
  friend class http_connection;
  void run();
  void serve(int fd);

  script script_;
  options where_;
  SSL_CTX* tls_ = nullptr;
  std::string staple_;
  int listener_ = -1, port_ = 0;
  std::atomic<int> connections_ = 0;
  /// Port of the last connection, which `connections()` itself makes: once it is accepted, so are the earlier ones.
  mutable std::atomic<int> last_port_ = 0;
  std::atomic<bool> over_ = false;
  mutable std::mutex lock_;
  std::vector<std::string> requests_;
  std::vector<std::thread> threads_;
  std::thread thread_;
};

/// Answers each request on the connection with these bytes and closes.
http_server::script saying(std::string bytes);
/// Returns a whole answer with that status, fields (each with its line end) and body.
std::string answer_of(int status, std::string const& fields = {}, std::string const& body = {});

/// A port of 127.0.0.1 that accepts no further connection: its queue is full.
class full_listener {
 public:
  full_listener();
  ~full_listener();
  full_listener(full_listener const&) = delete;
  full_listener& operator=(full_listener const&) = delete;
  int port() const { return port_; }

 private:
  int port_ = 0;
  std::vector<int> all_;
};

}  // namespace svc::test
