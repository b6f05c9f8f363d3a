#pragma once

#include "svc/http/message.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace svc::api {

/// Lets pages of the configured origins read answers (Fetch standard, section 3.3). No credentials: browsers hold
/// none of ours, a page sends its token itself. Without a configured origin nothing is added.
void set_cors_fields(http::request const& head, std::vector<std::string> const& origins, http::response& out);

/// Besides, what an OPTIONS that asks for another method's leave is told; `methods` is the value of Allow.
void set_preflight_fields(http::request const& head, std::vector<std::string> const& origins,
                          std::string_view methods, http::response& out);

}  // namespace svc::api
