#pragma once

#include "svc/monitoring/notifications/request.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

// Parts of requests that several types of providers share.

namespace svc::notifications {

/// Text of the link to the monitor, job or provider.
inline constexpr std::string_view link_text = "Open";

/// A POST of JSON.
inline http_post json_post(std::string url, boost::json::object const& body) {
  return {
      .url = std::move(url), .fields = {{"Content-Type", "application/json"}}, .body = boost::json::serialize(body)};
}

/// Composes one request with the function `Post`: the member `compose` of types that need no time.
template <class Config, auto Post>
std::vector<http_post> one_request(provider_config const& config, message const& notification,
                                   text_settings const& settings, timestamp /*now*/) {
  return {Post(std::get<Config>(config), notification, settings)};
}

}  // namespace svc::notifications
