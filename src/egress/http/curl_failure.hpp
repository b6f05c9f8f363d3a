#pragma once

#include "svc/egress/failure.hpp"

#include <curl/curl.h>

#include <string>
#include <string_view>

namespace svc::egress {

/// The progress of a request.
enum class http_phase : std::uint8_t {
  connect,     ///< no TCP connection yet
  handshake,   ///< connected, no TLS yet
  first_byte,  ///< the request is being sent, or its answer is awaited
  answer,      ///< a byte of the answer has arrived
};

/// The end of a libcurl transfer, with the facts that its callbacks recorded.
struct curl_end {
  CURLcode code = CURLE_OK;
  http_phase phase = http_phase::connect;
  int os_error = 0;             ///< errno, zero if none is known
  int verify_error = 0;         ///< X509_V_ERR_... of the chain
  bool blocked = false;         ///< the policy refused an address
  bool head_too_large = false;  ///< the head exceeded the limit
  bool head_complete = true;    ///< the empty last line of the head has arrived
  bool truncated = false;       ///< the body reached the requested limit
  std::string_view text{};      ///< libcurl's own error text
  std::string_view fault{};     ///< reason why this client refused the answer; empty if it did not
};

/// Returns the failure of a transfer; pure. Returns `none` for a good transfer, also if it was truncated.
failure failure_of(curl_end const& end);

/// Returns the failure if the deadline passes in that phase.
failure timeout_in(http_phase phase);

/// Returns one sentence for users. It reveals only facts of `end`, and never a blocked address.
std::string sentence_of(failure failure, curl_end const& end);

}  // namespace svc::egress
