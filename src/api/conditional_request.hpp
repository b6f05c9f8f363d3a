#pragma once

#include "svc/core/result.hpp"
#include "svc/http/message.hpp"
#include "svc/store/change.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace svc::api {

/// `"<version>-<hash>"`, with its quotes. The conditions of a change compare only the version, which counts the
/// changes that users make (0: nothing that users change); those of a GET compare the whole tag. The hash is of
/// `content`: the values of an answer, or its text.
std::string entity_tag_of(std::int64_t version, std::string_view content);

/// The tag of the gzip-encoded form: its bytes differ, so its strong tag must differ too (RFC 9110 8.8.3).
std::string encoded_tag(std::string_view tag);

/// Whether the client's tag, without quotes, names this one or its encoded form.
bool same_entity(std::string_view opaque, std::string_view tag);

// If-Match and If-None-Match, in the order of RFC 9110 13.2.2. The service has no Last-Modified dates and no ranges.
// A POST selects no representation of its target, so it has no conditions (13.2.1).

/// GET or HEAD.
bool reads(http::request const& head);

/// malformed_request for conditions that cannot be read: to ignore them would allow a change that the client did not
/// want. A GET whose If-None-Match cannot be read is answered in full.
result<> check_conditions(http::request const& head);

/// The conditions on the version of the resource to change; they are checked where the change is made.
version_condition asked_versions(http::request const& head);

/// Whether If-Match allows this answer to a GET. True for an answer without an ETag.
bool matches(http::request const& head, http::response const& out);

/// Whether If-None-Match names the tag of this answer to a GET.
bool not_modified(http::request const& head, http::response const& out);
/// Whether it names the tag of the answer to a GET that is still to be made.
bool not_modified(http::request const& head, std::string_view etag);

}  // namespace svc::api
