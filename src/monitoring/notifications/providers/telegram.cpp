// Telegram, Bot API (core.telegram.org/bots/api, "sendMessage").
#include "monitoring/notifications/composed.hpp"
#include "monitoring/notifications/providers/posts.hpp"
#include "monitoring/notifications/providers/provider_types.hpp"
#include "svc/core/joined.hpp"

#include <algorithm>

namespace svc::notifications {

namespace json = boost::json;

namespace {

constexpr std::size_t telegram_all = 4096;

provider_config read_telegram(config_reader& reader) {
  telegram_config out{.bot_token = reader.required_text("botToken"), .chat_id = reader.required_text("chatId")};
  auto const* const thread = reader.member("threadId");
  if (thread == nullptr || thread->is_null()) return out;
  if (thread->is_int64())
    out.thread_id = thread->get_int64();
  else
    reader.refuse("threadId", "must be an integer");
  return out;
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

http_post telegram_post(telegram_config const& config, message const& message, text_settings const& settings) {
  auto const text = compose(message, settings);
  auto const title = fitted(text.title, 300, escape_html);
  auto const room = telegram_all - std::min(telegram_all, units_of(title) + units_of(text.link) + 10);
  // In code nothing becomes a mention, a link, a command or a tag by itself (core.telegram.org/bots/api, "HTML
  // style").
  auto html =
      "<b><code>" + title + "</code></b>\n<code>" + joined(lines_that_fit(text, room, escape_html), "\n") + "</code>";
  if (!text.link.empty())
    html.append("\n<a href=\"")
        .append(escaped(text.link, escape_html))
        .append("\">")
        .append(link_text)
        .append("</a>");
  json::object body{{"chat_id", config.chat_id},
                    {"text", html},
                    {"parse_mode", "HTML"},
                    {"link_preview_options", {{"is_disabled", true}}}};
  if (config.thread_id) body["message_thread_id"] = *config.thread_id;
  return json_post(settings.urls.telegram + "/bot" + in_path(config.bot_token) + "/sendMessage", body);
}

/// Telegram repeats the message in its response, which makes some responses longer than the parsed part.
bool starts_as_accepted(std::string_view body) {
  return body.starts_with(R"({"ok":true)");
}

bool telegram_accepts(provider_answer const& answer) {
  if (answer.status != 200) return false;
  if (answer.body_is_long) return starts_as_accepted(answer.body);
  auto const* const ok = member_of(answer.parsed_body, "ok");
  return ok != nullptr && ok->is_bool() && ok->get_bool();
}

void read_telegram_limits(provider_answer const& answer, outcome& result) {
  auto const* const parameters = member_of(answer.parsed_body, "parameters");
  if (parameters != nullptr) extend_pause(result, pause_in_number(member_of(*parameters, "retry_after")));
}

milliseconds telegram_pace(provider_config const& config) {
  return std::chrono::seconds(std::get<telegram_config>(config).is_group() ? 3 : 1);
}

}  // namespace

constinit provider_row const telegram_config::row{
    .name = "telegram",
    .read = read_telegram,
    .compose = one_request<telegram_config, telegram_post>,
    .accepts = telegram_accepts,
    .refine = read_telegram_limits,
    .parses_answers = true,
    .pace_of_config = telegram_pace,
};

}  // namespace svc::notifications
