#include "api/variable_json.hpp"

#include "api/checked_body.hpp"
#include "api/replies.hpp"

namespace svc::api {

boost::json::object variable_json(variable const& of) {
  boost::json::object out{{"id", of.id.to_string()}, {"key", of.key}};
  if (of.value) out["value"] = *of.value;
  out["isSecret"] = of.is_secret;
  out["description"] = or_null(of.description);
  out["createdAt"] = to_rfc3339(of.created_at);
  out["updatedAt"] = to_rfc3339(of.updated_at);
  return out;
}

result<store::variable_settings> read_variable(boost::json::object const& body) {
  store::variable_settings out{.key = std::string(body.at("key").as_string()),
                               .is_secret = flag_in(body, "isSecret", false),
                               .description = text_in(body, "description")};
  if (is_reserved_variable(out.key)) return verdict({{"/key", "is reserved"}}).error();
  out.value.emplace(body.at("value").as_string());
  return out;
}

result<store::variable_settings> patch_variable(http::body_validator& contract, variable const& current,
                                                boost::json::object const& patch) {
  // The value of a secret is not known here; any that is allowed stands for it.
  auto const merged = patched(contract, "CreateVariable",
                              {{"key", current.key},
                               {"value", current.value.value_or("")},
                               {"isSecret", current.is_secret},
                               {"description", or_null(current.description)}},
                              patch);
  if (!merged) return merged.error();
  auto out = read_variable(*merged);
  if (!out || patch.contains("value")) return out;
  out->value.reset();
  if (current.is_secret && !out->is_secret)
    return verdict({{"/value", "is required to make a secret readable"}}).error();
  return out;
}

}  // namespace svc::api
