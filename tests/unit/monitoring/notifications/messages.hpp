#pragma once

#include "svc/core/bytes.hpp"
#include "svc/monitoring/notifications/message.hpp"
#include "svc/monitoring/notifications/provider.hpp"
#include "svc/monitoring/notifications/request.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <string>
#include <string_view>
#include <vector>

// Messages to be sent, for tests.

namespace svc::notifications {

inline uuid id_of(unsigned n) {
  uuid out;
  out.bytes[0] = 1;
  out.bytes[13] = static_cast<std::uint8_t>(n >> 16U);
  out.bytes[14] = static_cast<std::uint8_t>(n >> 8U);
  out.bytes[15] = static_cast<std::uint8_t>(n);
  return out;
}

inline constexpr timestamp ten_o_clock{1'795'000'000'000'000};

/// A name that means something to each chat, to mail, to HTML and to templates.
inline std::string const hostile_name =
    "<!channel> @everyone @here <@U123> <#C1|x> </b></code><a href=\"https://evil.example\">x</a> {{title}} {{{ "
    "*b* _i_ ~s~ `c` ||s|| # h\r\nBcc: evil@evil.example\n\n.\n<at>Bob</at> [x](https://evil.example) \"'\\ &amp; "
    "\u202Egnp =?UTF-8?Q?x?= \U0001F600";

inline alert failure_of_monitor(unsigned n, std::string name = "shop") {
  alert out;
  out.id = id_of(n);
  out.time = ten_o_clock;
  out.about = {.id = id_of(n + 1),
               .name = std::move(name),
               .monitor_type = "http_request",
               .address = "https://shop.example/"};
  out.thread = id_of(n + 2);
  out.outage = outage_facts{.id = out.thread, .started_at = ten_o_clock};
  out.result = result_facts{.code = "connect_refused", .message = "the connection was refused", .location = "local"};
  return out;
}

inline alert recovery_of(alert failure, std::chrono::seconds after) {
  failure.id.bytes[1] = 7;
  failure.type = alert_type::monitor_recovery;
  failure.time = failure.outage->started_at + after;
  failure.outage->ended_at = failure.time;
  failure.outage->end_reason = "recovered";
  return failure;
}

inline message message_of(std::vector<alert> alerts) {
  return {.id = id_of(99), .project = {.id = id_of(98), .slug = "acme", .name = "Acme"}, .alerts = std::move(alerts)};
}

inline message storm(unsigned count, std::string const& name = "shop") {
  std::vector<alert> all;
  for (unsigned n = 0; n < count; ++n) all.push_back(failure_of_monitor(10 * n, name + " " + std::to_string(n)));
  return message_of(std::move(all));
}

inline text_settings const with_link{.link = "https://dash.example/{type}s/{id}?a=1&b=2",
                                     .mail_from = "Wächter <alerts@svc.example>"};

inline http_post one_post(provider_config const& config, message const& message,
                          text_settings const& settings = with_link) {
  return make_posts(config, message, settings, ten_o_clock).front();
}

inline boost::json::value body_of(http_post const& post) {
  return boost::json::parse(post.body);
}

inline bool holds(std::string const& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace svc::notifications
