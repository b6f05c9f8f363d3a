#pragma once

#include "svc/core/result.hpp"
#include "svc/http/message.hpp"
#include "svc/store/change.hpp"

#include <boost/json/value.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace svc::api {

/// `"<version>-<hash>"`, with its quotes. `If-Match` compares the version, what users change; `If-None-Match` all of
/// it. The hash is that of `text`, which is `body` serialised, but for the members that tell of a last use: reading a
/// token with itself would change it.
std::string entity_tag_of(std::int64_t version, boost::json::value const& body, std::string_view text);

/// The tag of the same thing, gzip-encoded: bytes differ, so a strong tag must (RFC 9110 8.8.3).
std::string encoded_tag(std::string_view tag);

/// Whether the client's tag, without quotes, names this one or its encoded form.
bool same_entity(std::string_view opaque, std::string_view tag);

// If-Match and If-None-Match, in the order of RFC 9110 13.2.2. We have no dates of last changes to compare, and no
// ranges. A POST selects no representation of its target, so it has no conditions (13.2.1).

/// GET or HEAD.
bool reads(http::request const& head);

/// malformed_request for conditions that cannot be read: they are no leave to change whatever stands there. A GET
/// whose If-None-Match cannot be read is answered in full.
result<> check_conditions(http::request const& head);

/// What is asked of the version of what is changed; it is decided where the change is made.
version_condition asked_versions(http::request const& head);

/// Whether If-Match allows this answer to a GET. What has no ETag has no conditions.
bool matches(http::request const& head, http::response const& out);

/// Whether If-None-Match names what this answer to a GET shows.
bool not_modified(http::request const& head, http::response const& out);

}  // namespace svc::api
