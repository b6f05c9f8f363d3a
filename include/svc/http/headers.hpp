// Small strict readers of field values. All are total; the views they return point into their arguments.
#pragma once

#include "svc/core/result.hpp"
#include "svc/core/trace_parent.hpp"
#include "svc/http/message.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::http {

/// 1 to 128 characters of [A-Za-z0-9._:/-]: safe in logs, headers and JSON as it is.
bool valid_request_id(std::string_view text);

/// What the Authorization fields of a request hold.
struct bearer {
  enum class kind {
    none,        ///< no such field
    token,       ///< one bearer credential
    unreadable,  ///< another scheme, or no b64token (RFC 6750 2.1)
    repeated,    ///< more than one field
  };
  kind content = kind::none;
  std::string_view token{};  ///< only with kind::token; never empty, of any length
};
bearer read_bearer(request const& head);

/// application/json or application/*+json; a charset parameter must be utf-8, others change nothing (RFC 8259 11).
bool is_json_media_type(std::string_view content_type);

/// Whether the content is sent as it is: no Content-Encoding but `identity` (RFC 9110 8.4).
bool is_plain_content(request const& head);

/// Takes the next element of a comma-separated list (RFC 9110 5.6.1) off `rest`, trimmed; commas inside quoted
/// strings do not separate, empty elements are skipped. Nothing at the end.
std::optional<std::string_view> next_element(std::string_view& rest);
/// The same for parameters separated by semicolons.
std::optional<std::string_view> next_parameter(std::string_view& rest);

enum class wildcards { counted, ignored };
/// Thousandths of the weight that the Accept fields give to a media type: the most specific range that matches
/// decides; 1000 without any Accept field (0 with wildcards::ignored). An element that cannot be read is skipped.
int accept_quality(request const& head, std::string_view type, std::string_view subtype, wildcards mode);
/// The offer ("type/subtype") with the highest weight, the earlier one of equals; nothing if all weigh 0.
std::optional<std::string_view> negotiate(request const& head, std::vector<std::string_view> const& offers);

/// Whether Accept-Encoding prefers gzip to the plain form (RFC 9110 12.5.3); without the field nothing is encoded.
bool prefers_gzip(request const& head);

/// RFC 9110 8.8.3. `opaque` is without its quotes.
struct entity_tag {
  std::string_view opaque;
  bool weak = false;
};
/// The value of If-Match or If-None-Match.
struct entity_tags {
  bool any = false;  ///< "*"
  std::vector<entity_tag> tags{};

  /// For If-Match: weak tags never match.
  bool match_strong(std::string_view opaque) const;
  /// For If-None-Match: weak and strong are alike.
  bool match_weak(std::string_view opaque) const;
};
/// All fields of that name as one list; no value without such a field; malformed_request if one cannot be read.
result<std::optional<entity_tags>> read_entity_tags(request const& head, std::string_view name);

/// The value of `Idempotency-Key`: 1 to 255 visible characters, bare or as a quoted string (RFC 8941 3.3.3, `\"` and
/// `\\` escaped); both spellings are one key. Nothing when it is neither.
std::optional<std::string> read_idempotency_key(std::string_view text);

/// The request's `traceparent`, if it is the only one and valid; its views point into the head.
std::optional<trace_parent> trace_of(request const& head);

}  // namespace svc::http
