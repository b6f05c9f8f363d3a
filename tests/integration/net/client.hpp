#pragma once

#include "svc/core/deadline.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

using SSL = struct ssl_st;
using SSL_CTX = struct ssl_ctx_st;

namespace svc::test {

/// One answer as received.
struct answer {
  int status = 0;
  std::string head;  ///< with the empty line
  std::string body;

  bool has(std::string_view line) const {
    return head.find("\r\n" + std::string(line) + "\r\n") != std::string::npos;
  }
};

/// A blocking client that writes exactly the given bytes. Reads give up after ten seconds.
class client {
 public:
  enum class security { plain, tls12, tls13, tls_unstarted };

  /// `preamble`: sent in plain text before everything else.
  explicit client(std::string const& address, security security = security::tls13, std::string_view preamble = {});
  client(client&&) noexcept;
  client& operator=(client&&) = delete;
  ~client();

  /// False when the server has closed.
  bool send(std::string_view bytes);
  /// The record (or records) that would carry these bytes, unsent.
  std::string sealed(std::string_view bytes);
  /// Bytes of a sealed record, unchanged.
  bool send_raw(std::string_view bytes);
  /// The next answer; nothing when the connection ends before it is complete.
  std::optional<answer> receive(bool to_head = false);
  /// More data as it arrives; nothing at the end.
  std::optional<std::string> some();
  answer ask(std::string_view request);
  /// True when the server ends the connection without another byte.
  bool ended();
  /// True if it ended without a `close_notify` or with a reset. Call it after `ended`.
  bool abruptly() const { return abrupt_; }
  /// True if something to read, or the end, arrives within that time.
  bool readable_within(milliseconds time);
  /// Makes close() send RST instead of FIN.
  void reset_on_close();
  /// This side sends nothing more.
  void finish_sending();
  std::string tls_version() const;
  std::string alpn() const;

 private:
  bool fill();

  int fd_ = -1;
  std::unique_ptr<SSL, void (*)(SSL*)> ssl_;
  std::string received_;
  bool abrupt_ = false;
};

}  // namespace svc::test
