// Scripts are large: what copies or writes one does so in turns of the event loop.
#include "api/test_json.hpp"

#include "api/checked_body.hpp"
#include "api/replies.hpp"
#include "svc/core/turns.hpp"
#include "svc/domain/repeats.hpp"
#include "svc/http/json.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace svc::api {
namespace {

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

test_settings read_test(boost::json::object const& body) {
  test_settings out{.title = std::string(body.at("title").as_string()), .description = text_in(body, "description")};
  out.type = text_in(body, "type").value_or(out.type);
  out.priority = text_in(body, "priority").value_or(out.priority);
  return out;
}

result<test_settings> patch_test(http::body_validator& contract, test_case const& current,
                                 boost::json::object const& patch) {
  auto const merged = patched(contract, "CreateTest",
                              {{"title", current.set.title},
                               {"description", or_null(current.set.description)},
                               {"type", current.set.type},
                               {"priority", current.set.priority}},
                              patch);
  if (!merged) return merged.error();
  return read_test(*merged);
}

boost::json::object test_tags_json(test_case const& of) {
  return {{"tags", boost::json::parse(of.tags)}};
}

result<std::vector<uuid>> read_test_tags(boost::json::object const& body) {
  auto out = ids_in(body, "tags");
  std::vector<field_error> wrong;
  find_repeats(out, "/tags/", "/id", wrong);
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
  if (script->get_string().size() > piece_of_turn) co_await others_turn();
  co_return co_await copy_in_turns(script, script->get_string());
}

}  // namespace svc::api
