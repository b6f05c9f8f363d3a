#pragma once

#include "arguments.hpp"
#include "requests.hpp"

#include <openssl/ssl.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace svc::bench {

struct openssl_free {
  void operator()(SSL_CTX* c) const { SSL_CTX_free(c); }
  void operator()(SSL* s) const { SSL_free(s); }
};
using client_context = std::unique_ptr<SSL_CTX, openssl_free>;

/// Creates a context for TLS 1.3 only; it trusts the certificates in `ca_file`.
client_context make_client_context(std::string const& ca_file);

/// One keep-alive connection with at most one request in flight. The constructor connects and does the handshake
/// (it blocks, and throws); afterwards no call blocks.
class connection {
 public:
  connection(SSL_CTX* context, address const& where);
  connection(connection const&) = delete;
  connection& operator=(connection const&) = delete;
  ~connection();

  int descriptor() const { return fd_; }
  /// The request needs to live only during the call, and must fit into the socket's buffer.
  void send(std::string_view request);
  /// Returns the status of the answer once it is complete. Throws if the server closes or sends an invalid answer.
  std::optional<int> receive();
  /// Returns what has arrived of an answer that does not end; empty if nothing has. Throws if the server closes.
  std::string receive_piece();

 private:
  std::optional<int> complete();

  int fd_ = -1;
  std::unique_ptr<SSL, openssl_free> ssl_;
  std::string answer_;
  std::size_t answer_size_ = 0;  ///< head and body; 0 while the head is incomplete
};

/// The requests and their destination, from `--url`, `--ca` and the result of `request_rotation`.
struct workload {
  /// `method` is the default for `--method`.
  explicit workload(arguments const& arguments, std::string const& method = "GET");

  address where;
  client_context context;
  request_rotation requests;
};

}  // namespace svc::bench
