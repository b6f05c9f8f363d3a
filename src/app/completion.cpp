#include "app/completion.hpp"

#include <CLI/CLI.hpp>

namespace svc::app {
namespace {

/// `case` arms: the words that may follow a command, by the command's path; and the pattern of all paths.
void add_arms(CLI::App const& of, std::string const& path, std::string& out, std::string& paths) {
  std::string words;
  for (auto const* option : of.get_options())
    for (auto const& name : option->get_lnames()) words += " --" + name;
  for (auto const* command : of.get_subcommands([](CLI::App const*) { return true; })) {
    words += " " + command->get_name();
    add_arms(*command, path + " " + command->get_name(), out, paths);
  }
  paths += (paths.empty() ? "'" : "|'") + path + "'";
  out += "    '" + path + "') words='" + words + "' ;;\n";
}

}  // namespace

std::string bash_completion(CLI::App const& root) {
  std::string arms;
  std::string paths;
  add_arms(root, root.get_name(), arms, paths);
  return R"sh(# Completion of svcd for bash; made by `svcd completion bash`.
_svcd() {
  local current="${COMP_WORDS[COMP_CWORD]}" path="svcd" words="" word
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$path $word" in )sh" +
         paths + R"sh() path="$path $word" ;; esac
  done
  case "$path" in
)sh" + arms +
         R"sh(  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  [[ -n "$words" && ${#COMPREPLY[@]} -gt 0 ]] || mapfile -t COMPREPLY < <(compgen -f -- "$current")
}
complete -F _svcd svcd
)sh";
}

}  // namespace svc::app
