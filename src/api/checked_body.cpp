#include "api/checked_body.hpp"

#include "svc/domain/display_text.hpp"

namespace svc::api {

// Recursion is as deep as the patch, whose depth the JSON reader bounds.
boost::json::object merge_patch(boost::json::object target, boost::json::object const& patch) {
  for (auto const& member : patch) {
    if (member.value().is_null()) {
      target.erase(member.key());
      continue;
    }
    if (!member.value().is_object()) {
      target[member.key()] = member.value();
      continue;
    }
    auto& slot = target[member.key()];
    auto inner = slot.is_object() ? std::move(slot.get_object()) : boost::json::object();
    slot = merge_patch(std::move(inner), member.value().get_object());
  }
  return target;
}

result<boost::json::object> patched(http::body_validator& contract, std::string_view schema, boost::json::object now,
                                    boost::json::object const& patch) {
  boost::json::value merged(merge_patch(std::move(now), patch));
  if (auto const allowed = contract.check_schema(schema, merged, {}); !allowed) return allowed.error();
  return std::move(merged.get_object());
}

boost::json::value const* given(boost::json::object const& object, std::string_view name) {
  auto const* const found = object.if_contains(name);
  return found == nullptr || found->is_null() ? nullptr : found;
}

std::optional<std::string> text_in(boost::json::object const& object, std::string_view name) {
  auto const* const found = given(object, name);
  return found == nullptr ? std::nullopt : std::optional<std::string>(found->as_string());
}

std::optional<std::int64_t> number_in(boost::json::object const& object, std::string_view name) {
  auto const* const found = given(object, name);
  return found == nullptr ? std::nullopt : std::optional(found->to_number<std::int64_t>());
}

bool flag_in(boost::json::object const& object, std::string_view name, bool otherwise) {
  auto const* const found = given(object, name);
  return found == nullptr ? otherwise : found->as_bool();
}

std::optional<timestamp> time_in(boost::json::object const& object, std::string_view name,
                                 std::optional<timestamp> stored) {
  auto const text = text_in(object, name);
  auto const sent = text ? parse_rfc3339(*text) : std::nullopt;
  return sent && stored && to_rfc3339(*sent) == to_rfc3339(*stored) ? stored : sent;
}

std::vector<uuid> ids_in(boost::json::object const& object, std::string_view name) {
  std::vector<uuid> out;
  auto const* const list = given(object, name);
  if (list == nullptr) return out;
  for (auto const& value : list->as_array())
    out.push_back(uuid::parse((value.is_object() ? value.at("id") : value).as_string()).value());
  return out;
}

void find_hidden(std::string_view pointer, std::string_view text, std::string const* stored,
                 std::vector<field_error>& wrong) {
  if (stored != nullptr && *stored == text) return;
  if (has_hidden_character(text)) wrong.push_back({std::string(pointer), std::string(hidden_character_reason)});
}

result<> verdict(std::vector<field_error> wrong) {
  if (wrong.empty()) return {};
  return error(errc::validation_failed, {}, std::move(wrong));
}

}  // namespace svc::api
