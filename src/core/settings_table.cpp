#include "svc/core/settings_table.hpp"

#include "core/letters_apart.hpp"
#include "svc/core/command_line.hpp"
#include "svc/core/log.hpp"
#include "svc/core/numbers.hpp"

#include <algorithm>
#include <utility>

namespace svc {
namespace {

struct setting_printer {
  std::string operator()(std::string const* position) const { return toml_quoted(*position); }
  std::string operator()(std::vector<std::string> const* texts) const {
    std::string out;
    for (auto const& part : *texts) out += (out.empty() ? "" : ", ") + toml_quoted(part);
    return "[" + out + "]";
  }
  std::string operator()(secret_string const* secret) const { return secret->empty() ? "\"\"" : "\"********\""; }
  std::string operator()(bool const* position) const { return *position ? "true" : "false"; }
  template <std::integral Integer>
  std::string operator()(Integer const* position) const {
    return std::to_string(*position);
  }
  template <class Duration>
    requires requires { typename Duration::period; }
  std::string operator()(Duration const* time) const {
    return toml_quoted(duration_text(std::chrono::duration_cast<milliseconds>(*time).count()));
  }
};

/// Compares two locations of the same setting.
struct setting_comparison {
  setting_pointer const& other;

  bool operator()(secret_string const* secret) const {
    return secret->reveal() == std::get<secret_string*>(other)->reveal();
  }
  template <class Member>
  bool operator()(Member const* position) const {
    return *position == *std::get<Member*>(other);
  }
};

struct setting_copy {
  setting_pointer const& pointer;

  template <class Member>
  void operator()(Member* last) const {
    *last = *std::get<Member*>(pointer);
  }
};

/// Escapes the start of a tag, because a page would not show it.
std::string without_tags(std::string_view text) {
  std::string out;
  for (char const c : text) out += c == '<' ? "\\<" : std::string(1, c);
  return out;
}

/// Returns a name's part after its last dot.
std::string_view member_of(std::string_view name) {
  return name.substr(name.rfind('.') == name.npos ? 0 : name.rfind('.') + 1);
}

/// Returns the allowed values without the words that the page says once, before its lists; empty for any text.
std::string short_allowed(setting const& s) {
  if (s.secret()) return "a secret";
  if (s.target.kind == setting_kind::boolean || (s.target.kind == setting_kind::text && s.form == nullptr)) return {};
  auto out = s.allowed();
  for (std::string_view const words : {"a duration from ", "an integer from "}) {
    if (!out.starts_with(words)) continue;
    out.erase(0, words.size());
    out.replace(out.find(" to "), 4, "–");
  }
  for (std::string_view const words : {" (ms, s, m, h)", "; in a variable separated by commas"})
    if (out.ends_with(words)) out.resize(out.size() - words.size());
  return out;
}

/// Returns a key with its default and its allowed values.
std::string key_and_values(setting const& s, void const* defaults) {
  auto out = "`" + std::string(s.name) + "`: `" + s.printed(defaults) + "`";
  if (auto const values = short_allowed(s); !values.empty())
    out.append(" (").append(without_tags(values)).append(")");
  return out;
}

/// Returns true for the `window` of the key `limit` before it: one line of the page has both.
bool is_window_of(setting const& window, setting const& limit) {
  return section_of(window.name) == section_of(limit.name) && member_of(window.name) == "window" &&
         member_of(limit.name) == "limit";
}

/// Names the keys of a section, the first ones if there are many.
std::string named_keys(std::vector<setting const*> const& keys, std::string_view section) {
  constexpr std::size_t most = 6;
  std::string out;
  for (auto const* const key : keys) {
    if (key == keys[std::min(most, keys.size() - 1)] && keys.size() > most) return out + ", ...";
    out += (out.empty() ? "" : ", ") + std::string(key->name.substr(section.size() + 1));
  }
  return out;
}

/// Explains a name that is a section of the table in another form; empty if it is none.
std::string misplaced_section(settings_table const& table, std::string_view name) {
  if (auto const single = without_positions(name); single != name && table.find(single) != nullptr) {
    auto const section = std::string(section_of(single));
    return "[" + section + "] is one section: write [" + section + "], not [[" + section + "]]";
  }
  auto const keys = table.members(name);
  if (keys.empty()) return {};
  return "a section, not a key: write [" + std::string(name) + "], and below it its keys (" + named_keys(keys, name) +
         ")";
}

/// Names the section that was meant, or the keys that the section has; empty if neither is known.
std::string nearest_in_sections(settings_table const& table, std::string_view name) {
  constexpr std::size_t few = 8;
  auto const section = section_of(name);
  if (section.empty()) return {};
  if (auto const keys = table.members(section); !keys.empty())
    return keys.size() > few ? "" : "; [" + std::string(section) + "] has " + named_keys(keys, section);
  std::vector<std::string> sections;
  for (auto const& s : table.all) sections.emplace_back(section_of(s.name));
  auto const meant = nearest_word(section, sections);
  return meant.empty() ? "" : "; did you mean [" + meant + "]?";
}

}  // namespace

std::string setting::allowed() const {
  switch (target.kind) {
    case setting_kind::duration:
      return "a duration from " + duration_text(least) + " to " + duration_text(most) + " (ms, s, m, h)";
    case setting_kind::boolean:
      return "true or false";
    case setting_kind::integer:
      return "an integer from " + std::to_string(least) + " to " + std::to_string(most) +
             (unit.empty() ? "" : " " + std::string(unit));
    case setting_kind::list:
      return form != nullptr ? std::string(form->allowed) : "a list of texts; in a variable separated by commas";
    case setting_kind::text:
    case setting_kind::secret:
      break;
  }
  return form != nullptr ? std::string(form->allowed) : "text";
}

std::string setting::example(void const* values) const {
  constexpr std::int64_t usual = 30'000;
  auto value = std::string("\"...\"");
  if (form != nullptr && !form->example.empty())
    value = form->example;
  else if (target.kind == setting_kind::list)
    value = "[\"...\"]";
  else if (target.kind == setting_kind::boolean)
    value = "true";
  else if (target.kind == setting_kind::integer)
    value = printed(values);
  else if (target.kind == setting_kind::duration)
    value = toml_quoted(duration_text(usual >= least && usual <= most ? usual : least));
  return std::string(member_of(name)) + " = " + value;
}

std::string setting::printed(void const* values) const {
  // The visitor only reads the location, which points to a mutable value because the reader uses locations too.
  return std::visit(setting_printer{}, target.pointer(const_cast<void*>(values)));
}

bool setting::same(void const* values, void const* others) const {
  auto const other = target.pointer(const_cast<void*>(others));
  return std::visit(setting_comparison{other}, target.pointer(const_cast<void*>(values)));
}

void setting::copy(void* values, void const* others) const {
  auto const pointer = target.pointer(const_cast<void*>(others));
  std::visit(setting_copy{pointer}, target.pointer(values));
}

setting const* settings_table::find(std::string_view name) const {
  auto const found = std::find_if(all.begin(), all.end(), [&](setting const& s) { return s.name == name; });
  return found == all.end() ? nullptr : &*found;
}

setting const* settings_table::find_former(std::string_view name) const {
  auto const found =
      std::find_if(all.begin(), all.end(), [&](setting const& s) { return !name.empty() && s.former == name; });
  return found == all.end() ? nullptr : &*found;
}

std::string settings_table::variable(std::string_view name) const {
  std::string out(prefix);
  for (char const c : name) out += c == '.' ? '_' : (c >= 'a' && c <= 'z') ? static_cast<char>(c - 'a' + 'A') : c;
  return out;
}

setting const* settings_table::nearest(std::string_view name) const {
  setting const* found = nullptr;
  std::size_t least = largest_mistype + 1;
  for (auto const& s : all) {
    // A key without a section ends up in the section before it in the file.
    auto const section = section_of(name);
    bool const misplaced =
        !section.empty() && section_of(s.name).empty() && name.substr(section.size() + 1) == s.name;
    auto const distance = misplaced                  ? 1
                          : name.starts_with(prefix) ? letters_apart(name, variable(s.name))
                                                     : letters_apart(name, s.name);
    if (distance >= least) continue;
    least = distance;
    found = &s;
  }
  return found;
}

std::vector<setting const*> settings_table::members(std::string_view section) const {
  std::vector<setting const*> out;
  for (auto const& s : all)
    if (s.name.starts_with(section) && s.name.substr(section.size()).starts_with('.')) out.push_back(&s);
  return out;
}

std::string settings_table::unknown(std::string_view name) const {
  if (auto section = misplaced_section(*this, name); !section.empty()) return section;
  auto const* const meant = nearest(name);
  std::string out = "no such key";
  if (meant == nullptr) out += nearest_in_sections(*this, name);
  if (meant != nullptr) {
    auto const spelled = name.starts_with(prefix) ? variable(meant->name) : std::string(meant->name);
    bool const top = name.ends_with("." + std::string(meant->name));
    out += "; did you mean " + spelled + (top ? ", before the first [section]" : "") + "?";
  }
  return out + " (" + std::string(listing) + " lists them)";
}

std::string toml_quoted(std::string_view text) {
  std::string out = "\"";
  for (char const c : text) {
    auto const code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (code < 0x20 || code == 0x7f) {
      constexpr char hex[] = "0123456789ABCDEF";
      out += "\\u00";
      out += hex[code >> 4];
      out += hex[code & 15];
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string without_positions(std::string_view name) {
  std::string out;
  for (auto open = name.find('['); open != name.npos; open = name.find('[')) {
    out += name.substr(0, open);
    name.remove_prefix(std::min(name.find(']', open), name.size() - 1) + 1);
  }
  return out.append(name);
}

std::string_view section_of(std::string_view name) {
  auto const dot = name.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : name.substr(0, dot);
}

std::string settings_page(settings_table const& table, void const* defaults) {
  std::string out;
  std::optional<std::string_view> section;
  for (std::size_t i = 0; i < table.all.size(); ++i) {
    auto const& s = table.all[i];
    auto const dot = s.name.find('.');
    auto const first_section = s.name.substr(0, dot == s.name.npos ? 0 : dot);
    if (section != first_section) {
      section = first_section;
      out += out.empty() ? "" : "\n";
      if (!section->empty()) out.append("### `").append(*section).append("`\n\n");
    }
    out.append("- ").append(key_and_values(s, defaults));
    if (i + 1 < table.all.size() && is_window_of(table.all[i + 1], s))
      out.append(", ").append(key_and_values(table.all[++i], defaults));
    out.append(". ").append(without_tags(s.help)).append(".");
    if (!s.former.empty()) out.append(" Formerly `").append(s.former).append("`.");
    if (s.reloads) out.append(" Reloaded.");
    out += "\n";
  }
  return out;
}

namespace forms {

text_form const log_level{[](std::string_view text) {
                            log::level ignored{};
                            return log::parse_level(text, ignored);
                          },
                          "debug, info, warn, error or off", "\"info\""};

}  // namespace forms

}  // namespace svc
