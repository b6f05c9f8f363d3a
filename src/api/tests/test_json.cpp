#include "api/tests/test_json.hpp"

#include "api/json_values.hpp"
#include "api/merge_patch.hpp"
#include "api/object_reader.hpp"
#include "svc/domain/tag.hpp"

#include <algorithm>

namespace svc::api {
namespace {

constexpr std::size_t max_script_bytes = 5 * 1024 * 1024;

void look_at_script(object_reader& from) {
  auto const* const script = from.find_text("script", {0, max_script_bytes});
  if (script != nullptr && script->size() > max_script_bytes)
    from.fault("script", "must be at most 5242880 bytes of UTF-8");
}

}  // namespace

boost::json::object test_json(test_case const& of) {
  boost::json::object out{
      {"id", of.id.to_string()}, {"title", of.set.title},       {"description", or_null(of.set.description)},
      {"type", of.set.type},     {"priority", of.set.priority}, {"tags", boost::json::parse(of.tags)}};
  out["createdAt"] = to_rfc3339(of.created_at);
  out["updatedAt"] = to_rfc3339(of.updated_at);
  return out;
}

result<test_settings> read_test(boost::json::object const& body) {
  std::vector<field_error> wrong;
  object_reader from(body, wrong);
  from.only({"title", "description", "type", "priority", "script"});
  test_settings out;
  out.title = from.text("title", {1, 255});
  out.description = from.maybe_text("description", {0, 2000});
  out.type = from.one_of("type", {"browser", "api", "database", "custom", "performance", "command"}, "browser");
  out.priority = from.one_of("priority", {"low", "medium", "high"}, "medium");
  look_at_script(from);
  if (auto ok = verdict(std::move(wrong)); !ok) return ok.error();
  return out;
}

result<test_settings> patch_test(test_case const& current, boost::json::object const& patch) {
  boost::json::object now{{"title", current.set.title},
                          {"description", or_null(current.set.description)},
                          {"type", current.set.type},
                          {"priority", current.set.priority}};
  return read_test(merge_patch(std::move(now), patch));
}

result<> check_script(boost::json::object const& body) {
  std::vector<field_error> wrong;
  object_reader from(body, wrong);
  look_at_script(from);
  return verdict(std::move(wrong));
}

boost::json::object test_tags_json(test_case const& of) {
  return {{"tags", boost::json::parse(of.tags)}};
}

result<std::vector<uuid>> read_test_tags(boost::json::object const& body) {
  std::vector<field_error> wrong;
  object_reader from(body, wrong);
  std::vector<uuid> out;
  if (!from.has("tags")) from.fault("tags", "is required");
  auto const* const tags = from.maybe_array("tags", max_test_tags);
  for (std::size_t i = 0; tags != nullptr && i < tags->size(); ++i) {
    auto const* const tag = (*tags)[i].if_object();
    auto const* const text = tag == nullptr ? nullptr : tag->if_contains("id");
    auto const id = text == nullptr || !text->is_string() ? std::nullopt : uuid::parse(text->get_string());
    std::string const place = "/tags/" + std::to_string(i) + "/id";
    if (!id) {
      wrong.push_back({place, "must be a UUID"});
    } else if (std::ranges::find(out, *id) != out.end()) {
      wrong.push_back({place, "is repeated"});
    } else {
      out.push_back(*id);
    }
  }
  if (auto ok = verdict(std::move(wrong)); !ok) return ok.error();
  return out;
}

}  // namespace svc::api
