// Discord, webhooks (discord.com/developers, "Execute Webhook"). Marks in texts that users named are escaped.
#include "monitoring/notifications/composed.hpp"
#include "monitoring/notifications/providers/posts.hpp"
#include "monitoring/notifications/providers/provider_types.hpp"
#include "svc/core/joined.hpp"

#include <boost/json/array.hpp>

#include <algorithm>

namespace svc::notifications {

namespace json = boost::json;

namespace {

constexpr std::size_t discord_title = 256, discord_description = 4096, discord_all = 6000;

provider_config read_discord(config_reader& reader) {
  return discord_config{reader.url("webhookUrl", false)};
}

int discord_colour(composed_text const& parts) {
  if (!parts.bad) return 0x2E7D32;
  return parts.severity == "critical" ? 0xC62828 : 0xF9A825;
}

std::string with_wait(std::string url) {
  return url + (url.find('?') == std::string::npos ? "?wait=true" : "&wait=true");
}

http_post discord_post(discord_config const& config, message const& message, text_settings const& settings) {
  auto const text = compose(message, settings);
  auto const title = fitted(text.title, discord_title, escape_discord);
  auto const room = std::min(discord_description, discord_all - units_of(title));
  json::object embed{{"title", title},
                     {"description", joined(lines_that_fit(text, room, escape_discord), "\n")},
                     {"color", discord_colour(text)},
                     {"timestamp", to_rfc3339(message.alerts.back().time)}};
  if (!text.link.empty()) embed["url"] = text.link;
  return json_post(with_wait(config.webhook_url),
                   {{"embeds", json::array{std::move(embed)}}, {"allowed_mentions", {{"parse", json::array{}}}}});
}

/// Discord announces its limits in fields of the head, and in the body of a 429.
void read_discord_limits(provider_answer const& answer, outcome& result) {
  if (field_of(answer, "x-ratelimit-remaining") == "0")
    extend_pause(result, pause_in_text(field_of(answer, "x-ratelimit-reset-after")));
  if (answer.status == 429) extend_pause(result, pause_in_number(member_of(answer.parsed_body, "retry_after")));
}

}  // namespace

constinit provider_row const discord_config::row{
    .name = "discord",
    .read = read_discord,
    .compose = one_request<discord_config, discord_post>,
    .refine = read_discord_limits,
    .parses_answers = true,
    .pace = std::chrono::seconds(2),
    .address_member = "webhookUrl",
};

}  // namespace svc::notifications
