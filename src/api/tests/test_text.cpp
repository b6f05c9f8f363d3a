// Scripts are large: what copies or writes one does so in turns of the event loop.
#include "api/tests/test_json.hpp"
#include "svc/core/others_turn.hpp"
#include "svc/http/json.hpp"
#include "svc/http/json_escape.hpp"

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
