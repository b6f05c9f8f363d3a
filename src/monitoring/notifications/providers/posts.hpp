#pragma once

#include "svc/monitoring/notifications/request.hpp"

#include <boost/json/object.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// One function for each type of provider.

namespace svc::notifications {

http_post slack_post(slack_config const& to, message const& of, text_settings const& how);
http_post discord_post(discord_config const& to, message const& of, text_settings const& how);
http_post telegram_post(telegram_config const& to, message const& of, text_settings const& how);
http_post teams_post(teams_config const& to, message const& of, text_settings const& how);
std::vector<http_post> pagerduty_posts(pagerduty_config const& to, message const& of, text_settings const& how);
http_post webhook_post(webhook_config const& to, message const& of, text_settings const& how, timestamp now);

/// The body of a webhook without template, of at most `most_bytes`.
std::string webhook_body(message const& of, text_settings const& how, std::size_t most_bytes);

/// A POST of JSON.
http_post json_post(std::string url, boost::json::object const& body);

}  // namespace svc::notifications
