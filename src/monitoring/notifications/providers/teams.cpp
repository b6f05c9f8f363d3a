// Microsoft Teams, workflows and the older connectors (learn.microsoft.com, "Incoming webhooks").
#include "monitoring/notifications/composed.hpp"
#include "monitoring/notifications/providers/posts.hpp"
#include "monitoring/notifications/providers/provider_types.hpp"

#include <boost/json/array.hpp>

namespace svc::notifications {

namespace json = boost::json;

namespace {

constexpr std::size_t teams_bytes = std::size_t{24} * 1024, teams_units = 12'000;

provider_config read_teams(config_reader& reader) {
  return teams_config{reader.url("webhookUrl", false)};
}

json::object text_run(std::string_view text, bool title, composed_text const& parts) {
  json::object run{{"type", "TextRun"}, {"text", text}};
  if (title) {
    run["weight"] = "Bolder";
    run["size"] = "Large";
    run["color"] = !parts.bad ? "Good" : parts.severity == "critical" ? "Attention" : "Warning";
  }
  return {{"type", "RichTextBlock"}, {"inlines", json::array{std::move(run)}}};
}

/// Text runs know no Markdown, text blocks do (adaptivecards.io, "TextRun").
json::object teams_message(composed_text const& parts, std::size_t most_units) {
  json::array body{text_run(fitted(parts.title, 300, as_is), true, parts)};
  for (auto const& line : lines_that_fit(parts, most_units, as_is)) body.push_back(text_run(line, false, parts));
  json::object card{{"$schema", "http://adaptivecards.io/schemas/adaptive-card.json"},
                    {"type", "AdaptiveCard"},
                    {"version", "1.4"},
                    {"body", std::move(body)},
                    {"msteams", {{"width", "Full"}}}};
  if (!parts.link.empty())
    card["actions"] = json::array{{{"type", "Action.OpenUrl"}, {"title", link_text}, {"url", parts.link}}};
  json::object attachment{{"contentType", "application/vnd.microsoft.card.adaptive"},
                          {"contentUrl", nullptr},
                          {"content", std::move(card)}};
  return {{"type", "message"}, {"attachments", json::array{std::move(attachment)}}};
}

http_post teams_post(teams_config const& config, message const& message, text_settings const& settings) {
  auto const text = compose(message, settings);
  for (auto room = teams_units;; room /= 2) {
    auto out = json_post(config.webhook_url, teams_message(text, room));
    if (out.body.size() <= teams_bytes || room < 100) return out;
  }
}

/// Teams' older connectors answer 200 also when the channel accepted nothing, and say so in the body
/// (learn.microsoft.com, "Rate limiting for connectors").
bool hides_failure(std::string_view body) {
  return body.find("Microsoft Teams endpoint returned HTTP error") != std::string_view::npos;
}

bool teams_accepts(provider_answer const& answer) {
  return (answer.status == 200 || answer.status == 202) && !hides_failure(answer.body);
}

void read_hidden_limit(provider_answer const& answer, outcome& result) {
  if (result.state == fate::retry && answer.status < 300 && answer.body.find("429") != std::string_view::npos)
    result.cause = reason::rate_limited;
}

}  // namespace

constinit provider_row const teams_config::row{
    .name = "teams",
    .read = read_teams,
    .compose = one_request<teams_config, teams_post>,
    .accepts = teams_accepts,
    .refine = read_hidden_limit,
    .address_member = "webhookUrl",
};

}  // namespace svc::notifications
