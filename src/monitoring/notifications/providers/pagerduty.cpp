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

/// Of a failure as it is configured; less than that is no alarm by night.
std::string severity_for(pagerduty_config const& to, message const& of, alert const& one) {
  if (of.test) return "info";
  return severity_of(one) == "critical" ? to.severity : std::string(severity_of(one));
}

json::object payload_of(pagerduty_config const& to, message const& of, alert const& one) {
  auto const title = (of.test ? "[TEST] " : "") + sentence_of(one);
  auto const& source = one.about.address.empty() ? one.about.name : one.about.address;
  json::object details{{"alertId", one.id.to_string()},
                       {"type", name_of(one.type)},
                       {"target", cut(one_line(one.about.address), longest_field)},
                       {"cause", cut(cause_of(one), longest_field)},
                       {"message", cut(several_lines(one.custom_message), longest_field)}};
  return {{"summary", fitted(title, longest_summary, as_is)},
          {"source", cut(one_line(source), longest_field)},
          {"severity", severity_for(to, of, one)},
          {"timestamp", to_rfc3339(one.at)},
          {"component", name_in_text(one.about)},
          {"group", cut(one_line(of.project.name), longest_field)},
          {"class", name_of(one.type)},
          {"custom_details", std::move(details)}};
}

json::object event_of(pagerduty_config const& to, message const& of, alert const& one, action what,
                      text_settings const& how) {
  json::object out{{"routing_key", to.routing_key},
                   {"event_action", name_of(what)},
                   {"dedup_key", dedup_key_of(one)},
                   {"payload", payload_of(to, of, one)}};
  auto const link = link_to(one, how);
  if (!link.empty() && !of.test) out["links"] = json::array{{{"href", link}, {"text", "Open"}}};
  return out;
}

std::vector<http_post> pagerduty_posts(pagerduty_config const& to, message const& of, text_settings const& how) {
  auto const url = (to.eu ? how.at.pagerduty_eu : how.at.pagerduty) + "/v2/enqueue";
  std::vector<http_post> out;
  for (auto const& one : of.alerts) out.push_back(json_post(url, event_of(to, of, one, action_of(one), how)));
  // A test leaves no incident behind.
  if (of.test) out.push_back(json_post(url, event_of(to, of, of.alerts.front(), action::resolve, how)));
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
