// What templates and columns name in an answer.
#include "cli/console/failure.hpp"
#include "cli/console/show.hpp"
#include "svc/core/numbers.hpp"

#include <boost/json/serialize.hpp>

namespace svc::cli {
namespace {

std::string plain_text(boost::json::value const* value) {
  if (value == nullptr || value->is_null()) return {};
  if (auto const* const text = value->if_string()) return std::string(*text);
  return boost::json::serialize(*value);
}

boost::json::value const* child_of(boost::json::value const& in, std::string_view name) {
  if (auto const* const object = in.if_object()) return object->if_contains(name);
  auto const* const array = in.if_array();
  auto const index = parse_number<std::size_t>(name);
  return array != nullptr && index && *index < array->size() ? &(*array)[*index] : nullptr;
}

failure wrong_template(std::string const& why) {
  return bad_usage("The template is wrong: " + why, "Write '{id} {name}'; {{ and }} stand for braces.");
}

}  // namespace

std::string text_of_member(boost::json::object const& of, std::string_view name) {
  auto const* const value = of.if_contains(name);
  auto const* const text = value == nullptr ? nullptr : value->if_string();
  return text == nullptr ? std::string() : std::string(*text);
}

boost::json::value const* member_of(boost::json::value const& in, std::string_view dotted) {
  auto const* at = &in;
  for (bool more = true; more && at != nullptr;) {
    auto const dot = dotted.find('.');
    more = dot != dotted.npos;
    at = child_of(*at, dotted.substr(0, dot));
    dotted.remove_prefix(more ? dot + 1 : dotted.size());
  }
  return at;
}

std::string expanded(std::string_view template_text, boost::json::value const& row) {
  std::string out;
  while (!template_text.empty()) {
    auto const two = template_text.substr(0, 2);
    std::size_t size = 2;
    if (two == "{{" || two == "}}") {
      out += two.front();
    } else if (two == "\\n" || two == "\\t") {
      out += two == "\\n" ? '\n' : '\t';
    } else if (two.front() == '{') {
      auto const end = template_text.find_first_of("{}", 1);
      if (end == template_text.npos || template_text[end] == '{') throw wrong_template("a { is never closed.");
      if (end == 1) throw wrong_template("{} names no member.");
      out += plain_text(member_of(row, template_text.substr(1, end - 1)));
      size = end + 1;
    } else if (two.front() == '}') {
      throw wrong_template("a } has no { before it.");
    } else {
      out += two.front();
      size = 1;
    }
    template_text.remove_prefix(size);
  }
  return out;
}

}  // namespace svc::cli
