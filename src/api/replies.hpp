#pragma once

#include "svc/api/call.hpp"
#include "svc/core/async.hpp"
#include "svc/http/message.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::api {

/// The entity tag of a resource of that version whose members `write` adds.
std::string shown_tag(std::int64_t version, std::function<void(http::json_text&)> const& write);

/// Returns the text in the format gzip. A large text is encoded in several turns of the loop.
task<std::string> gzip_in_turns(std::string plain);

/// Returns the `Location` of a new resource: path-absolute (RFC 9110 10.2.2), below the path of `public_url` if it
/// has one.
std::string location_of(std::string_view public_url, std::string_view path);

/// As `page_reply` of call.hpp; `more` writes members next to the rows.
result<reply> page_reply(call const& c, page_facts const& facts, std::function<void(http::json_text&)> const& write,
                         std::function<void(http::json_text&)> const& more);

/// Returns `shown` as the 201 response for the new resource at `path`.
reply created(call const& c, reply shown, std::string_view path);

/// Lets pages of the configured origins read answers (Fetch standard, section 3.3). Allows no cookies: a page of
/// another origin sends its token itself. Without a configured origin nothing is added.
void set_cors_fields(http::request const& head, std::vector<std::string> const& origins, http::response& out);

/// In addition, the fields that answer a preflight request; `methods` is the value of Allow.
void set_preflight_fields(http::request const& head, std::vector<std::string> const& origins,
                          std::string_view methods, http::response& out);

}  // namespace svc::api
