#pragma once

#include "cli/console/failure.hpp"
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

/// The reason why a try ended without a whole answer.
enum class trouble : std::uint8_t {
  none,
  bad_proxy,             ///< the proxy's URL is wrong; nothing was sent
  bad_ca_file,           ///< not readable; nothing was sent
  unknown_proxy,         ///< its name has no address
  unknown_host,          ///< the service's name has no address
  not_connected,         ///< refused or unreachable
  connect_timeout,       ///< no connection in `time_limits::connect`, TLS included
  certificate,           ///< not valid for this host and these authorities
  tls,                   ///< any other failure of the handshake
  proxy_authentication,  ///< the proxy wants other credentials (407)
  proxy_refused,         ///< the proxy refuses the connection
  broken,                ///< the connection ended before the answer did
  malformed,             ///< not HTTP, or broken framing or compression
  head_too_large,
  body_too_large,
  silent,       ///< no byte for `time_limits::silence`
  too_slow,     ///< not finished after `time_limits::whole`
  deadline,     ///< the command's deadline has passed
  interrupted,  ///< by a signal
  stopped,      ///< the reader wants no more data
};

/// The time limits of a try.
struct time_limits {
  std::chrono::milliseconds connect = std::chrono::seconds(10);
  std::chrono::milliseconds silence = std::chrono::seconds(60);
  std::chrono::milliseconds whole = std::chrono::minutes(10);
  std::optional<std::chrono::steady_clock::time_point> deadline{};
};

/// The result of one try.
struct attempt {
  answer got{};  ///< the received part
  trouble content = trouble::none;
  bool sent = false;     ///< a part of the request may have reached the service
  std::string detail{};  ///< libcurl's message, without any part of a credential
  int proxy_status = 0;  ///< a proxy's answer to CONNECT
  std::chrono::milliseconds took{};
};

/// The reader of the body of an answer below 300. The transport calls it outside of libcurl's frames, so that it may
/// throw.
struct body_reader {
  std::function<bool(std::string_view)> take{};  ///< returns false for no more data; without it the transport
                                                 ///< collects the body
  std::function<void()> idle{};                  ///< called at least ten times a second
};

/// Sends one request at a time over libcurl and keeps the connection for the next. Refuses redirects, other protocols
/// than HTTP, and plain HTTP with a credential beyond loopback. Limits heads to 64 KiB, and collected bodies to 32
/// MiB after decompression. Never repeats a request by itself.
///
/// The transport wipes the field with the credential after each try. It cannot wipe the copies in the send buffers of
/// libcurl and OpenSSL, or the proxy's credentials, which libcurl keeps until the handle is destroyed.
class transport {
 public:
  static constexpr std::size_t most_of_a_head = 64 * 1024;
  static constexpr std::size_t most_of_a_body = 32 * 1024 * 1024;

  explicit transport(settings const& settings);
  ~transport();
  transport(transport const&) = delete;
  transport& operator=(transport const&) = delete;

  /// `bearer` is the credential, or nullptr. Throws `failure` (usage) instead of sending a credential in clear text.
  attempt perform(request const& r, secret_string const* bearer, time_limits const& within,
                  body_reader const& reader = {});

 private:
  class exchange;

  settings const& settings_;
  std::string proxy_;
  void* multi_;
  void* easy_;
};

/// Returns true if another try can end otherwise. A proxy's refusal by a rule, such as 403, is final.
bool is_transient(attempt const& a);
/// Returns the failure that a try without a whole answer is: the event and its remedy, without any part of a
/// credential. `tries` is the number of tries. `uncertain` is true if the request may have taken effect and cannot be
/// repeated safely.
failure failure_of(attempt const& last, settings const& settings, int tries, bool uncertain);
/// Returns the failure of a 3xx answer. The client never follows one, because the credential would go to another
/// host.
failure redirected(answer const& a, base_url const& url);

}  // namespace svc::cli
