#include "cli/manual/completions.hpp"

namespace svc::cli {
namespace {

constexpr std::string_view fish_script = R"sh(# Completion of svc for fish, written by `svc completion fish`.

set -g __svc_commands %commands%
set -g __svc_valued %valued%

# The command that the line names so far.
function __svc_path
    set -l path svc
    set -l value no
    for word in (commandline -opc)[2..-1]
        if test $value = yes
            set value no
        else if string match -q -- '-*' $word
            if contains -- "$path $word" $__svc_valued; or contains -- "svc $word" $__svc_valued
                set value yes
            end
        else if contains -- "$path $word" $__svc_commands
            set path "$path $word"
        end
    end
    echo $path
end

function __svc_at
    test (__svc_path) = "$argv"
end

complete -c svc -f
)sh";

/// In single quotes for fish, which knows two escapes there.
std::string fish_quoted(std::string_view text) {
  std::string out = "'";
  for (char const c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

std::string fish_values(described_option const& option) {
  if (option.takes_file) return option.positional ? " -F" : " -rF";
  if (!option.takes_value()) return "";
  if (option.choices.empty()) return option.positional ? "" : " -x";
  return (option.positional ? " -a " : " -xa ") + fish_quoted(joined(option.choices, " "));
}

/// One line of `complete`; none for an argument of which nothing is known.
std::string fish_option(described_option const& option, std::string const& condition) {
  auto const values = fish_values(option);
  if (option.names.empty() && values.empty()) return "";
  auto out = "complete -c svc" + condition;
  for (auto const& name : option.names)
    out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  return out + values + " -d " + fish_quoted(option.help) + "\n";
}

}  // namespace

std::string fish_completion(described_command const& root) {
  std::vector<std::string> commands, valued;
  std::string lines;
  for_each_command(root, [&](described_command const& command) {
    bool const top = &command == &root;
    auto const here = " -n " + fish_quoted("__svc_at " + command.path);
    if (!top) commands.push_back(fish_quoted(command.path));
    for (auto const& below : command.commands)
      lines += "complete -c svc" + here + " -a " + below.name() + " -d " + fish_quoted(below.summary) + "\n";
    for (auto const& option : command.options) {
      lines += fish_option(option, top ? "" : here);
      if (option.takes_value())
        for (auto const& name : option.names) valued.push_back(fish_quoted(command.path + " " + name));
    }
  });
  return filled(fish_script, {{"commands", joined(commands, " ")}, {"valued", joined(valued, " ")}}) + lines;
}

}  // namespace svc::cli
