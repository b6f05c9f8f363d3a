// Slack, incoming webhooks (docs.slack.dev, "Sending messages using incoming webhooks"). Texts that users named are
// plain or escaped.
#include "monitoring/notifications/composed.hpp"
#include "monitoring/notifications/providers/posts.hpp"
#include "monitoring/notifications/providers/provider_types.hpp"

#include <boost/json/array.hpp>

namespace svc::notifications {

namespace json = boost::json;

namespace {

constexpr std::size_t slack_block = 3000, slack_all = 12'000, slack_header = 150;

provider_config read_slack(config_reader& reader) {
  return slack_config{reader.url("webhookUrl", false), reader.optional_text("channel")};
}

/// Lines as paragraphs of at most `most` units each.
std::vector<std::string> paragraphs_of(std::vector<std::string> const& lines, std::size_t most) {
  std::vector<std::string> out;
  std::size_t used = most;
  for (auto const& line : lines) {
    auto const more = units_of(line) + 1;
    if (used + more > most) {
      out.emplace_back();
      used = 0;
    }
    if (!out.back().empty()) out.back() += '\n';
    out.back() += line;
    used += more;
  }
  return out;
}

json::object plain_text(std::string text) {
  return {{"type", "plain_text"}, {"text", std::move(text)}, {"emoji", false}};
}

json::array slack_blocks(composed_text const& parts) {
  json::array out;
  out.push_back({{"type", "header"}, {"text", plain_text(fitted(parts.title, slack_header, escape_slack))}});
  auto const lines = lines_that_fit(parts, slack_all - 4 * slack_header, escape_slack, slack_block - 1);
  for (auto& text : paragraphs_of(lines, slack_block))
    out.push_back({{"type", "section"}, {"text", plain_text(std::move(text))}});
  if (!parts.link.empty()) {
    auto const link = "<" + escaped(parts.link, escape_slack) + "|" + std::string(link_text) + ">";
    out.push_back({{"type", "section"}, {"text", {{"type", "mrkdwn"}, {"text", link}}}});
  }
  return out;
}

http_post slack_post(slack_config const& config, message const& message, text_settings const& settings) {
  auto const text = compose(message, settings);
  // Notifications show the top-level text; with blocks it is not shown in the channel.
  json::object body{{"text", fitted(text.title, slack_header, escape_slack)},
                    {"mrkdwn", false},
                    {"link_names", false},
                    {"unfurl_links", false},
                    {"unfurl_media", false},
                    {"blocks", slack_blocks(text)}};
  if (config.channel) body["channel"] = *config.channel;
  return json_post(config.webhook_url, body);
}

}  // namespace

constinit provider_row const slack_config::row{
    .name = "slack",
    .read = read_slack,
    .compose = one_request<slack_config, slack_post>,
    .accepts = accepts_200,
    .address_member = "webhookUrl",
};

}  // namespace svc::notifications
