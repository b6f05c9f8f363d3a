// The first line is a path, the rest JSON: any bytes are a path or not, and what a path selects lies in the value and
// is bounded.
#include "check.hpp"
#include "svc/domain/monitoring/checks/json_path.hpp"

#include <boost/json/parse.hpp>

#include <cstdint>
#include <set>

using namespace svc;
namespace json = boost::json;

namespace {

void collect(json::value const& value, std::set<json::value const*>& values) {
  values.insert(&value);
  if (auto const* list = value.if_array()) {
    for (auto const& each : *list) collect(each, values);
  } else if (auto const* object = value.if_object()) {
    for (auto const& each : *object) collect(each.value(), values);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const text = text_of(data, size);
  auto const end = std::min(text.find('\n'), text.size());
  auto const path = checks::json_path::parse(text.substr(0, end));
  if (!path) {
    check(!path.error().message.empty(), "a refusal says why");
    return 0;
  }
  auto const rest = text.substr(std::min(text.size(), end + 1));
  json::error_code failed;
  auto const root = json::parse({rest.data(), rest.size()}, failed);
  if (failed) return 0;
  auto const found = path->select(root);
  check(found.nodes.size() <= checks::json_path::most_nodes, "bounded");
  check(!found.too_many || found.nodes.empty(), "too many are none");
  std::set<json::value const*> all;
  collect(root, all);
  std::set<json::value const*> once;
  for (auto const* each : found.nodes) {
    check(all.contains(each), "a node of the value");
    check(once.insert(each).second, "each node once");
  }
  return 0;
}
