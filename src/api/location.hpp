#pragma once

#include <string>
#include <string_view>

namespace svc::api {

/// `Location` of a new resource: path-absolute (RFC 9110 10.2.2), below the path of `public_url` if it has one.
std::string location_of(std::string_view public_url, std::string_view path);

}  // namespace svc::api
