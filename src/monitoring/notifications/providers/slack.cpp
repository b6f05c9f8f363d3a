// What chats are told. Everything that a user named stands where the chat reads no mark-up, or is escaped.
#include "monitoring/notifications/composed.hpp"
#include "monitoring/notifications/providers/posts.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>

namespace svc::notifications {

namespace json = boost::json;

namespace {

constexpr std::size_t slack_block = 3000, slack_all = 12'000, slack_header = 150;
constexpr std::size_t discord_title = 256, discord_description = 4096, discord_all = 6000;
constexpr std::size_t telegram_all = 4096;
constexpr std::size_t teams_bytes = std::size_t{24} * 1024, teams_units = 12'000;
constexpr std::string_view link_text = "Open";

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

std::string joined(std::vector<std::string> const& lines) {
  std::string out;
  for (auto const& line : lines) out += (out.empty() ? "" : "\n") + line;
  return out;
}

json::object plain_text(std::string text) {
  return {{"type", "plain_text"}, {"text", std::move(text)}, {"emoji", false}};
}

json::array slack_blocks(composed const& of) {
  json::array out;
  out.push_back({{"type", "header"}, {"text", plain_text(fitted(of.title, slack_header, escape_slack))}});
  auto const lines = lines_that_fit(of, slack_all - 4 * slack_header, escape_slack, slack_block - 1);
  for (auto& text : paragraphs_of(lines, slack_block))
    out.push_back({{"type", "section"}, {"text", plain_text(std::move(text))}});
  if (!of.link.empty()) {
    auto const link = "<" + escaped(of.link, escape_slack) + "|" + std::string(link_text) + ">";
    out.push_back({{"type", "section"}, {"text", {{"type", "mrkdwn"}, {"text", link}}}});
  }
  return out;
}

int discord_colour(composed const& of) {
  if (!of.bad) return 0x2E7D32;
  return of.severity == "critical" ? 0xC62828 : 0xF9A825;
}

json::object text_run(std::string_view text, bool title, composed const& of) {
  json::object run{{"type", "TextRun"}, {"text", text}};
  if (title) {
    run["weight"] = "Bolder";
    run["size"] = "Large";
    run["color"] = !of.bad ? "Good" : of.severity == "critical" ? "Attention" : "Warning";
  }
  return {{"type", "RichTextBlock"}, {"inlines", json::array{std::move(run)}}};
}

/// Text runs know no Markdown, text blocks do (adaptivecards.io, "TextRun").
json::object teams_message(composed const& of, std::size_t most_units) {
  json::array body{text_run(fitted(of.title, 300, as_is), true, of)};
  for (auto const& line : lines_that_fit(of, most_units, as_is)) body.push_back(text_run(line, false, of));
  json::object card{{"$schema", "http://adaptivecards.io/schemas/adaptive-card.json"},
                    {"type", "AdaptiveCard"},
                    {"version", "1.4"},
                    {"body", std::move(body)},
                    {"msteams", {{"width", "Full"}}}};
  if (!of.link.empty())
    card["actions"] = json::array{{{"type", "Action.OpenUrl"}, {"title", link_text}, {"url", of.link}}};
  json::object attachment{{"contentType", "application/vnd.microsoft.card.adaptive"},
                          {"contentUrl", nullptr},
                          {"content", std::move(card)}};
  return {{"type", "message"}, {"attachments", json::array{std::move(attachment)}}};
}

/// A token or id as one segment of a path (RFC 3986 3.3).
std::string in_path(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF", plain = "-._~:";
  std::string out;
  for (char const c : text) {
    auto const byte = static_cast<unsigned char>(c);
    bool const letter = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (letter || plain.find(c) != std::string_view::npos)
      out += c;
    else
      (out += '%').append({digits[byte >> 4U], digits[byte & 15U]});
  }
  return out;
}

std::string with_wait(std::string url) {
  return url + (url.find('?') == std::string::npos ? "?wait=true" : "&wait=true");
}

}  // namespace

http_post json_post(std::string url, json::object const& body) {
  return {.url = std::move(url), .fields = {{"Content-Type", "application/json"}}, .body = json::serialize(body)};
}

http_post slack_post(slack_config const& to, message const& of, text_settings const& how) {
  auto const text = compose(of, how);
  // The top-level text is what notifications show; with blocks it is not shown in the channel.
  json::object body{{"text", fitted(text.title, slack_header, escape_slack)},
                    {"mrkdwn", false},
                    {"link_names", false},
                    {"unfurl_links", false},
                    {"unfurl_media", false},
                    {"blocks", slack_blocks(text)}};
  if (to.channel) body["channel"] = *to.channel;
  return json_post(to.webhook_url, body);
}

http_post discord_post(discord_config const& to, message const& of, text_settings const& how) {
  auto const text = compose(of, how);
  auto const title = fitted(text.title, discord_title, escape_discord);
  auto const room = std::min(discord_description, discord_all - units_of(title));
  json::object embed{{"title", title},
                     {"description", joined(lines_that_fit(text, room, escape_discord))},
                     {"color", discord_colour(text)},
                     {"timestamp", to_rfc3339(of.alerts.back().at)}};
  if (!text.link.empty()) embed["url"] = text.link;
  return json_post(with_wait(to.webhook_url),
                   {{"embeds", json::array{std::move(embed)}}, {"allowed_mentions", {{"parse", json::array{}}}}});
}

http_post telegram_post(telegram_config const& to, message const& of, text_settings const& how) {
  auto const text = compose(of, how);
  auto const title = fitted(text.title, 300, escape_html);
  auto const room = telegram_all - std::min(telegram_all, units_of(title) + units_of(text.link) + 10);
  // In code nothing becomes a mention, a link, a command or a tag by itself (core.telegram.org/bots/api, "HTML
  // style").
  auto html =
      "<b><code>" + title + "</code></b>\n<code>" + joined(lines_that_fit(text, room, escape_html)) + "</code>";
  if (!text.link.empty())
    html.append("\n<a href=\"")
        .append(escaped(text.link, escape_html))
        .append("\">")
        .append(link_text)
        .append("</a>");
  json::object body{{"chat_id", to.chat_id},
                    {"text", html},
                    {"parse_mode", "HTML"},
                    {"link_preview_options", {{"is_disabled", true}}}};
  if (to.thread_id) body["message_thread_id"] = *to.thread_id;
  return json_post(how.at.telegram + "/bot" + in_path(to.bot_token) + "/sendMessage", body);
}

http_post teams_post(teams_config const& to, message const& of, text_settings const& how) {
  auto const text = compose(of, how);
  for (auto room = teams_units;; room /= 2) {
    auto out = json_post(to.webhook_url, teams_message(text, room));
    if (out.body.size() <= teams_bytes || room < 100) return out;
  }
}

}  // namespace svc::notifications
