// ntfy, on ntfy.sh or an own server (docs.ntfy.sh/publish, "Publish as JSON"). Texts are plain: without the member
// `markdown` a client shows them as they are.
#include "monitoring/notifications/composed.hpp"
#include "monitoring/notifications/providers/posts.hpp"
#include "monitoring/notifications/providers/provider_types.hpp"
#include "svc/core/joined.hpp"

#include <boost/json/array.hpp>

#include <algorithm>

namespace svc::notifications {

namespace json = boost::json;

namespace {

constexpr std::string_view ntfy_server = "https://ntfy.sh";
constexpr std::size_t ntfy_title = 250;
/// A longer message arrives as an attached file, which some servers refuse.
constexpr std::size_t ntfy_message_bytes = 4096;
/// A server reads twice the length of a message of a JSON body, and refuses more with 413.
constexpr std::size_t ntfy_body_bytes = 2 * ntfy_message_bytes;
constexpr std::int64_t least_priority = 1, usual_priority = 3, highest_priority = 5;

bool consists_of(std::string_view text, std::string_view punctuation) {
  return std::ranges::all_of(text, [punctuation](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           punctuation.find(c) != std::string_view::npos;
  });
}

std::string read_server(config_reader& reader) {
  if (!reader.optional_text("server")) return std::string(ntfy_server);
  auto out = reader.url("server", true);
  if (out.find_first_of("?#") != std::string::npos) reader.refuse("server", "must have no query and no fragment");
  return out;
}

std::int64_t read_priority(config_reader& reader, std::int64_t fallback) {
  auto const* const priority = reader.member("priority");
  if (priority == nullptr || priority->is_null()) return fallback;
  auto const* const number = priority->if_int64();
  if (number != nullptr && *number >= least_priority && *number <= highest_priority) return *number;
  reader.refuse("priority", "must be an integer from 1 to 5");
  return fallback;
}

provider_config read_ntfy(config_reader& reader) {
  ntfy_config out{.server = read_server(reader), .topic = reader.required_text("topic")};
  if (out.topic.size() > 64 || !consists_of(out.topic, "-_"))
    reader.refuse("topic", "must be at most 64 letters, digits, - and _");
  if (auto token = reader.optional_text("token")) {
    if (!consists_of(*token, "-._~+/=")) reader.refuse("token", "must be an access token");
    out.token = secret_string(std::move(*token));
  }
  out.priority = read_priority(reader, out.priority);
  return out;
}

/// Only failures have the configured priority. Nothing else is louder than usual.
std::int64_t priority_of(ntfy_config const& config, composed_text const& text) {
  return text.bad && text.severity == "critical" ? config.priority : std::min(config.priority, usual_priority);
}

/// Names of emojis, which a client shows before the title.
std::string_view tag_of_state(composed_text const& text) {
  if (!text.bad) return "white_check_mark";
  return text.severity == "critical" ? "rotating_light" : "warning";
}

json::object ntfy_body(ntfy_config const& config, composed_text const& text, std::string const& lines) {
  json::object out{{"topic", config.topic},
                   {"title", fitted(text.title, ntfy_title, as_is)},
                   {"message", lines},
                   {"priority", priority_of(config, text)},
                   {"tags", json::array{tag_of_state(text)}}};
  if (!text.link.empty()) out["click"] = text.link;
  return out;
}

http_post ntfy_post(ntfy_config const& config, message const& notification, text_settings const& settings) {
  auto const text = compose(notification, settings);
  auto const url = config.server + (config.server.ends_with('/') ? "" : "/");
  for (auto room = ntfy_message_bytes;; room -= room / 4) {
    auto const lines = joined(lines_that_fit(text, room, as_is), "\n");
    auto out = json_post(url, ntfy_body(config, text, lines));
    if ((lines.size() > ntfy_message_bytes || out.body.size() > ntfy_body_bytes) && room > 100) continue;
    if (!config.token.reveal().empty())
      out.fields.push_back({"Authorization", "Bearer " + std::string(config.token.reveal())});
    return out;
  }
}

}  // namespace

constinit provider_row const ntfy_config::row{
    .name = "ntfy",
    .read = read_ntfy,
    .compose = one_request<ntfy_config, ntfy_post>,
    .accepts = accepts_200,
    .address_member = "server",
    .default_member = {"server", ntfy_server},
};

}  // namespace svc::notifications
