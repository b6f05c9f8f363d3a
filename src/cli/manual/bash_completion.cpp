#include "cli/manual/completions.hpp"

namespace svc::cli {
namespace {

constexpr std::string_view bash_script = R"sh(# Completion of svc for bash, written by `svc completion bash`.

# Sets the commands below a command, and its options.
_svc_command() {
    commands='' options=''
    case $1 in
%commands%    esac
}

# Succeeds if an option of a command takes a value.
_svc_valued() {
    case $1 in
%valued%    esac
    return 1
}

# Sets the possible values of an option or of the argument at a position; fails if the command lacks the option.
_svc_values() {
    values=''
    case "$1 $2" in
%values%        *) return 1 ;;
    esac
}

_svc() {
    local cur=${COMP_WORDS[COMP_CWORD]} path=svc place=0 awaited='' prefix='' i word commands options values
    _svc_command "$path"
    for ((i = 1; i < COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        # `--option=value` arrives as three words, or as one where COMP_WORDBREAKS lacks the sign.
        if [ "$word" = = ]; then
            :
        elif [ -n "$awaited" ]; then
            awaited=''
        elif [ "${word#-}" != "$word" ]; then
            if _svc_valued "$path" "$word" || _svc_valued svc "$word"; then awaited=$word; fi
        elif [[ " $commands " = *" $word "* ]]; then
            path="$path $word"
            _svc_command "$path"
        else
            place=$((place + 1))
        fi
    done
    case $cur in
        =) cur='' ;;
        --*=*) awaited=${cur%%=*} prefix=${cur%%=*}= cur=${cur#*=} ;;
    esac
    values=''
    if [ -n "$awaited" ]; then
        _svc_values "$path" "$awaited" || _svc_values svc "$awaited"
    elif [ "${cur#-}" != "$cur" ]; then
        values="$options %global_options%"
    elif [ -n "$commands" ]; then
        values=$commands
    else
        _svc_values "$path" "$place"
    fi
    if [ "$values" = '<file>' ]; then
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -P "$prefix" -f -- "$cur")
    else
        mapfile -t COMPREPLY < <(compgen -P "$prefix" -W "$values" -- "$cur")
    fi
}

complete -F _svc svc
)sh";

/// `<file>`, or words; none for a value that only the user knows.
std::string bash_values(described_option const& option) {
  return option.takes_file ? "<file>" : joined(option.choices, " ");
}

std::string bash_command(described_command const& command, bool top) {
  // The program's own options are offered below every command, and so are in the script once.
  return "        " + shell_quoted(command.path) + ") commands=" + shell_quoted(names_below(command, " ")) +
         (top ? "" : " options=" + shell_quoted(option_names(command, " ", false))) + " ;;\n";
}

std::string bash_valued(described_command const& command) {
  auto const names = option_names(command, " | ", true);
  if (names.empty()) return "";
  return "        " + shell_quoted(command.path) + ") case $2 in " + names + ") return 0 ;; esac ;;\n";
}

std::string bash_value_cases(described_command const& command) {
  std::string out;
  int position = 0;
  for (auto const& option : command.options) {
    auto const add = [&](std::string const& key) {
      out += "        " + shell_quoted(command.path + " " + key) + ") values=" + shell_quoted(bash_values(option)) +
             " ;;\n";
    };
    if (option.takes_value())
      for (auto const& name : option.names) add(name);
    if (option.positional) add(std::to_string(position++));
  }
  return out;
}

}  // namespace

std::string bash_completion(described_command const& root) {
  std::string commands, valued, values;
  for_each_command(root, [&](described_command const& command) {
    commands += bash_command(command, &command == &root);
    valued += bash_valued(command);
    values += bash_value_cases(command);
  });
  return filled(bash_script, {{"commands", commands},
                              {"valued", valued},
                              {"values", values},
                              {"global_options", option_names(root, " ", false)}});
}

}  // namespace svc::cli
