#include "svc/monitoring/notifications/provider.hpp"

#include "monitoring/notifications/mime.hpp"
#include "svc/core/ascii.hpp"
#include "svc/egress/http/http_client.hpp"
#include "svc/egress/url.hpp"
#include "svc/monitoring/notifications/signature.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include <algorithm>
#include <array>

namespace svc::notifications {

namespace json = boost::json;

namespace {

constexpr std::array<std::string_view, provider_type_count> type_names{"email", "slack",     "discord", "telegram",
                                                                       "teams", "pagerduty", "webhook"};

/// Reads members, and gathers what is wrong with them.
class reader {
 public:
  explicit reader(json::object const& from) : from_(from) {}

  std::string text(std::string_view name, std::string otherwise = {}) {
    auto const* const found = from_.if_contains(name);
    if (found == nullptr || found->is_null()) return otherwise;
    if (auto const* const text = found->if_string()) return std::string(*text);
    refuse(name, "must be a string");
    return otherwise;
  }
  std::string needed(std::string_view name) {
    auto out = text(name);
    if (out.empty()) refuse(name, "is required");
    return out;
  }
  std::optional<std::string> optional_text(std::string_view name) {
    auto out = text(name);
    return out.empty() ? std::nullopt : std::optional(std::move(out));
  }
  json::value const* member(std::string_view name) const { return from_.if_contains(name); }
  void refuse(std::string_view name, std::string why) {
    wrong_.push_back({"/config/" + std::string(name), std::move(why)});
  }
  std::vector<field_error> wrong() && { return std::move(wrong_); }

 private:
  json::object const& from_;
  std::vector<field_error> wrong_{};
};

std::string read_url(reader& from, std::string_view name, bool plain_too) {
  auto out = from.needed(name);
  if (out.empty()) return out;
  auto const url = egress::parse_http_url(out);
  if (!url)
    from.refuse(name, url.error().message);
  else if (!url->where.secure && !plain_too)
    from.refuse(name, "must be an https URL");
  return out;
}

email_config read_email(reader& from) {
  email_config out;
  auto const* const list = from.member("to");
  if (list == nullptr || !list->is_array() || list->get_array().empty()) {
    from.refuse("to", "is required");
    return out;
  }
  for (auto const& one : list->get_array()) {
    auto const* const text = one.if_string();
    if (text == nullptr || !is_mail_address(*text))
      from.refuse("to/" + std::to_string(out.to.size()), "must be an e-mail address in ASCII");
    out.to.emplace_back(text == nullptr ? std::string_view() : std::string_view(*text));
  }
  return out;
}

telegram_config read_telegram(reader& from) {
  telegram_config out{.bot_token = from.needed("botToken"), .chat_id = from.needed("chatId")};
  auto const* const thread = from.member("threadId");
  if (thread == nullptr || thread->is_null()) return out;
  if (thread->is_int64())
    out.thread_id = thread->get_int64();
  else
    from.refuse("threadId", "must be an integer");
  return out;
}

pagerduty_config read_pagerduty(reader& from) {
  pagerduty_config out{.routing_key = from.needed("routingKey"), .severity = from.text("severity", "critical")};
  auto const region = from.text("region", "us");
  out.eu = region == "eu";
  if (region != "us" && region != "eu") from.refuse("region", "must be us or eu");
  constexpr std::array<std::string_view, 4> severities{"critical", "error", "warning", "info"};
  if (std::ranges::find(severities, out.severity) == severities.end())
    from.refuse("severity", "must be critical, error, warning or info");
  return out;
}

/// What libcurl would refuse to send, and what is ours.
void read_headers(reader& from, webhook_config& to) {
  auto const* const all = from.member("headers");
  if (all == nullptr || all->is_null()) return;
  if (!all->is_object()) {
    from.refuse("headers", "must be an object");
    return;
  }
  for (auto const& one : all->get_object()) {
    auto const name = lower_case(one.key());
    auto const place = "headers/" + std::string(one.key());
    if (!is_token(name) || egress::is_reserved_field(name) || name.starts_with("webhook-"))
      from.refuse(place, "is set by the service");
    else if (!one.value().is_string())
      from.refuse(place, "must be a string");
    else
      to.headers.emplace_back(one.key(), one.value().get_string());
  }
}

webhook_config read_webhook(reader& from) {
  webhook_config out{.url = read_url(from, "url", true), .method = from.text("method", "POST")};
  if (out.method != "POST" && out.method != "PUT") from.refuse("method", "must be POST or PUT");
  read_headers(from, out);
  if (auto const text = from.optional_text("bodyTemplate")) {
    auto body = body_template::parse(*text);
    if (body)
      out.body = std::move(*body);
    else
      from.refuse("bodyTemplate", body.error().message);
  }
  if (auto secret = from.optional_text("signingSecret")) {
    auto const key = read_signing_secret(*secret);
    if (!key) from.refuse("signingSecret", key.error().message);
    out.signing_secret = secret_string(std::move(*secret));
  }
  return out;
}

provider_config read(provider_type type, reader& from) {
  switch (type) {
    case provider_type::email:
      return read_email(from);
    case provider_type::slack:
      return slack_config{read_url(from, "webhookUrl", false), from.optional_text("channel")};
    case provider_type::discord:
      return discord_config{read_url(from, "webhookUrl", false)};
    case provider_type::telegram:
      return read_telegram(from);
    case provider_type::teams:
      return teams_config{read_url(from, "webhookUrl", false)};
    case provider_type::pagerduty:
      return read_pagerduty(from);
    case provider_type::webhook:
      return read_webhook(from);
  }
  return {};
}

}  // namespace

std::string_view name_of(provider_type of) {
  return type_names[static_cast<std::size_t>(of)];
}

std::optional<provider_type> provider_type_named(std::string_view name) {
  auto const found = std::ranges::find(type_names, name);
  if (found == type_names.end()) return std::nullopt;
  return static_cast<provider_type>(found - type_names.begin());
}

result<provider_config> read_config(provider_type type, std::string_view text, secret_string former) {
  json::error_code failed;
  auto const parsed = json::parse({text.data(), text.size()}, failed);
  if (failed || !parsed.is_object())
    return error(errc::validation_failed, "The config cannot be used.", {{"/config", "must be an object"}});
  reader from(parsed.get_object());
  auto out = read(type, from);
  if (auto* const hook = std::get_if<webhook_config>(&out)) hook->former_secret = std::move(former);
  auto wrong = std::move(from).wrong();
  if (!wrong.empty()) return error(errc::validation_failed, "The config cannot be used.", std::move(wrong));
  return out;
}

}  // namespace svc::notifications
