// Scripts are large: what copies or writes one does so in turns of the event loop.
#include "api/test_json.hpp"

#include "api/object_reader.hpp"
#include "api/replies.hpp"
#include "svc/core/turns.hpp"
#include "svc/domain/test_case.hpp"
#include "svc/http/json.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace svc::api {
namespace {

constexpr std::size_t max_script_bytes = 5 * 1024 * 1024;

void look_at_script(object_reader& from) {
  auto const* const script = from.find_text("script", {0, max_script_bytes});
  if (script != nullptr && script->size() > max_script_bytes)
    from.fault("script", "must be at most 5242880 bytes of UTF-8");
}

/// Taken off the front; ends between two characters.
std::string_view next_piece(std::string_view& rest) {
  auto size = std::min(rest.size(), piece_of_turn);
  while (size > 0 && size < rest.size() && (static_cast<unsigned char>(rest[size]) & 0xC0U) == 0x80U) --size;
  auto const piece = rest.substr(0, size);
  rest.remove_prefix(size);
  return piece;
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

task<std::string> test_text(test_case of) {
  std::string out = http::to_json(test_json(of));
  out.back() = ',';
  out += "\"script\":\"";
  // Measured first, because to grow would be to copy all that is written.
  auto size = out.size() + 2;
  for (std::string_view rest = of.set.script; !rest.empty();) {
    size += http::json_text_size(next_piece(rest));
    if (!rest.empty()) co_await others_turn();
  }
  out.reserve(size);
  for (std::string_view rest = of.set.script; !rest.empty();) {
    http::append_json_text(out, next_piece(rest));
    if (of.set.script.size() > piece_of_turn) co_await others_turn();
  }
  out += "\"}";
  co_return out;
}

task<std::optional<std::string>> take_script(boost::json::object& body) {
  auto* const given = body.if_contains("script");
  if (given == nullptr) co_return std::nullopt;
  auto const script = std::make_shared<boost::json::value>(std::move(*given));
  body.erase("script");
  if (!script->is_string()) co_return std::string();
  if (script->get_string().size() > piece_of_turn) co_await others_turn();
  co_return co_await copy_in_turns(script, script->get_string());
}

}  // namespace svc::api
