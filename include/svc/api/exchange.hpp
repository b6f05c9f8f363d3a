#pragma once

#include "svc/access/gate.hpp"
#include "svc/http/contract.hpp"
#include "svc/http/message.hpp"

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace svc::api {

/// What the pipeline learns about one request. Lives in the pipeline's coroutine.
struct exchange {
  http::request const& head;
  std::string request_id;
  http::route route{};
  std::optional<error> unroutable{};  ///< why no operation fits the path and method
  access::gate_result passed{};
  microseconds handler_time{0};
  bool unchanged = false;  ///< the answer's body was not made, because the client has it; it is a large one
};

/// The request's X-Request-Id if there is exactly one and it is valid and holds no credential; else a new UUIDv7.
std::string request_id_of(http::request const& head);

inline constexpr std::array<std::string_view, 7> known_methods{"GET",   "HEAD",   "POST",   "PUT",
                                                               "PATCH", "DELETE", "OPTIONS"};
/// Whether this service knows the method; an unknown one may be any text, even a token.
bool is_known_method(std::string_view method);

/// Sets the fields that keep browsers from treating an answer as more than data (OWASP REST: nothing here is a page).
void set_security_fields(http::response& out);

/// Adds what every response carries: request id, limit headers, security headers, and the operation's deprecation and
/// sunset; chooses its form: 304 for If-None-Match, gzip. True when the body must still be encoded.
bool finish_response(exchange const& x, http::response& out);

/// Bytes from which on an answer is encoded for clients that accept it: a smaller one fits into one packet or two.
inline constexpr std::size_t least_encoded = 1024;

/// Serialised body, and its ETag. A body that was not made is noted in `x`.
http::response response_of(exchange& x, struct reply made);

}  // namespace svc::api
