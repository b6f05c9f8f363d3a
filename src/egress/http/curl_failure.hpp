#pragma once

#include "svc/egress/failure.hpp"

#include <curl/curl.h>

#include <string>
#include <string_view>

namespace svc::egress {

/// How far a request has come.
enum class http_phase : std::uint8_t {
  connect,     ///< no TCP connection yet
  handshake,   ///< connected, no TLS yet
  first_byte,  ///< the request is being sent or its answer awaited
  answer,      ///< a byte of the answer has come
};

/// How libcurl ended a transfer, and what was noted on the way.
struct curl_end {
  CURLcode code = CURLE_OK;
  http_phase phase = http_phase::connect;
  int os_error = 0;             ///< errno, zero if none is known
  int verify_error = 0;         ///< X509_V_ERR_..., of the chain
  bool blocked = false;         ///< the guard refused an address
  bool head_too_large = false;  ///< the head was longer than what is read
  bool head_complete = true;    ///< its last line, which is empty, has come
  bool truncated = false;       ///< as much of the body was read as is wanted
  std::string_view text{};      ///< libcurl's own words
  std::string_view fault{};     ///< why this client refused the answer; empty if it did not
};

/// The failure that it is; pure. `none` if the transfer is good, also if it was truncated.
failure failure_of(curl_end const& end);

/// The failure of a deadline that passes in that phase.
failure timeout_in(http_phase phase);

/// One sentence for users. It says nothing that `end` does not, and of a blocked address not which.
std::string sentence_of(failure failure, curl_end const& end);

}  // namespace svc::egress
