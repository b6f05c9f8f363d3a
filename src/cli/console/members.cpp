// This file reads the members of an answer that templates and columns name.
#include "cli/console/failure.hpp"
#include "cli/console/show.hpp"
#include "svc/core/ascii.hpp"
#include "svc/core/command_line.hpp"
#include "svc/core/numbers.hpp"

#include <boost/json/serialize.hpp>

#include <functional>
#include <set>
#include <vector>

namespace svc::cli {
namespace {

std::string plain_text(boost::json::value const* value) {
  if (value == nullptr || value->is_null()) return {};
  if (auto const* const text = value->if_string()) return std::string(*text);
  return boost::json::serialize(*value);
}

boost::json::value const* child_of(boost::json::value const& value, std::string_view name) {
  if (auto const* const object = value.if_object()) return object->if_contains(name);
  auto const* const array = value.if_array();
  auto const index = parse_number<std::size_t>(name);
  return array != nullptr && index && *index < array->size() ? &(*array)[*index] : nullptr;
}

failure wrong_template(std::string const& reason) {
  return bad_usage("The template is wrong: " + reason, "Write '{id} {name}'; {{ and }} are braces.");
}

}  // namespace

std::string text_of_member(boost::json::object const& object, std::string_view name) {
  auto const* const value = object.if_contains(name);
  auto const* const text = value == nullptr ? nullptr : value->if_string();
  return text == nullptr ? std::string() : std::string(*text);
}

boost::json::value const* member_of(boost::json::value const& value, std::string_view dotted) {
  auto const* position = &value;
  for (bool more = true; more && position != nullptr;) {
    auto const dot = dotted.find('.');
    more = dot != dotted.npos;
    position = child_of(*position, dotted.substr(0, dot));
    dotted.remove_prefix(more ? dot + 1 : dotted.size());
  }
  return position;
}

namespace {

/// Calls `text` and `member` for the parts of a template, in their order.
template <class Text, class Member>
void read_template(std::string_view template_text, Text const& text, Member const& member) {
  while (!template_text.empty()) {
    auto const two = template_text.substr(0, 2);
    std::size_t size = 2;
    if (two == "{{" || two == "}}") {
      text(two.substr(0, 1));
    } else if (two == "\\n" || two == "\\t") {
      text(two == "\\n" ? "\n" : "\t");
    } else if (two.front() == '{') {
      auto const end = template_text.find_first_of("{}", 1);
      if (end == template_text.npos || template_text[end] == '{') throw wrong_template("a { is never closed.");
      if (end == 1) throw wrong_template("{} names no member.");
      member(template_text.substr(1, end - 1));
      size = end + 1;
    } else if (two.front() == '}') {
      throw wrong_template("a } has no { before it.");
    } else {
      text(two.substr(0, 1));
      size = 1;
    }
    template_text.remove_prefix(size);
  }
}

/// Returns the members that rows have or columns show, without nested members.
std::set<std::string, std::less<>> known_members(std::span<boost::json::value const> rows,
                                                 std::span<column const> columns) {
  std::set<std::string, std::less<>> out;
  for (auto const& row : rows)
    if (auto const* const object = row.if_object())
      for (auto const& [name, value] : *object) out.emplace(name);
  for (auto const& each : columns) out.emplace(each.member.substr(0, each.member.find('.')));
  return out;
}

/// Returns the member of the column with that title, since people see titles.
std::string member_of_title(std::string_view title, std::span<column const> columns) {
  for (auto const& each : columns)
    if (lower_case(each.title) == lower_case(title)) return std::string(each.member);
  return {};
}

failure unknown_member(std::string_view name, std::set<std::string, std::less<>> const& known,
                       std::span<column const> columns) {
  std::vector<std::string> const all(known.begin(), known.end());
  auto const titled = member_of_title(name, columns);
  auto const nearest = titled.empty() ? nearest_word(name, all) : titled;
  std::string names;
  for (auto const& each : all) names.append(names.empty() ? "" : ", ").append(each);
  return bad_usage("The template names {" + std::string(name) + "}, which the answer does not have" +
                       (nearest.empty() ? "." : "; did you mean {" + nearest + "}?"),
                   "It has " + names + ".");
}

}  // namespace

std::string expanded(std::string_view template_text, boost::json::value const& row) {
  std::string out;
  read_template(
      template_text, [&](std::string_view text) { out += text; },
      [&](std::string_view member) { out += plain_text(member_of(row, member)); });
  return out;
}

void check_template(std::string_view template_text, std::span<boost::json::value const> rows,
                    std::span<column const> columns) {
  if (rows.empty()) return;
  auto const known = known_members(rows, columns);
  read_template(
      template_text, [](std::string_view) {},
      [&](std::string_view member) {
        auto const name = member.substr(0, member.find('.'));
        if (!known.contains(name)) throw unknown_member(name, known, columns);
      });
}

}  // namespace svc::cli
