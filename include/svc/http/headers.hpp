// Small strict readers of field values, and fields of every answer. All readers are total; the returned views point
// into their arguments.
#pragma once

#include "svc/core/result.hpp"
#include "svc/core/trace_parent.hpp"
#include "svc/http/message.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::http {

/// Accepts 1 to 128 characters of [A-Za-z0-9._:/-], which are safe in logs, headers and JSON without escaping.
bool valid_request_id(std::string_view text);

/// The contents of a request's Authorization fields.
struct bearer {
  enum class kind {
    none,        ///< field missing
    token,       ///< one bearer credential
    unreadable,  ///< another scheme, or not a b64token (RFC 6750 2.1)
    repeated,    ///< more than one field
  };
  kind content = kind::none;
  std::string_view token{};  ///< only with kind::token; never empty, of any length
};
bearer read_bearer(request const& head);

/// Accepts application/json and application/*+json. A charset parameter must be utf-8; other parameters are ignored
/// (RFC 8259 11).
bool is_json_media_type(std::string_view content_type);

/// True if the content has no Content-Encoding but `identity` (RFC 9110 8.4).
bool is_plain_content(request const& head);

/// Takes the next element of a comma-separated list (RFC 9110 5.6.1) off `rest`, trimmed. Commas inside quoted
/// strings do not separate, and empty elements are skipped. Returns `std::nullopt` at the end.
std::optional<std::string_view> next_element(std::string_view& rest);
/// Like `next_element`, for parameters separated by semicolons.
std::optional<std::string_view> next_parameter(std::string_view& rest);

enum class wildcards { counted, ignored };
/// Returns the weight of a media type in the Accept fields, in thousandths. The most specific matching range decides.
/// Without any Accept field the weight is 1000 (0 with wildcards::ignored). An unreadable element is skipped.
int accept_quality(request const& head, std::string_view type, std::string_view subtype, wildcards mode);
/// Returns the offer ("type/subtype") with the highest weight, the earlier one of equals, or `std::nullopt` if all
/// weigh 0.
std::optional<std::string_view> negotiate(request const& head, std::vector<std::string_view> const& offers);

/// Returns true if a browser seems to open a page: Accept names text/html and prefers it to application/json.
/// Programs accept anything.
bool prefers_html(request const& head);

enum class content_coding : std::uint8_t { identity, gzip, brotli };
/// Returns the coding that Accept-Encoding prefers (RFC 9110 12.5.3); of equal ones the first of brotli, gzip and
/// identity. Without the field nothing is encoded. Brotli must be named, because some clients that send `*` lack it.
content_coding preferred_coding(request const& head, bool offers_brotli);

/// True if Accept-Encoding prefers gzip to the plain form.
bool prefers_gzip(request const& head);

/// An entity tag (RFC 9110 8.8.3). `opaque` excludes the quotes.
struct entity_tag {
  std::string_view opaque;
  bool weak = false;
};
/// The value of If-Match or If-None-Match.
struct entity_tags {
  bool any = false;  ///< "*"
  std::vector<entity_tag> tags{};

  /// Comparison of If-Match: weak tags never match.
  bool match_strong(std::string_view opaque) const;
  /// Comparison of If-None-Match: ignores weakness.
  bool match_weak(std::string_view opaque) const;
};
/// Reads all fields of that name as one list. Returns no value if the field is missing, and malformed_request if one
/// is unreadable.
result<std::optional<entity_tags>> read_entity_tags(request const& head, std::string_view name);

/// Reads `Idempotency-Key`: 1 to 255 visible characters, bare or as a quoted string (RFC 8941 3.3.3, `\"` and `\\`
/// escaped). Both spellings are the same key. Returns `std::nullopt` for other text.
std::optional<std::string> read_idempotency_key(std::string_view text);

/// Returns the request's `traceparent` if it occurs once and is valid; its views point into the head.
std::optional<trace_parent> trace_of(request const& head);

/// Sets the fields that prevent browsers from treating an answer as more than data (OWASP REST). Pages of the
/// dashboard have fields of their own.
void set_security_fields(response& out);

}  // namespace svc::http
