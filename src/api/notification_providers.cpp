#include "api/call_options.hpp"
#include "api/checked_body.hpp"
#include "api/replies.hpp"
#include "api/resources.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/store/provider_store.hpp"
#include "svc/store/repositories.hpp"

#include <set>
#include <string>
#include <vector>

namespace svc::api {

namespace {

/// Two spellings of one header's name would send the header twice, and a schema cannot compare without case.
void find_repeated_headers(boost::json::object const& headers, std::vector<field_error>& wrong) {
  std::set<std::string> seen;
  for (auto const& header : headers) {
    std::string name(header.key()), pointer = "/config/headers/";
    for (char const c : name) pointer += c == '~' ? std::string("~0") : std::string(1, c);
    for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
    if (!seen.insert(std::move(name)).second) wrong.push_back({std::move(pointer), "is repeated"});
  }
}

/// Replaces each mask by an address that the contract's schema accepts: a mask stands for a stored address, which
/// need not be checked again. The store knows whether there is one.
boost::json::object without_masks(boost::json::object of) {
  auto* const config = of.if_contains("config");
  if (config == nullptr || !config->is_object()) return of;
  for (auto const name : {"url", "webhookUrl"}) {
    auto* const address = config->get_object().if_contains(name);
    if (address != nullptr && *address == boost::json::value(store::secret_mask)) *address = "https://masked.invalid";
  }
  return of;
}

}  // namespace

void provider_json(http::json_text& out, notification_provider const& of) {
  out.member("id", of.id)
      .member("name", of.name)
      .member("type", of.type)
      .member("enabled", of.enabled)
      .stored_member("config", of.config)
      .open_list("maskedFields");
  for (auto const& pointer : store::secret_pointers(of.type, boost::json::parse(of.config).as_object()))
    out.element("/config" + pointer);
  out.close_list()
      .passing_member("lastUsed", of.last_used_at)
      .member("createdAt", of.created_at)
      .member("updatedAt", of.updated_at);
}

result<store::provider_settings> read_provider(boost::json::object const& body) {
  store::provider_settings out{.name = std::string(body.at("name").as_string()),
                               .type = std::string(body.at("type").as_string()),
                               .enabled = flag_in(body, "enabled", true)};
  auto config = body.at("config").as_object();
  std::vector<field_error> wrong;
  if (out.type == "webhook") {
    config.emplace("method", "POST");
    if (auto const* const headers = given(config, "headers")) find_repeated_headers(headers->as_object(), wrong);
  }
  if (auto ok = verdict(std::move(wrong)); !ok) return ok.error();
  out.config = boost::json::serialize(config);
  return out;
}

result<store::provider_settings> patch_provider(http::body_validator& contract, notification_provider const& current,
                                                boost::json::object const& patch) {
  boost::json::object now{{"name", current.name}, {"type", current.type}, {"enabled", current.enabled}};
  auto const* const type = patch.if_contains("type");
  bool const same_type = type == nullptr || *type == boost::json::value(current.type);
  if (same_type) now["config"] = boost::json::parse(current.config);
  auto const merged = merge_patch(std::move(now), patch);
  auto const allowed = contract.check_schema("CreateNotificationProvider", without_masks(merged), {});
  if (!allowed) return allowed.error();
  return read_provider(merged);
}

task<result<reply>> list_notification_providers(call& c) {
  auto const found = co_await c.use.stores.providers.list(c.who.project_id, c.page(), c.until);
  co_return page_reply(c, found, provider_json);
}

task<result<reply>> create_notification_provider(call& c) {
  auto wanted = read_provider(c.body.as_object());
  if (!wanted) co_return wanted.error();
  auto const made = co_await c.use.stores.providers.create(edit_by(c), std::move(*wanted), c.until);
  if (!made) co_return made.error();
  co_return created(c, shown_reply(c, *made, provider_json), "/api/notification-providers/" + made->id.to_string());
}

task<result<reply>> get_notification_provider(call& c) {
  auto const found = co_await c.use.stores.providers.get(c.who.project_id, c.path_id(), c.until);
  if (!found) co_return found.error();
  co_return shown_reply(c, *found, provider_json);
}

task<result<reply>> update_notification_provider(call& c) {
  auto edit = [&c](notification_provider const& now) { return patch_provider(c.contract, now, c.body.as_object()); };
  auto const done = co_await c.use.stores.providers.update(edit_by(c), c.path_id(), std::move(edit), c.until);
  if (!done) co_return done.error();
  co_return shown_reply(c, *done, provider_json);
}

task<result<reply>> delete_notification_provider(call& c) {
  auto const done = co_await c.use.stores.providers.remove(edit_by(c), c.path_id(), c.until);
  if (!done) co_return done.error();
  co_return reply{.status = 204};
}

}  // namespace svc::api
