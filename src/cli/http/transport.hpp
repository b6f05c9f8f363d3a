#pragma once

#include "cli/http/message.hpp"
#include "cli/settings/settings.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace svc::cli {

/// Why a try ended without a whole answer.
enum class trouble : std::uint8_t {
  none,
  bad_proxy,             ///< its URL; nothing was sent
  bad_ca_file,           ///< cannot be read; nothing was sent
  unknown_proxy,         ///< its name has no address
  unknown_host,          ///< the service's name has no address
  not_connected,         ///< refused or unreachable
  connect_timeout,       ///< no connection in `time_limits::connect`, TLS included
  certificate,           ///< not valid for this host and these authorities
  tls,                   ///< any other failure of the handshake
  proxy_authentication,  ///< the proxy wants other credentials (407)
  proxy_refused,         ///< the proxy makes no connection for us
  broken,                ///< the connection ended before the answer did
  malformed,             ///< not HTTP, or broken framing or compression
  head_too_large,
  body_too_large,
  silent,       ///< no byte for `time_limits::silence`
  too_slow,     ///< not over after `time_limits::whole`
  deadline,     ///< the command's
  interrupted,  ///< by a signal
  stopped,      ///< the reader wants no more
};

/// How long a try may take.
struct time_limits {
  std::chrono::milliseconds connect = std::chrono::seconds(10);
  std::chrono::milliseconds silence = std::chrono::seconds(60);
  std::chrono::milliseconds whole = std::chrono::minutes(10);
  std::optional<std::chrono::steady_clock::time_point> deadline{};
};

/// What became of one try.
struct attempt {
  answer got{};  ///< as much as came
  trouble content = trouble::none;
  bool sent = false;     ///< whether any of the request may have reached the service
  std::string detail{};  ///< libcurl's words, without any part of a credential
  int proxy_status = 0;  ///< what a proxy answered to CONNECT
  std::chrono::milliseconds took{};
};

/// Who takes the body of an answer below 300 as it comes, outside of libcurl's frames, so that it may throw.
struct body_reader {
  std::function<bool(std::string_view)> take{};  ///< false: no more; absent: the body is collected
  std::function<void()> idle{};                  ///< at least ten times a second
};

/// Sends one request at a time over libcurl and keeps the connection for the next. Refuses redirects, other protocols
/// than HTTP, and plain HTTP with a credential beyond loopback. Bounded: heads of 64 KiB, collected bodies of 32 MiB
/// after decompression. Never repeats a request by itself.
///
/// Secrets: the field with the credential is wiped after each try. Not wiped: what libcurl and OpenSSL copied of it
/// into their send buffers, and the proxy's credentials, which libcurl keeps until the handle is gone.
class transport {
 public:
  static constexpr std::size_t most_of_a_head = 64 * 1024;
  static constexpr std::size_t most_of_a_body = 32 * 1024 * 1024;

  explicit transport(settings const& settings);
  ~transport();
  transport(transport const&) = delete;
  transport& operator=(transport const&) = delete;

  /// `bearer`: the credential, or nullptr. Throws `failure` (usage) instead of sending one in clear text.
  attempt perform(request const& r, secret_string const* bearer, time_limits const& within,
                  body_reader const& reader = {});

 private:
  class exchange;

  settings const& settings_;
  std::string proxy_;
  void* multi_;
  void* easy_;
};

}  // namespace svc::cli
