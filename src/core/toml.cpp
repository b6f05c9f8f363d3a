// The one translation unit with toml++.

#include "svc/core/toml.hpp"
#include "core/toml_form.hpp"

#include <array>
#include <fstream>
#include <stdexcept>

// toml++ 3.3 takes for granted what a file may break ("[[`" as a key): by assert, or, where NDEBUG is set, as an
// assumption of the compiler. Here it is an error of the file in every build type.
#undef NDEBUG
// Only keys are known to do that.
#define TOML_ASSERT(expr) \
  ((expr) ? static_cast<void>(0) : throw std::logic_error("not TOML: quote keys beyond A-Z, a-z, 0-9, - and _"))
#define TOML_ENABLE_FORMATTERS 0
#include <toml++/toml.h>

#include <algorithm>

namespace svc {
namespace {

/// A comma inside a text would separate two where they are joined; no list of ours has such texts.
bool is_list_of_texts(toml::array const& array) {
  return std::all_of(array.begin(), array.end(), [](toml::node const& each) {
    auto const* text = each.as_string();
    return text != nullptr && !text->get().empty() && text->get().find(',') == std::string::npos;
  });
}

void flatten(ascii_toml const& file, std::string const& name, toml::node const& node, std::vector<raw_value>& out) {
  if (auto const* table = node.as_table()) {
    for (auto const& [member, value] : *table) {
      auto const key = file.restored(member.str());
      flatten(file, name.empty() ? key : name + "." + key, value, out);
    }
  } else if (auto const* array = node.as_array(); array && array->is_array_of_tables()) {
    for (std::size_t i = 0; i < array->size(); ++i)
      flatten(file, name + "[" + std::to_string(i) + "]", (*array)[i], out);
  } else if (array && is_list_of_texts(*array)) {
    std::string joined;
    for (auto const& each : *array) joined.append(joined.empty() ? "" : ",").append(each.as_string()->get());
    out.push_back({name, file.restored(joined), value_type::list});
  } else if (auto const* text = node.as_string()) {
    out.push_back({name, file.restored(text->get()), value_type::text});
  } else if (auto const* number = node.as_integer()) {
    out.push_back({name, std::to_string(number->get()), value_type::integer});
  } else if (auto const* flag = node.as_boolean()) {
    out.push_back({name, flag->get() ? "true" : "false", value_type::boolean});
  } else {
    out.push_back({name, {}, value_type::other});
  }
}

constexpr std::size_t largest_file = 1024UL * 1024;

std::optional<std::string> read_file(std::string const& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::string text;
  std::array<char, 4096> part;
  while (file.read(part.data(), part.size()) || file.gcount() > 0) {
    text.append(part.data(), static_cast<std::size_t>(file.gcount()));
    if (text.size() > largest_file) return std::nullopt;
  }
  if (file.bad()) return std::nullopt;
  return text;
}

}  // namespace

std::vector<raw_value> read_toml(std::string const& path, std::vector<std::string>& problems) {
  std::vector<raw_value> out;
  auto const text = read_file(path);
  if (!text) {
    problems.push_back(path + ": must be a readable file of at most 1 MiB");
    return out;
  }
  if (auto const line = line_of_foreign_character(*text); line != 0) {
    problems.push_back(path + ":" + std::to_string(line) + ": a control character, or bytes that are no UTF-8");
    return out;
  }
  ascii_toml const file(*text);
  try {
    flatten(file, {}, toml::parse(file.text()), out);
  } catch (toml::parse_error const& e) {
    // The description quotes no values, so a secret on that line stays there.
    auto const at = e.source().begin;
    std::string const line = at ? ":" + std::to_string(at.line) : std::string();
    problems.push_back(path + line + ": " + file.described(e.description(), at.line, at.column));
  } catch (std::logic_error const& e) {
    problems.push_back(path + ": " + e.what());
  }
  return out;
}

}  // namespace svc
