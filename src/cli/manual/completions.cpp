#include "cli/manual/completions.hpp"

namespace svc::cli {

std::string shell_quoted(std::string_view text) {
  std::string out = "'";
  for (char const c : text)
    if (c == '\'')
      out += "'\\''";
    else
      out += c;
  return out + "'";
}

std::string filled(std::string_view text, std::initializer_list<std::pair<std::string_view, std::string>> values) {
  std::string out(text);
  for (auto const& [name, value] : values) {
    auto const mark = "%" + std::string(name) + "%";
    for (auto position = out.find(mark); position != std::string::npos;
         position = out.find(mark, position + value.size()))
      out.replace(position, mark.size(), value);
  }
  return out;
}

void for_each_command(described_command const& command, std::function<void(described_command const&)> const& visit) {
  visit(command);
  for (auto const& below : command.commands) for_each_command(below, visit);
}

std::string names_below(described_command const& command, std::string_view between) {
  std::vector<std::string> out;
  for (auto const& below : command.commands) out.push_back(below.name());
  return joined(out, between);
}

std::string option_names(described_command const& command, std::string_view between, bool valued_only) {
  std::vector<std::string> out;
  for (auto const& option : command.options)
    if (!valued_only || option.takes_value()) out.insert(out.end(), option.names.begin(), option.names.end());
  return joined(out, between);
}

}  // namespace svc::cli
