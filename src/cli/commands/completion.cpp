#include "cli/commands/context.hpp"
#include "cli/manual/completions.hpp"

#include <CLI/CLI.hpp>

namespace svc::cli {
namespace {

struct completion_shell {
  std::string_view name;
  std::string (*script)(described_command const&);
  char const* summary;
  char const* install;
};

constexpr completion_shell completion_shells[] = {
    {"bash", bash_completion, "Print the completion for bash",
     "For every new shell (the package bash-completion loads it from there):\n"
     "  mkdir -p ~/.local/share/bash-completion/completions\n"
     "  svc completion bash > ~/.local/share/bash-completion/completions/svc\n"
     "For this shell, or in ~/.bashrc without that package:\n"
     "  eval \"$(svc completion bash)\""},
    {"zsh", zsh_completion, "Print the completion for zsh",
     "For every new shell, with fpath=(~/.zfunc $fpath) before compinit in ~/.zshrc:\n"
     "  mkdir -p ~/.zfunc\n"
     "  svc completion zsh > ~/.zfunc/_svc\n"
     "For this shell, after compinit:\n"
     "  eval \"$(svc completion zsh)\""},
    {"fish", fish_completion, "Print the completion for fish",
     "For every new shell:\n"
     "  mkdir -p ~/.config/fish/completions\n"
     "  svc completion fish > ~/.config/fish/completions/svc.fish\n"
     "For this shell:\n"
     "  svc completion fish | source"},
};

}  // namespace

void add_completion_command(CLI::App& root, context& cx) {
  auto* const completion = root.add_subcommand("completion", "Let the shell complete commands, options and files");
  completion->require_subcommand(1);
  for (auto const& shell : completion_shells) {
    auto* const command = completion->add_subcommand(std::string(shell.name), shell.summary)->footer(shell.install);
    command->callback([&root, &cx, &shell] {
      cx.action = [&root, &cx, &shell] {
        cx.console.data(shell.script(described(root)));
        return exit_code::ok;
      };
    });
  }
}

}  // namespace svc::cli
