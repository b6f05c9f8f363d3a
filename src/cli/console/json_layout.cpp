#include "cli/console/show.hpp"

#include "cli/console/harmless.hpp"

#include <algorithm>

namespace svc::cli {
namespace {

constexpr std::string_view json_space = " \t\r\n";

/// The length of the string that the text begins with, quotes included.
std::size_t string_length(std::string_view json) {
  for (std::size_t i = 1; i < json.size(); ++i) {
    if (json[i] == '\\') {
      ++i;
    } else if (json[i] == '"') {
      return i + 1;
    }
  }
  return json.size();
}

void skip_space(std::string_view& json) {
  json.remove_prefix(std::min(json.find_first_not_of(json_space), json.size()));
}

/// The next string, bracket, colon, comma, number or literal, with the space before it; empty at the end.
std::string_view next_token(std::string_view& json) {
  skip_space(json);
  if (json.empty()) return {};
  std::size_t size = 1;
  if (json.front() == '"') {
    size = string_length(json);
  } else if (std::string_view("{}[]:,").find(json.front()) == std::string_view::npos) {
    size = std::min(json.find_first_of("{}[]:,\" \t\r\n"), json.size());
  }
  auto const token = json.substr(0, size);
  json.remove_prefix(size);
  return token;
}

bool opens(std::string_view token) {
  return token == "{" || token == "[";
}
bool closes(std::string_view token) {
  return token == "}" || token == "]";
}

void append_escaped(std::string& out, std::string_view string) {
  constexpr std::string_view digits = "0123456789abcdef";
  while (!string.empty()) {
    auto const here = replacement_of(string);
    if (here.shown.empty() || here.character > 0xFFFF) {
      out += string.substr(0, here.size);
    } else {
      out += "\\u";
      for (unsigned shift = 16; shift > 0; shift -= 4) out += digits[(here.character >> (shift - 4)) & 15U];
    }
    string.remove_prefix(here.size);
  }
}

/// Takes a whole value off the text.
std::string_view take_value(std::string_view& json) {
  skip_space(json);
  auto const begin = json;
  int depth = 0;
  do {
    auto const token = next_token(json);
    if (token.empty()) break;
    depth += opens(token) ? 1 : closes(token) ? -1 : 0;
  } while (depth > 0);
  return begin.substr(0, begin.size() - json.size());
}

}  // namespace

std::string laid_out(std::string_view json, bool pretty) {
  std::string out;
  std::size_t depth = 0;
  auto const new_line = [&] {
    if (pretty) out.append("\n").append(2 * depth, ' ');
  };
  std::string_view before;
  for (auto token = next_token(json); !token.empty(); token = next_token(json)) {
    if (closes(token)) {
      depth -= depth > 0 ? 1 : 0;
      if (!opens(before)) new_line();
    } else if (opens(before) || before == ",") {
      new_line();
    }
    if (pretty) {
      append_escaped(out, token);
    } else {
      out += token;
    }
    if (pretty && token == ":") out += ' ';
    if (opens(token)) ++depth;
    before = token;
  }
  return out;
}

std::vector<std::string_view> elements_of(std::string_view json, std::string_view member) {
  std::vector<std::string_view> out;
  if (next_token(json) != "{") return out;
  while (!json.empty()) {
    auto const name = next_token(json);
    if (name.size() < 2 || next_token(json) != ":") return out;
    if (name.substr(1, name.size() - 2) != member) {
      take_value(json);
    } else if (next_token(json) == "[") {
      for (skip_space(json); !json.empty() && json.front() != ']'; skip_space(json)) {
        auto const element = take_value(json);
        if (element.empty() || closes(element)) return out;
        out.push_back(element);
        skip_space(json);
        if (json.starts_with(',')) json.remove_prefix(1);
      }
      return out;
    }
    if (next_token(json) != ",") return out;
  }
  return out;
}

}  // namespace svc::cli
