#include "api/variable_json.hpp"

#include "api/object_reader.hpp"
#include "api/replies.hpp"

namespace svc::api {
namespace {

constexpr std::size_t max_value = 10'000;
constexpr std::size_t max_description = 300;

store::variable_settings read_members(object_reader& from) {
  store::variable_settings out;
  from.only({"key", "value", "isSecret", "description"});
  out.key = from.text("key", {1, 64});
  if (!out.key.empty() && !is_variable_key(out.key)) {
    from.fault("key", "must be a capital letter and at most 63 capital letters, digits or underscores");
  } else if (is_reserved_variable(out.key)) {
    from.fault("key", "is reserved");
  }
  if (auto value = from.maybe_text("value", {0, max_value})) out.value.emplace(std::move(*value));
  out.is_secret = from.boolean("isSecret", false);
  out.description = from.maybe_text("description", {0, max_description});
  return out;
}

}  // namespace

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
  std::vector<field_error> wrong;
  object_reader from(body, wrong);
  auto out = read_members(from);
  if (!from.has("value")) from.fault("value", "is required");
  if (auto ok = verdict(std::move(wrong)); !ok) return ok.error();
  return out;
}

result<store::variable_settings> patch_variable(variable const& current, boost::json::object const& patch) {
  boost::json::object now{
      {"key", current.key}, {"isSecret", current.is_secret}, {"description", or_null(current.description)}};
  std::vector<field_error> wrong;
  auto const merged = merge_patch(std::move(now), patch);
  object_reader from(merged, wrong);
  auto out = read_members(from);
  if (patch.contains("value") && !from.has("value")) from.fault("value", "must be a string");
  if (current.is_secret && !out.is_secret && !out.value) {
    from.fault("value", "is required to make a secret readable");
  }
  if (auto ok = verdict(std::move(wrong)); !ok) return ok.error();
  return out;
}

}  // namespace svc::api
