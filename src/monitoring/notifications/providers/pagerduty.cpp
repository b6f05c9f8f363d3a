// PagerDuty, Events API v2 (developer.pagerduty.com, "Send an alert event").
#include "monitoring/notifications/composed.hpp"
#include "monitoring/notifications/providers/posts.hpp"
#include "monitoring/notifications/providers/provider_types.hpp"
#include "monitoring/notifications/wording.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <array>

namespace svc::notifications {

namespace json = boost::json;

namespace {

constexpr std::size_t longest_summary = 1024, longest_field = 1024;

provider_config read_pagerduty(config_reader& reader) {
  pagerduty_config out{.routing_key = reader.required_text("routingKey"),
                       .severity = reader.text("severity", "critical")};
  auto const region = reader.text("region", "us");
  out.eu = region == "eu";
  if (region != "us" && region != "eu") reader.refuse("region", "must be us or eu");
  constexpr std::array<std::string_view, 4> severities{"critical", "error", "warning", "info"};
  if (std::ranges::find(severities, out.severity) == severities.end())
    reader.refuse("severity", "must be critical, error, warning or info");
  return out;
}

/// Returns the configured severity for a critical alert. A less severe alert keeps its own severity, so that it does
/// not wake people at night.
std::string severity_for(pagerduty_config const& config, message const& message, alert const& alert) {
  if (message.test) return "info";
  return severity_of(alert) == "critical" ? config.severity : std::string(severity_of(alert));
}

json::object payload_of(pagerduty_config const& config, message const& message, alert const& alert) {
  auto const title = (message.test ? "[TEST] " : "") + sentence_of(alert);
  auto const& source = alert.about.address.empty() ? alert.about.name : alert.about.address;
  json::object details{{"alertId", alert.id.to_string()},
                       {"type", name_of(alert.type)},
                       {"target", cut(one_line(alert.about.address), longest_field)},
                       {"cause", cut(cause_of(alert), longest_field)},
                       {"message", cut(several_lines(alert.custom_message), longest_field)}};
  return {{"summary", fitted(title, longest_summary, as_is)},
          {"source", cut(one_line(source), longest_field)},
          {"severity", severity_for(config, message, alert)},
          {"timestamp", to_rfc3339(alert.time)},
          {"component", name_in_text(alert.about)},
          {"group", cut(one_line(message.project.name), longest_field)},
          {"class", name_of(alert.type)},
          {"custom_details", std::move(details)}};
}

json::object event_of(pagerduty_config const& config, message const& message, alert const& alert, action content,
                      text_settings const& settings) {
  json::object out{{"routing_key", config.routing_key},
                   {"event_action", name_of(content)},
                   {"dedup_key", dedup_key_of(alert)},
                   {"payload", payload_of(config, message, alert)}};
  auto const link = link_to(alert, settings);
  if (!link.empty() && !message.test) out["links"] = json::array{{{"href", link}, {"text", "Open"}}};
  return out;
}

std::vector<http_post> pagerduty_posts(pagerduty_config const& config, message const& message,
                                       text_settings const& settings) {
  auto const url = (config.eu ? settings.urls.pagerduty_eu : settings.urls.pagerduty) + "/v2/enqueue";
  std::vector<http_post> out;
  for (auto const& alert : message.alerts)
    out.push_back(json_post(url, event_of(config, message, alert, action_of(alert), settings)));
  // Resolves the incident of a test at once.
  if (message.test)
    out.push_back(json_post(url, event_of(config, message, message.alerts.front(), action::resolve, settings)));
  return out;
}

bool accepts_202(provider_answer const& answer) {
  return answer.status == 202;
}

}  // namespace

constinit provider_row const pagerduty_config::row{
    .name = "pagerduty",
    .read = read_pagerduty,
    .compose =
        [](provider_config const& config, message const& notification, text_settings const& settings,
           timestamp /*now*/) { return pagerduty_posts(std::get<pagerduty_config>(config), notification, settings); },
    .accepts = accepts_202,
    .pace = std::chrono::milliseconds(500),
    // Each incident has its own event.
    .groups = false,
};

}  // namespace svc::notifications
