#include "svc/http/json.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <vector>

namespace svc::http {
namespace {

namespace json = boost::json;

void append_canonical(std::string& out, json::value const& value);

void append_sorted(std::string& out, json::object const& object) {
  std::vector<json::key_value_pair const*> members;
  members.reserve(object.size());
  for (auto const& member : object) members.push_back(&member);
  std::ranges::sort(members, {}, [](auto const* m) { return std::string_view(m->key()); });
  char separator = '{';
  for (auto const* member : members) {
    out.push_back(separator);
    separator = ',';
    append_json_string(out, member->key());
    out.push_back(':');
    append_canonical(out, member->value());
  }
  out += members.empty() ? "{}" : "}";
}

void append_canonical(std::string& out, json::value const& value) {
  if (value.is_object()) return append_sorted(out, value.get_object());
  if (!value.is_array()) return append_json(out, value);
  out.push_back('[');
  bool first = true;
  for (auto const& element : value.get_array()) {
    if (!std::exchange(first, false)) out.push_back(',');
    append_canonical(out, element);
  }
  out.push_back(']');
}

}  // namespace

std::string canonical_json(boost::json::value const& value) {
  std::string out;
  append_canonical(out, value);
  return out;
}

}  // namespace svc::http
