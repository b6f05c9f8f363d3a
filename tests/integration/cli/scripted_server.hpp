#pragma once

#include "support/throwaway_ca.hpp"

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

using SSL = struct ssl_st;
using SSL_CTX = struct ssl_ctx_st;

namespace svc::test {

/// A request as received.
struct received {
  std::string head{};  ///< request line and fields, with their line ends
  std::string body{};
  std::chrono::steady_clock::time_point time{};  ///< time when it was complete
  int nth = 0;                                   ///< index among all requests of the server, from 0
  int connection = 0;                            ///< index of the connection, from 0

  std::string line() const { return head.substr(0, head.find("\r\n")); }
  /// Returns a field. The name is case-sensitive, as svc writes it; empty if there is none.
  std::string field(std::string const& name) const;
};

/// The reaction of a script to a request. The connection stays open after whole answers unless `close` is set.
struct scripted_answer {
  std::string bytes{};                  ///< sent as they are
  std::chrono::milliseconds before{};   ///< delay
  std::chrono::milliseconds between{};  ///< not 0: bytes are sent one by one, with this pause
  std::string forever{};                ///< after `bytes`, again and again until the client goes away
  bool hold = false;                    ///< then silence until the client goes away
  bool close = false;                   ///< then the connection ends
};

/// Returns a whole answer: status, fields (each with its line end) and a JSON body.
scripted_answer whole_answer(int status, std::string const& body, std::string const& fields = {});
/// Returns an error in the service's form.
std::string error_body(std::string const& code, std::string const& sentence = "As the test wants.");
/// Returns the current time as IMF-fixdate.
std::string http_date(std::chrono::seconds from_now = {});

/// A server that a test scripts, on a free port of 127.0.0.1, plain or over TLS. Each connection has a thread, so the
/// script may block; several threads call it.
class scripted_server {
 public:
  using script = std::function<scripted_answer(received const&)>;

  explicit scripted_server(script script, std::optional<throwaway_ca> const& identity = std::nullopt);
  /// Sends this to each connection and ends it.
  explicit scripted_server(std::string greeting);
  ~scripted_server();
  scripted_server(scripted_server const&) = delete;
  scripted_server& operator=(scripted_server const&) = delete;

  /// Returns `http://127.0.0.1:PORT` or `https://...`.
  std::string url(std::string const& host = "127.0.0.1") const;
  int port() const { return port_; }
  std::vector<received> requests() const;
  /// Number of accepted connections, with or without a request.
  int connections() const { return accepted_; }

 private:
  class connection;

  void listen();
  void accept_all();
  void serve(int socket, int number);
  scripted_answer remember(received&& r);

  script script_;
  std::string greeting_;
  SSL_CTX* tls_ = nullptr;
  int listener_ = -1, port_ = 0;
  mutable std::mutex mutex_;
  std::vector<received> requests_;
  std::set<int> open_;
  bool ending_ = false;
  std::atomic<int> accepted_ = 0;
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

}  // namespace svc::test
