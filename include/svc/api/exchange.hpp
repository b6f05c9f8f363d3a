#pragma once

#include "svc/access/gate.hpp"
#include "svc/http/contract.hpp"
#include "svc/http/message.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace svc::api {

/// The kind of page that a request was answered with, for log and metrics.
enum class page_kind : std::uint8_t { none, dashboard, status };

/// The pipeline's state of one request. The object lives in the pipeline's coroutine.
struct exchange {
  http::request const& head;
  std::string request_id;
  http::route route{};
  std::optional<error> unroutable{};  ///< why no operation fits the path and method
  access::gate_result passed{};
  microseconds handler_time{0};
  page_kind page = page_kind::none;
  bool unchanged = false;  ///< the pipeline did not make the answer's body, because the client has it and it is large
};

/// Returns the request's X-Request-Id if there is exactly one and it is valid and holds no credential, otherwise a
/// new UUIDv7.
std::string request_id_of(http::request const& head);

inline constexpr std::array<std::string_view, 7> known_methods{"GET",   "HEAD",   "POST",   "PUT",
                                                               "PATCH", "DELETE", "OPTIONS"};
/// Returns true if this service knows the method; an unknown one may be any text, even a token.
bool is_known_method(std::string_view method);

/// Adds the parts of every response: request id, limit headers, security headers, and the operation's deprecation and
/// sunset. Chooses the response's form: 304 for If-None-Match, gzip. Returns true if the body must still be encoded.
bool finish_response(exchange const& x, http::response& out);

/// The size in bytes from which an answer is compressed for clients that accept gzip. A smaller one fits into one
/// packet or two.
inline constexpr std::size_t least_encoded = 1024;

/// Returns the response with the serialised body and its ETag. Notes in `x` if the body was not made.
http::response response_of(exchange& x, struct reply made);

}  // namespace svc::api
