#include "cli/manual/help_format.hpp"

#include "cli/manual/command_tree.hpp"
#include "cli/manual/completion_words.hpp"

namespace svc::cli {

std::string help_format::make_option_opts(CLI::Option const* option) const {
  auto const shown = described(*option);
  std::string out;
  if (shown.takes_value() && !shown.positional) out += " " + shown.value_name;
  if (shown.repeatable) out += " ...";
  if (!shown.choices.empty()) out += " (" + joined(shown.choices, ", ") + ")";
  if (shown.required && !shown.positional) out += " (required)";
  if (!shown.required && shown.positional) out += " (optional)";
  return out;
}

std::string help_format::make_footer(CLI::App const* app) const {
  auto out = CLI::Formatter::make_footer(app);
  if (app->get_parent() == nullptr) return out;
  if (!out.empty() && out.back() != '\n') out += '\n';
  return out + "\nOptions of every command (--json, --timeout, ...): svc --help\n";
}

}  // namespace svc::cli
