#include "integration/cli/svc_process.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <set>

using namespace svc::test;

// The scripts run in the shells themselves. Each shell gets lines whose last word is to be completed.

namespace {

/// A line, and the possible completions of its last word.
struct completed_line {
  std::vector<std::string> words;
  std::set<std::string> among;  ///< must be offered
  std::set<std::string> never;  ///< must not be offered
};

std::vector<completed_line> const completed_lines{
    {{"svc", ""}, {"job", "run", "token", "health", "completion"}, {"list", "--json", "manual"}},
    {{"svc", "he"}, {"health"}, {"job"}},
    {{"svc", "jo"}, {"job"}, {"run"}},
    {{"svc", "job", "keys", ""}, {"list", "create", "rotate"}, {"keys", "get"}},
    {{"svc", "--json", "job", "--timeout", "3", "keys", "cre"}, {"create"}, {"list"}},
    {{"svc", "token", "rotate", "--"}, {"--grace", "--exec", "--json"}, {"--rate-limit"}},
    {{"svc", "token", "rotate", "self", "--end-previous", ""}, {"grace", "first_use"}, {"ca.pem"}},
    {{"svc", "token", "rotate", "self", "--write-to", "ca"}, {"ca.pem"}, {"other.txt"}},
    {{"svc", "run", "list", "--status", "pa"}, {"passed"}, {"failed"}},
    {{"svc", "alert", "list", "--status", "fa"}, {"failed"}, {"sent"}},
    {{"svc", "monitor", ""}, {"list", "pause", "stats", "outages"}, {"watch"}},
    {{"svc", "completion", ""}, {"bash", "zsh", "fish"}, {"health", "completion"}},
    {{"svc", "--url", "https://h", "completion", ""}, {"bash", "zsh", "fish"}, {"health"}},
    {{"svc", "--url", "job", "completion", "z"}, {"zsh"}, {"bash"}},
    {{"svc", "health", "--"}, {"--json", "--url", "--color", "--help"}, {"health"}},
    {{"svc", "health", "--j"}, {"--json"}, {"--url"}},
    {{"svc", "health", "--color", ""}, {"auto", "always", "never"}, {"--json", "health"}},
    {{"svc", "health", "--cacert", "ca"}, {"ca.pem"}, {"other.txt", "health"}},
    {{"svc", "health", "--url", ""}, {}, {"health", "job", "ca.pem"}},
};

svc_result in_shell(std::string const& shell, std::vector<std::string> arguments,
                    temporary_directory const& directory, std::vector<std::string> environment = {}) {
  std::string path = std::filesystem::path(client_binary()).parent_path();
  environment.push_back("PATH=" + path + ":/usr/local/bin:/usr/bin:/bin");
  svc_process process({.arguments = std::move(arguments),
                       .environment = std::move(environment),
                       .directory = directory.path(),
                       .home = directory.path()},
                      shell);
  return process.wait();
}

/// Returns one question per line, with words separated by tabs.
std::string questions(std::vector<completed_line> const& lines) {
  std::string out;
  for (auto const& line : lines) {
    for (std::size_t i = 0; i < line.words.size(); ++i) out += (i == 0 ? "" : "\t") + line.words[i];
    out += "\n";
  }
  return out;
}

/// Parses a shell's output: after each line `==`, the words for the next question.
std::vector<std::set<std::string>> answers_in(std::string const& text) {
  std::vector<std::set<std::string>> out;
  std::size_t position = 0;
  while (position < text.size()) {
    auto const end = std::min(text.find('\n', position), text.size());
    auto line = text.substr(position, end - position);
    position = end + 1;
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line == "==")
      out.emplace_back();
    else if (!out.empty() && !line.empty())
      out.back().insert(line);
  }
  return out;
}

std::string all_of(std::set<std::string> const& words) {
  std::string out;
  for (auto const& word : words) out += word + " ";
  return out;
}

void check_answers(svc_result const& result, std::vector<completed_line> const& lines) {
  CAPTURE(result.err);
  auto const answers = answers_in(result.out);
  REQUIRE(answers.size() == lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    CAPTURE(questions({lines[i]}));
    CAPTURE(all_of(answers[i]));
    for (auto const& word : lines[i].among) CHECK(answers[i].contains(word));
    for (auto const& word : lines[i].never) CHECK_FALSE(answers[i].contains(word));
  }
}

/// A home with two files to complete, the questions, and the script of a shell.
struct shell_fixture {
  temporary_directory directory;
  explicit shell_fixture(std::string const& shell) {
    directory.write("ca.pem", "");
    directory.write("other.txt", "");
    directory.write("questions", questions(completed_lines));
    auto const script = run_svc({.arguments = {"completion", shell}});
    REQUIRE(script.code == 0);
    directory.write("svc." + shell, script.out);
  }
};

// Calls the function that `complete` registered, as bash itself calls it.
constexpr char const* bash_driver = R"sh(
function=$(complete -p svc | sed 's/.*-F \([^ ]*\).*/\1/')
while IFS= read -r line; do
  echo ==
  COMP_WORDS=()
  while [[ $line == *$'\t'* ]]; do COMP_WORDS+=("${line%%$'\t'*}"); line=${line#*$'\t'}; done
  COMP_WORDS+=("$line")
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_LINE="${COMP_WORDS[*]}" COMP_POINT=${#COMP_LINE} COMPREPLY=()
  "$function" svc "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
  printf '%s\n' "${COMPREPLY[@]}"
done < questions
)sh";

// Types the lines into an interactive zsh on its own pseudo-terminal. Its `compadd` records the matches.
constexpr char const* zsh_driver = R"sh(zmodload zsh/zpty
expect() {
  local text piece
  while [[ $text != *$1* ]]; do zpty -r inner piece || exit 1; text+=$piece; done
}
zpty inner zsh -f -i
zpty -w inner 'source ./inner.zsh'
expect READY
while IFS= read -r line; do
  zpty -w -n inner $'\C-u'"${line//$'\t'/ }"$'\t'
  expect DONE
done < questions
zpty -d inner
cat answers
)sh";

constexpr char const* zsh_inner = R"sh(PROMPT= RPROMPT=
unsetopt prompt_sp
unset zle_bracketed_paste
autoload -Uz compinit
source ./load.zsh
compadd() {
  # Some calls of the completion system only ask.
  if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return; fi
  local -a hits
  builtin compadd -A hits "$@"
  print -rl -- $hits >> answers
  builtin compadd "$@"
}
report() {
  print -r -- '==' >> answers
  _main_complete
  compstate[insert]= compstate[list]=
  print -r -- DO""NE
}
zle -C report complete-word report
bindkey '^I' report
bindkey '^U' kill-whole-line
print READ""Y
)sh";

constexpr char const* fish_driver = R"sh(
source svc.fish
while read -l line
  echo ==
  complete -C (string replace -a \t ' ' -- $line) | string replace -r '\t.*' ''
end < questions
)sh";

}  // namespace

TEST_CASE("bash completes commands, options, their values and files, without the package bash-completion") {
  shell_fixture const fixture("bash");
  auto const result =
      in_shell("/bin/bash", {"--norc", "-c", std::string("source svc.bash") + bash_driver}, fixture.directory);
  check_answers(result, completed_lines);
}

TEST_CASE("bash loads the completion by itself where bash-completion finds it") {
  shell_fixture const fixture("bash");
  auto const folder = fixture.directory.path() + "/bash-completion/completions";
  std::filesystem::create_directories(folder);
  std::filesystem::rename(fixture.directory.path() + "/svc.bash", folder + "/svc");
  auto const script =
      std::string("source /usr/share/bash-completion/bash_completion; _completion_loader svc") + bash_driver;
  auto const result = in_shell("/bin/bash", {"--norc", "-c", script}, fixture.directory,
                               {"BASH_COMPLETION_USER_DIR=" + fixture.directory.path() + "/bash-completion"});
  check_answers(result, completed_lines);
}

TEST_CASE("bash completes a value after an equals sign, however it splits words") {
  shell_fixture const fixture("bash");
  std::vector<completed_line> const lines{
      {{"svc", "health", "--color", "=", "al"}, {"always"}, {"auto"}},
      {{"svc", "health", "--color", "="}, {"always", "auto", "never"}, {}},
      {{"svc", "health", "--color=al"}, {"--color=always"}, {"always"}},
      {{"svc", "--color", "=", "never", "completion", ""}, {"bash"}, {"health"}},
      {{"svc", "--color=never", "completion", ""}, {"bash"}, {"health"}},
  };
  fixture.directory.write("questions", questions(lines));
  auto const result =
      in_shell("/bin/bash", {"--norc", "-c", std::string("source svc.bash") + bash_driver}, fixture.directory);
  check_answers(result, lines);
}

TEST_CASE("zsh completes commands, options, their values and files") {
  shell_fixture const fixture("zsh");
  struct row {
    char const *name, *load;
  };
  row const rows[] = {{"evaluated after compinit", "compinit -u -D; source ./svc.zsh"},
                      {"as a file of fpath", "mkdir f; cp svc.zsh f/_svc; fpath=($PWD/f $fpath); compinit -u -D"}};
  for (auto const& r : rows) {
    CAPTURE(r.name);
    fixture.directory.write("driver.zsh", zsh_driver);
    fixture.directory.write("inner.zsh", zsh_inner);
    fixture.directory.write("load.zsh", r.load);
    fixture.directory.write("answers", "");
    check_answers(in_shell("/usr/bin/zsh", {"-f", "driver.zsh"}, fixture.directory), completed_lines);
  }
}

TEST_CASE("fish completes commands, options, their values and files") {
  shell_fixture const fixture("fish");
  check_answers(in_shell("/usr/bin/fish", {"--no-config", "-c", fish_driver}, fixture.directory), completed_lines);
}
