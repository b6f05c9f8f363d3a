#pragma once

#include "svc/core/result.hpp"
#include "svc/core/secret.hpp"
#include "svc/monitoring/notifications/body_template.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace svc::notifications {

enum class provider_type : std::uint8_t { email, slack, discord, telegram, teams, pagerduty, webhook, ntfy };
inline constexpr std::size_t provider_type_count = static_cast<std::size_t>(provider_type::ntfy) + 1;

std::string_view name_of(provider_type type);
std::optional<provider_type> provider_type_named(std::string_view name);

/// The member that the service adds to a config, and its value.
struct config_default {
  std::string_view name{}, value{};
};

/// Everything that differs between the types, in src/monitoring/notifications/providers. Each config has the row of
/// its type.
struct provider_row;

struct email_config {
  std::vector<std::string> texts{};
  static provider_row const row;
};

struct slack_config {
  std::string webhook_url{};
  std::optional<std::string> channel{};
  static provider_row const row;
};

struct discord_config {
  std::string webhook_url{};
  static provider_row const row;
};

struct telegram_config {
  std::string bot_token{};
  std::string chat_id{};
  std::optional<std::int64_t> thread_id{};
  bool is_group() const { return chat_id.starts_with('-') || chat_id.starts_with('@'); }
  static provider_row const row;
};

struct teams_config {
  std::string webhook_url{};
  static provider_row const row;
};

struct pagerduty_config {
  std::string routing_key{};
  bool eu = false;
  std::string severity = "critical";  ///< of failures; lesser alerts are a `warning`
  static provider_row const row;
};

struct webhook_config {
  std::string url{};
  std::string method = "POST";
  std::vector<std::pair<std::string, std::string>> headers{};
  std::optional<body_template> body{};
  secret_string signing_secret{};  ///< `whsec_...`; empty: unsigned
  secret_string former_secret{};   ///< the previous secret, which also signs for 24 h after its replacement
  static provider_row const row;
};

struct ntfy_config {
  std::string server{};  ///< URL of the server, without the topic
  std::string topic{};
  secret_string token{};      ///< an access token; empty if none is needed
  std::int64_t priority = 4;  ///< 1 to 5, of failures
  static provider_row const row;
};

/// The table of all types, in the order of `provider_type`. Secrets among its members reach no log and no error.
using provider_config = std::variant<email_config, slack_config, discord_config, telegram_config, teams_config,
                                     pagerduty_config, webhook_config, ntfy_config>;
inline provider_type type_of(provider_config const& config) {
  return static_cast<provider_type>(config.index());
}

/// Returns the name of the member of `config` that holds a URL chosen by users; empty if the type has none.
std::string_view address_member_of(provider_type type);
/// Returns the member that is stored with its default value if a user leaves it out; its name is empty if the type
/// has none.
config_default default_member_of(provider_type type);

/// Reads the `config` of a provider with its secrets, a JSON object; also the check on save. Fails with
/// `validation_failed` and `/config/...` for problems that the contract's schema cannot express: recipients
/// that mail cannot address, URLs that are refused whatever they resolve to, templates with unknown names,
/// signing secrets of a wrong size. A blocked address is found only on connecting. Ignores unknown members.
/// `former` is a webhook's `former_secret`. Total.
result<provider_config> read_config(provider_type type, std::string_view json, secret_string former = {});

}  // namespace svc::notifications
