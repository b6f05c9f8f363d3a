#pragma once

#include "svc/api/call.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace svc::api {

/// `Location` of a new resource: path-absolute (RFC 9110 10.2.2), below the path of `public_url` if it has one.
std::string location_of(std::string_view public_url, std::string_view path);

/// 201 with a new resource, which is at `path`.
reply created_reply(call const& c, boost::json::value shown, std::int64_t version, std::string_view path);

}  // namespace svc::api
