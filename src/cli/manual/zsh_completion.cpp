#include "cli/manual/completions.hpp"

#include <algorithm>

namespace svc::cli {
namespace {

constexpr std::string_view zsh_head = R"sh(#compdef svc
# Completion of svc for zsh, written by `svc completion zsh`.

# Each function completes what follows its command.
)sh";

constexpr std::string_view zsh_group = R"sh(
%function%() {
    local context curcontext=$curcontext state line
    typeset -A opt_args
    local -a commands=(
%commands%    )
    _arguments -s -C %options% \
        '1: :{ _describe -t commands command commands }' '*:: :->below' && return
    case $line[1] in
%cases%    esac
}
)sh";

constexpr std::string_view zsh_leaf = R"sh(
%function%() {
    _arguments -s %options%
}
)sh";

// In a file of fpath, the script is the body of the function `_svc`; when evaluated, it defines that function.
constexpr std::string_view zsh_tail = R"sh(
if [ "$funcstack[1]" = _svc ]; then
    _svc "$@"
else
    compdef _svc svc
fi
)sh";

/// Inside of a specification of `_arguments` or `_describe`.
std::string zsh_escaped(std::string_view text, std::string_view special) {
  std::string out;
  for (char const c : text) {
    if (special.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string zsh_function(described_command const& command) {
  std::string out = "_" + command.path;
  std::replace(out.begin(), out.end(), ' ', '_');
  return out;
}

/// `:FILE:_files`, `:WHEN:(auto always never)`, `:ID: `.
std::string zsh_value(described_option const& option) {
  auto out = ":" + zsh_escaped(option.value_name, ":\\") + ":";
  if (option.takes_file) return out + "_files";
  return option.choices.empty() ? out + " " : out + "(" + joined(option.choices, " ") + ")";
}

/// One word for `_arguments`, or several for an option with several names.
std::string zsh_option(described_option const& option, std::string const& again) {
  if (option.names.empty())
    return shell_quoted((option.repeatable ? "*" : option.required ? "" : ":") + zsh_value(option));
  std::string out;
  auto const others = joined(option.names, " ");
  for (auto const& name : option.names) {
    auto const before = option.repeatable ? std::string("*") : option.names.size() > 1 ? "(" + others + ")" : "";
    auto const sign = option.takes_value() ? (name.starts_with("--") ? "=" : "+") : "";
    out += (out.empty() ? "" : again) + shell_quoted(before + name + sign + "[" + zsh_escaped(option.help, "[]:\\") +
                                                     "]" + (option.takes_value() ? zsh_value(option) : ""));
  }
  return out;
}

std::string zsh_options(described_command const& command, std::string const& again) {
  std::string out;
  for (auto const& option : command.options) out += again + zsh_option(option, again);
  return out;
}

std::string zsh_command(described_command const& command, described_command const& root) {
  std::string const again = " \\\n        ";
  auto options = zsh_options(root, again) + (&command == &root ? "" : zsh_options(command, again));
  options.erase(0, again.size());
  if (command.commands.empty()) return filled(zsh_leaf, {{"function", zsh_function(command)}, {"options", options}});
  std::string names, cases;
  for (auto const& below : command.commands) {
    names += "        " + shell_quoted(below.name() + ":" + zsh_escaped(below.summary, ":\\")) + "\n";
    cases += "        " + below.name() + ") " + zsh_function(below) + " ;;\n";
  }
  return filled(zsh_group,
                {{"function", zsh_function(command)}, {"commands", names}, {"options", options}, {"cases", cases}});
}

}  // namespace

std::string zsh_completion(described_command const& root) {
  std::string out(zsh_head);
  for_each_command(root, [&](described_command const& command) { out += zsh_command(command, root); });
  return out + std::string(zsh_tail);
}

}  // namespace svc::cli
