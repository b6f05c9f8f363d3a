#include "api/notification_providers/provider_json.hpp"

#include "api/json_values.hpp"
#include "api/merge_patch.hpp"
#include "api/notification_providers/provider_config_reader.hpp"
#include "api/object_reader.hpp"
#include "svc/store/provider_config.hpp"

namespace svc::api {

boost::json::object provider_json(notification_provider const& of) {
  auto config = boost::json::parse(of.config).as_object();
  boost::json::array masked;
  for (auto const& pointer : store::secret_pointers(of.type, config)) masked.emplace_back("/config" + pointer);
  return {{"id", of.id.to_string()},
          {"name", of.name},
          {"type", of.type},
          {"enabled", of.enabled},
          {"config", std::move(config)},
          {"maskedFields", std::move(masked)},
          {"lastUsed", or_null(of.last_used_at)},
          {"createdAt", to_rfc3339(of.created_at)},
          {"updatedAt", to_rfc3339(of.updated_at)}};
}

result<store::provider_settings> read_provider(boost::json::object const& body) {
  std::vector<field_error> wrong;
  object_reader from(body, wrong);
  from.only({"name", "type", "enabled", "config"});
  store::provider_settings out;
  out.name = from.text("name", {1, 255});
  out.type = from.one_of("type", {"email", "slack", "webhook", "telegram", "discord", "teams"}, "");
  if (!from.has("type")) from.fault("type", "is required");
  out.enabled = from.boolean("enabled", true);
  auto const* const config = from.maybe_object("config");
  if (!from.has("config")) from.fault("config", "is required");
  if (config != nullptr && !out.type.empty()) {
    out.config = boost::json::serialize(read_provider_config(out.type, *config, wrong));
  }
  if (auto ok = verdict(std::move(wrong)); !ok) return ok.error();
  return out;
}

result<store::provider_settings> patch_provider(notification_provider const& current,
                                                boost::json::object const& patch) {
  boost::json::object now{{"name", current.name}, {"type", current.type}, {"enabled", current.enabled}};
  auto const* const type = patch.if_contains("type");
  bool const same_type = type == nullptr || *type == boost::json::value(current.type);
  if (same_type) now["config"] = boost::json::parse(current.config);
  return read_provider(merge_patch(std::move(now), patch));
}

}  // namespace svc::api
