#pragma once

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

}  // namespace svc::api
