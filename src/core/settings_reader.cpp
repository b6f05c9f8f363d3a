// This file transfers values from a file, the environment and the command line into a program's settings.

#include "svc/core/file_problem.hpp"
#include "svc/core/numbers.hpp"
#include "svc/core/settings_table.hpp"

#include <algorithm>
#include <fstream>
#include <map>

namespace svc {
namespace {

constexpr std::size_t largest_secret = 64UL * 1024;

bool has_nul(std::string_view text) {
  return text.find('\0') != std::string_view::npos;
}

/// Returns the texts between commas, trimmed; an empty text is an empty list.
std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> out;
  for (bool more = !text.empty(); more;) {
    auto const comma = text.find(',');
    auto part = text.substr(0, comma);
    more = comma != std::string_view::npos;
    if (more) text.remove_prefix(comma + 1);
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    out.emplace_back(part);
  }
  return out;
}

struct setting_assignment {
  setting const& setting;
  std::string_view text;

  bool fits(std::string_view part) const {
    return setting.form != nullptr ? setting.form->fits(part) : !has_nul(part);
  }
  bool in_range(std::optional<std::int64_t> n) const { return n && *n >= setting.least && *n <= setting.most; }

  bool operator()(std::string* position) const {
    if (!fits(text)) return false;
    return *position = text, true;
  }
  bool operator()(std::vector<std::string>* texts) const {
    auto parts = split_list(text);
    // Without a form, a list drops empty texts; a form decides whether they are allowed.
    if (setting.form == nullptr) std::erase(parts, std::string());
    if (!std::all_of(parts.begin(), parts.end(), [&](auto const& part) { return fits(part); })) return false;
    return *texts = std::move(parts), true;
  }
  bool operator()(secret_string* secret) const {
    if (has_nul(text)) return false;
    return *secret = secret_string(std::string(text)), true;
  }
  bool operator()(bool* position) const {
    if (text != "true" && text != "false") return false;
    return *position = text == "true", true;
  }
  template <std::integral Integer>
  bool operator()(Integer* position) const {
    auto const n = parse_number<std::int64_t>(text);
    if (!in_range(n)) return false;
    return *position = static_cast<Integer>(*n), true;
  }
  template <class Duration>
    requires requires { typename Duration::period; }
  bool operator()(Duration* time) const {
    auto const n = parse_milliseconds(text);
    if (!in_range(n)) return false;
    return *time = milliseconds(*n), true;
  }
};

/// Returns the spelling that a file uses for values of this kind.
value_type spelling_of(setting_kind kind) {
  switch (kind) {
    case setting_kind::boolean:
      return value_type::boolean;
    case setting_kind::list:
      return value_type::list;
    case setting_kind::integer:
      return value_type::integer;
    case setting_kind::text:
    case setting_kind::secret:
    case setting_kind::duration:
      break;
  }
  return value_type::text;
}

using variable_map = std::map<std::string, std::string, std::less<>>;

variable_map with_prefix(std::string_view prefix, std::vector<std::string> const& entries) {
  variable_map out;
  for (auto const& entry : entries) {
    auto const equals = entry.find('=');
    if (entry.starts_with(prefix) && equals != std::string::npos)
      out.emplace(entry.substr(0, equals), entry.substr(equals + 1));
  }
  return out;
}

/// Returns the file's text without line ends after it, which editors add.
std::optional<std::string> read_secret(std::string const& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::string text(largest_secret + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (file.bad() || text.size() > largest_secret) return std::nullopt;
  while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
  return text;
}

/// Returns the problem with a secret's file or its content; otherwise stores the content.
std::optional<std::string> assign_from_file(setting const& s, std::string const& path, void* values) {
  if (auto const problem = file_problem(path)) return path + " " + *problem;
  auto const text = read_secret(path);
  if (!text) return path + " must have at most 64 KiB";
  auto const problem = s.assign({std::string(s.name), *text}, values);
  return problem ? std::optional("its content " + *problem) : std::nullopt;
}

}  // namespace

std::optional<std::string> setting::assign(raw_value const& value, void* values) const {
  bool const right_type = value.type == value_type::untyped || value.type == spelling_of(target.kind);
  if (right_type && std::visit(setting_assignment{*this, value.text}, target.pointer(values))) return std::nullopt;
  return "must be " + allowed() + (right_type ? "" : "; for example: " + example(values));
}

void settings_reader::add(std::vector<std::string> const& found) {
  for (auto const& problem : found) {
    auto const key = std::string_view(problem).substr(0, problem.find(": "));
    if (refused(key)) continue;
    auto const origin = origins_.find(key);
    auto const& path = origin == origins_.end() ? file : origin->second;
    problems.push_back(path.empty() ? problem : path + ": " + problem);
  }
}

void settings_reader::refuse(std::string_view key, std::string const& where, std::string const& reason) {
  refused_.emplace(key);
  problems.push_back(where + ": " + reason);
}

std::string settings_reader::line_of(raw_value const& value) const {
  return file.empty() || value.line == 0 ? file : file + ":" + std::to_string(value.line);
}

/// Refuses an unknown key. The user who mistyped a key's name has set that key, so its absence is no second problem.
void settings_reader::refuse_unknown(std::string_view name, std::string const& where) {
  for (auto const* const each : table_.members(name)) refused_.emplace(each->name);
  refused_.insert(without_positions(name));
  if (auto const* const meant = table_.nearest(name)) refused_.emplace(meant->name);
  problems.push_back(where + ": " + table_.unknown(name));
}

/// Reads `VARIABLE_FILE`; only for a secret whose `_FILE` variable does not belong to another key.
void settings_reader::secret_file(setting const& s, std::string const& variable, variable_map& variable_map) {
  auto const found = variable_map.find(variable + "_FILE");
  if (found == variable_map.end()) return;
  origins_.insert_or_assign(std::string(s.name), found->first);
  if (variable_map.contains(variable))
    refuse(s.name, found->first, "set either this or " + variable);
  else if (auto const problem = assign_from_file(s, found->second, values_))
    refuse(s.name, found->first, *problem);
  variable_map.erase(found);
}

void settings_reader::note(setting const& s, bool former) {
  bool const first = (former ? formerly_named_ : named_).insert(&s).second;
  if (first && named_.contains(&s) && formerly_named_.contains(&s))
    problems.push_back(std::string(s.former) + ": the former name of " + std::string(s.name) +
                       ", which is set too; remove the former one");
}

void settings_reader::warn(std::string const& former, std::string const& name) {
  warnings.push_back(former + ": its name is now " + name + "; the next version refuses the former one");
}

void settings_reader::file_value(raw_value const& value) {
  auto const* known = table_.find(value.name);
  auto const* const former = known == nullptr ? table_.find_former(value.name) : nullptr;
  if (former != nullptr) {
    known = former;
    warn(value.name, std::string(former->name));
  }
  auto const line = line_of(value);
  auto const path = line.empty() ? value.name : line + ": " + value.name;
  if (known == nullptr) return refuse_unknown(value.name, path);
  if (!known->former.empty()) note(*known, former != nullptr);
  origins_.insert_or_assign(std::string(known->name), line);
  if (auto const problem = known->assign(value, values_)) refuse(known->name, path, *problem);
}

void settings_reader::variable(setting const& s, std::string const& name, std::string const& text, bool former) {
  if (former) warn(name, table_.variable(s.name));
  if (!s.former.empty()) note(s, former);
  origins_.insert_or_assign(std::string(s.name), name);
  if (auto const problem = s.assign({std::string(s.name), text}, values_)) refuse(s.name, name, *problem);
}

void settings_reader::environment(std::vector<std::string> const& entries) {
  auto left = with_prefix(table_.prefix, entries);
  for (auto const& s : table_.all) {
    auto const name = table_.variable(s.name);
    if (s.secret() && table_.find(std::string(s.name) + "_file") == nullptr) secret_file(s, name, left);
    if (auto const found = left.extract(name)) variable(s, name, found.mapped(), false);
    if (s.former.empty()) continue;
    if (auto const found = left.extract(table_.variable(s.former))) variable(s, found.key(), found.mapped(), true);
  }
  for (auto const& [name, value] : left) refuse_unknown(name, name);
}

void settings_reader::flag(std::string const& name, std::string const& value) {
  auto const* const known = table_.find(name);
  auto const problem =
      known == nullptr ? std::optional<std::string>("no such key") : known->assign({name, value}, values_);
  if (problem) problems.push_back(name + ": " + *problem);
}

}  // namespace svc
