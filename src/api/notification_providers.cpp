#include "api/call_options.hpp"
#include "api/checked_body.hpp"
#include "api/replies.hpp"
#include "api/resources.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/egress/url.hpp"
#include "svc/monitoring/notifications/provider.hpp"
#include "svc/monitoring/notifications/schedule.hpp"
#include "svc/monitoring/notifications/signature.hpp"
#include "svc/store/delivery/provider_store.hpp"
#include "svc/store/repositories.hpp"

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace svc::api {

namespace {

/// The placeholder for a signing secret that the service generates.
constexpr std::string_view generate = "generate";

// Masks in configs: each one replaces a stored secret.

constexpr std::string_view masked_address = "https://masked.invalid";
/// Satisfies the contract as any secret that is no address.
constexpr std::string_view masked_secret = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// Returns the names of the members of `config` that are secret or hold secrets.
std::set<std::string> secret_members(std::string_view type, boost::json::object const& config) {
  std::set<std::string> out;
  for (auto const& pointer : store::secret_pointers(type, config))
    out.insert(pointer.substr(1, pointer.find('/', 1) - 1));
  return out;
}

/// Replaces each mask by a value that satisfies the contract, because a stored secret need not be checked again. The
/// store knows whether there is one.
boost::json::object config_without_masks(std::string_view type, boost::json::object config) {
  auto const known = notifications::provider_type_named(type);
  if (!known) return config;
  for (auto const& name : secret_members(type, config)) {
    if (config.at(name) != boost::json::value(store::secret_mask)) continue;
    config[name] = name == notifications::address_member_of(*known) ? masked_address : masked_secret;
  }
  return config;
}

/// The same for a whole provider, with its members `type` and `config`.
boost::json::object without_masks(boost::json::object provider) {
  auto* const config = provider.if_contains("config");
  if (config != nullptr && config->is_object())
    *config = config_without_masks(text_in(provider, "type").value_or(""), std::move(config->get_object()));
  return provider;
}

/// Reports repeated headers. Two spellings of one header's name would send the header twice, and a schema cannot
/// compare without case.
void find_repeated_headers(boost::json::object const& headers, std::vector<field_error>& wrong) {
  std::set<std::string> seen;
  for (auto const& header : headers) {
    std::string name(header.key()), pointer = "/config/headers/";
    for (char const c : name) pointer += c == '~' ? std::string("~0") : std::string(1, c);
    for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
    if (!seen.insert(std::move(name)).second) wrong.push_back({std::move(pointer), "is repeated"});
  }
}

/// Refuses a literal address that messages may not go to. A plain http address is stored: it is for receivers that
/// the operator opens.
void check_address(notifications::provider_type type, boost::json::object const& config,
                   egress::address_policy const& reachable, std::vector<field_error>& problems) {
  auto const name = notifications::address_member_of(type);
  auto const text = name.empty() ? std::nullopt : text_in(config, name);
  auto const url = text ? egress::parse_http_url(*text) : result<egress::http_url>(errc::not_found);
  if (!url || !url->where.secure || !url->where.host.address || reachable.allows(*url->where.host.address)) return;
  problems.push_back({"/config/" + std::string(name),
                      "must not be an address that is closed to messages; the operator opens networks with "
                      "outgoing_allow_cidrs"});
}

/// Checks the parts of a config that the contract's schema cannot check.
void check_config(std::string const& type, boost::json::object const& config, egress::address_policy const& reachable,
                  std::vector<field_error>& wrong) {
  auto const plain = config_without_masks(type, config);
  auto const known = notifications::provider_type_named(type).value();
  auto const read = notifications::read_config(known, boost::json::serialize(plain));
  if (!read)
    for (auto const& each : read.error().details) wrong.push_back(each);
  if (auto const* const headers = given(config, "headers")) find_repeated_headers(headers->as_object(), wrong);
  check_address(known, plain, reachable, wrong);
}

void error_json(http::json_text& out, std::optional<notification_provider::failure> const& failure) {
  if (!failure) {
    out.member("lastError", nullptr);
    return;
  }
  out.open("lastError")
      .member("at", failure->time)
      .member("reason", failure->reason)
      .member("status", failure->status)
      .close();
}

std::int64_t group_seconds_of(notification_provider const& provider) {
  std::optional<std::chrono::seconds> chosen;
  if (provider.group_seconds) chosen = std::chrono::seconds(*provider.group_seconds);
  // Only a newer version knows this provider's type, so its own choice of the group time applies.
  auto const type = notifications::provider_type_named(provider.type);
  return type ? notifications::group_time(*type, chosen).count() : chosen.value_or(std::chrono::seconds(0)).count();
}

/// Returns the settings as a body that would create them, masks included.
boost::json::object provider_settings_json(notification_provider const& provider) {
  boost::json::object out{{"name", provider.name}, {"type", provider.type}, {"enabled", provider.enabled}};
  out["config"] = boost::json::parse(provider.config);
  if (provider.group_seconds) out["groupSeconds"] = *provider.group_seconds;
  if (provider.rate_per_minute) out["ratePerMinute"] = *provider.rate_per_minute;
  return out;
}

/// Returns the settings that the change keeps. A change of the type keeps neither the config nor the grouping.
boost::json::object kept_of(notification_provider const& current, boost::json::object const& change) {
  auto out = provider_settings_json(current);
  auto const* const type = change.if_contains("type");
  if (type == nullptr || *type == boost::json::value(current.type)) return out;
  out.erase("config");
  out.erase("groupSeconds");
  return out;
}

result<store::provider_settings> changed(http::body_validator& contract, egress::address_policy const& reachable,
                                         notification_provider const& current, boost::json::object const& merged) {
  auto const allowed = contract.check_schema("CreateNotificationProvider", without_masks(merged), {});
  if (!allowed) return allowed.error();
  return read_provider(merged, reachable, &current);
}

/// Returns the signing secret in the settings if the service generated it because the body asks for it.
std::optional<std::string> made_secret(call const& c, store::provider_settings const& settings) {
  auto const* const config = c.member("config");
  if (config == nullptr || !config->is_object()) return std::nullopt;
  auto const* const asked = config->get_object().if_contains("signingSecret");
  if (asked == nullptr || *asked != boost::json::value(generate)) return std::nullopt;
  return text_in(boost::json::parse(settings.config).as_object(), "signingSecret");
}

/// Returns a reply with the provider and its generated secret, which is not shown again.
reply provider_reply(call const& c, notification_provider const& provider,
                     std::optional<std::string> const& secret = {}) {
  auto out = shown_reply(c, provider.version, [&](http::json_text& text) {
    provider_json(text, provider);
    if (secret) text.member("signingSecret", *secret);
  });
  out.secret = secret.has_value();
  return out;
}

/// Checks `config.to` of the body against the operator's `notifications.mail_recipients`. Recipients that an older
/// configuration allowed stay until the list is sent again, and get no mail in the meantime. Returns
/// validation_failed for others.
task<result<>> check_recipients(call& c) {
  auto const& allowed = c.use.monitor_rules.recipients;
  auto const* const config = c.member("config");
  auto const* const value =
      config == nullptr || !config->is_object() ? nullptr : config->get_object().if_contains("to");
  if (allowed.is_open() || value == nullptr || !value->is_array()) co_return result<>();
  std::vector<std::string> named, members;
  // The schema checks a merge patch only after the merge, and then refuses an entry that is not a text.
  for (auto const& entry : value->get_array())
    named.emplace_back(entry.is_string() ? std::string(entry.get_string()) : std::string());
  if (allowed.allows_members())
    members = co_await c.use.stores.mails.members_among(c.caller.project_id, named, c.until);
  std::vector<field_error> wrong;
  for (std::size_t i = 0; i < named.size(); ++i) {
    if (allowed.allows(named[i], members)) continue;
    wrong.push_back({"/config/to/" + std::to_string(i), "is not an address to which the operator allows mail"});
  }
  co_return verdict(std::move(wrong));
}

using provider_change = result<store::provider_settings> (*)(http::body_validator& contract,
                                                             egress::address_policy const& reachable,
                                                             notification_provider const& current,
                                                             boost::json::object const& body);

task<result<reply>> change_provider(call& c, provider_change change) {
  if (auto const ok = co_await check_recipients(c); !ok) co_return ok.error();
  std::optional<std::string> secret;
  auto edit = [&c, &secret, change](notification_provider const& now) {
    auto out = change(c.contract, c.use.monitor_rules.reachable, now, c.body.as_object());
    if (out) secret = made_secret(c, *out);
    return out;
  };
  auto const done = co_await c.use.stores.providers.update(edit_by(c), c.path_id(), std::move(edit), c.until);
  if (!done) co_return done.error();
  co_return provider_reply(c, *done, secret);
}

void users_json(http::json_text& out, std::string_view name, std::vector<store::provider_usage::user> const& all) {
  out.open_list(name);
  for (auto const& user : all) out.open_element().member("id", user.id).member("name", user.name).close();
  out.close_list();
}

}  // namespace

void provider_json(http::json_text& out, notification_provider const& provider) {
  out.member("id", provider.id)
      .member("name", provider.name)
      .member("type", provider.type)
      .member("enabled", provider.enabled)
      .member("groupSeconds", group_seconds_of(provider))
      .member("ratePerMinute", provider.rate_per_minute)
      .stored_member("config", provider.config)
      .open_list("maskedFields");
  for (auto const& pointer : store::secret_pointers(provider.type, boost::json::parse(provider.config).as_object()))
    out.element("/config" + pointer);
  out.close_list().member("health", provider.health);
  error_json(out, provider.last_error);
  out.passing_member("lastUsed", provider.last_used_at)
      .member("createdAt", provider.created_at)
      .member("updatedAt", provider.updated_at);
}

result<store::provider_settings> read_provider(boost::json::object const& body,
                                               egress::address_policy const& reachable,
                                               notification_provider const* current) {
  store::provider_settings out{.name = std::string(body.at("name").as_string()),
                               .type = std::string(body.at("type").as_string()),
                               .enabled = flag_in(body, "enabled", true),
                               .group_seconds = number_in(body, "groupSeconds"),
                               .rate_per_minute = number_in(body, "ratePerMinute")};
  std::vector<field_error> wrong;
  find_hidden("/name", out.name, current == nullptr ? nullptr : &current->name, wrong);
  auto config = body.at("config").as_object();
  auto const missing = notifications::default_member_of(notifications::provider_type_named(out.type).value());
  if (!missing.name.empty()) config.emplace(missing.name, missing.value);
  auto* const signing = config.if_contains("signingSecret");
  if (signing != nullptr && *signing == boost::json::value(generate))
    *signing = notifications::make_signing_secret().reveal();
  // The user can disable a provider even if only an older version accepted its config.
  bool const as_it_was = current != nullptr && current->type == out.type &&
                         boost::json::parse(current->config) == boost::json::value(config);
  if (!as_it_was) check_config(out.type, config, reachable, wrong);
  if (auto ok = verdict(std::move(wrong)); !ok) return ok.error();
  out.config = boost::json::serialize(config);
  return out;
}

result<store::provider_settings> patch_provider(http::body_validator& contract,
                                                egress::address_policy const& reachable,
                                                notification_provider const& current,
                                                boost::json::object const& patch) {
  return changed(contract, reachable, current, merge_patch(kept_of(current, patch), patch));
}

result<store::provider_settings> replace_provider(http::body_validator& contract,
                                                  egress::address_policy const& reachable,
                                                  notification_provider const& current,
                                                  boost::json::object const& body) {
  auto before = kept_of(current, body);
  // Only the secrets that the body leaves out stay from the config; null removes one.
  if (auto* const kept = before.if_contains("config")) {
    boost::json::object secrets;
    for (auto const& name : secret_members(current.type, kept->as_object())) {
      if (!body.at("config").as_object().contains(name)) secrets[name] = kept->as_object().at(name);
    }
    *kept = std::move(secrets);
  }
  return changed(contract, reachable, current, merge_patch(std::move(before), body));
}

task<result<reply>> list_notification_providers(call& c) {
  auto const found = co_await c.use.stores.providers.list(c.caller.project_id, c.page(), c.until);
  co_return page_reply(c, found, provider_json);
}

task<result<reply>> create_notification_provider(call& c) {
  auto wanted = read_provider(c.body.as_object(), c.use.monitor_rules.reachable);
  if (!wanted) co_return wanted.error();
  if (auto const ok = co_await check_recipients(c); !ok) co_return ok.error();
  auto const secret = made_secret(c, *wanted);
  auto const made = co_await c.use.stores.providers.create(edit_by(c), std::move(*wanted), c.until);
  if (!made) co_return made.error();
  co_return created(c, provider_reply(c, *made, secret), "/api/notification-providers/" + made->id.to_string());
}

task<result<reply>> get_notification_provider(call& c) {
  auto const found = co_await c.use.stores.providers.get(c.caller.project_id, c.path_id(), c.until);
  if (!found) co_return found.error();
  co_return shown_reply(c, *found, provider_json);
}

task<result<reply>> update_notification_provider(call& c) {
  return change_provider(c, patch_provider);
}

task<result<reply>> replace_notification_provider(call& c) {
  return change_provider(c, replace_provider);
}

task<result<reply>> get_notification_provider_usage(call& c) {
  auto const found = co_await c.use.stores.providers.usage(c.caller.project_id, c.path_id(), c.until);
  if (!found) co_return found.error();
  http::json_text out;
  users_json(out, "monitors", found->monitors);
  users_json(out, "jobs", found->jobs);
  users_json(out, "statusPages", found->status_pages);
  co_return reply{.text = out.take()};
}

task<result<reply>> delete_notification_provider(call& c) {
  auto const done = co_await c.use.stores.providers.remove(edit_by(c), c.path_id(), c.until);
  if (!done) co_return done.error();
  co_return reply{.status = 204};
}

}  // namespace svc::api
