// Any bytes are a template or not, and one gives JSON of the same shape, whatever the values are.
#include "check.hpp"
#include "svc/core/utf8.hpp"
#include "svc/monitoring/notifications/body_template.hpp"

#include <boost/json/parse.hpp>

#include <cstdint>
#include <string>

using namespace svc;
namespace json = boost::json;

namespace {

/// Objects are left out: two names may become one.
bool same_shape(json::value const& a, json::value const& b) {
  if (a.kind() != b.kind()) return a.is_number() && b.is_number();
  auto const* const list = a.if_array();
  if (list == nullptr) return true;
  if (list->size() != b.get_array().size()) return false;
  for (std::size_t i = 0; i < list->size(); ++i) {
    if (!same_shape(list->at(i), b.get_array()[i])) return false;
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const text = text_of(data, size);
  auto const read = notifications::body_template::parse(text);
  if (!read) {
    check(!read.error().message.empty(), "a refusal says why");
    return 0;
  }
  auto const filled =
      read->filled([](std::string_view name) { return "\",\"" + std::string(name) + "\":[{{title}}\\\n"; });
  json::error_code failed;
  auto const parsed = json::parse(filled, failed);
  check(!failed, "the body is JSON");
  check(is_utf8(filled), "and UTF-8");
  check(same_shape(json::parse({text.data(), text.size()}), parsed), "nothing breaks out of its string");
  return 0;
}
