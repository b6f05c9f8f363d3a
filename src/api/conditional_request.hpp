#pragma once

#include "svc/core/result.hpp"
#include "svc/http/message.hpp"
#include "svc/store/change.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace svc::api {

/// Returns `"<version>-<hash>"`, with its quotes. Conditions of a change compare only the version, which
/// counts the changes by users (0: users change nothing). Conditions of a GET compare the whole tag. The hash
/// is of `content`: the values of an answer, or its text.
std::string entity_tag_of(std::int64_t version, std::string_view content);

/// Returns the tag of the gzip-encoded form: its bytes differ, so its strong tag must differ too (RFC 9110
/// 8.8.3).
std::string encoded_tag(std::string_view tag);

/// Returns true if the client's tag, without quotes, names this tag or its encoded form.
bool same_entity(std::string_view opaque, std::string_view tag);

// If-Match and If-None-Match, in the order of RFC 9110 13.2.2. The service has no Last-Modified dates and no ranges.
// A POST selects no representation of its target, so it has no conditions (13.2.1).

/// Returns true for GET and HEAD.
bool reads(http::request const& head);

/// Returns malformed_request for unreadable conditions of a change, because ignoring them would allow a
/// change that the client did not want. A GET with an unreadable If-None-Match is answered in full.
result<> check_conditions(http::request const& head);

/// Returns the conditions on the version of the resource to change. The change itself checks them.
version_condition asked_versions(http::request const& head);

/// Returns true if If-Match allows this answer to a GET, or if the answer has no ETag.
bool matches(http::request const& head, http::response const& out);

/// Returns true if If-None-Match names the tag of this answer to a GET.
bool not_modified(http::request const& head, http::response const& out);
/// Does the same for an answer that is still to be made and will have this tag.
bool not_modified(http::request const& head, std::string_view etag);

}  // namespace svc::api
