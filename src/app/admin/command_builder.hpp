#pragma once

#include "app/admin/actions.hpp"
#include "app/admin/admin.hpp"

#include <CLI/CLI.hpp>

#include <sys/ioctl.h>
#include <unistd.h>

#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

// Makes the commands of `svcd admin`. Only the sources of commands include this, because CLI11 is slow to compile.

namespace svc::app::admin {

using action = task<answer> (*)(session&, arguments);

inline constexpr int refused = 1, wrong_configuration = 2;

enum class login : std::uint8_t { service, owner };  ///< `owner`: that of the tables

/// The columns of a table in their order, names before ids. If it is empty, the table shows all members of the first
/// row.
struct table_columns {
  std::vector<column> shown{};
  std::size_t most = 0;     ///< characters of a line that is not for a terminal; zero: any number
  std::string_view hint{};  ///< what the table leaves out, and how it is shown
};

/// Returns the columns of the terminal on standard output; zero if standard output is not a terminal.
inline std::size_t terminal_columns() {
  winsize size{};
  return ::isatty(STDOUT_FILENO) == 1 && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

inline std::string readable_text(boost::json::value const& body, table_columns const& table) {
  auto const columns = terminal_columns();
  auto const most = columns > 0 ? columns : table.most;
  auto const text = most == 0 ? to_text(body, table.shown) : to_narrow_text(body, table.shown, most);
  return text + std::string(table.hint);
}

inline int run_command(configuration_loader const& load, arguments const& given, action handler, login login,
                       table_columns const& table) {
  auto config = load(given.config);
  if (!config) return wrong_configuration;
  if (login == login::owner) config->postgres.url = config->migration_url();
  session s(*config);
  answer const made = s.run_blocking(handler(s, given));
  if (!made) {
    std::cerr << "svcd: " + to_text(made.error());
    return refused;
  }
  std::cout << (given.json ? boost::json::serialize(*made) + "\n" : readable_text(*made, table)) << std::flush;
  return 0;
}

/// Adds commands to the tree. Lives while the tree is built; the parts that the commands need later are shared.
class command_builder {
 public:
  command_builder(CLI::App& admin, std::function<int()>& chosen, configuration_loader load)
      : admin_(admin), chosen_(chosen), load_(std::move(load)) {}

  CLI::App& command(std::string const& name, std::string const& help, action handler, login login = login::service,
                    table_columns const& table = {}) {
    CLI::App& made = *admin_.add_subcommand(name, help);
    made.add_option("--config", into().config, config_help)->type_name("FILE");
    made.add_flag("--json", into().json, "print one line of JSON");
    made.callback([&chosen = chosen_, load = load_, given = given_, handler, login, table] {
      chosen = [load, given, handler, login, table] { return run_command(load, *given, handler, login, table); };
    });
    return made;
  }
  /// A command that shows rows.
  CLI::App& list(std::string const& name, std::string const& help, action handler, table_columns const& table) {
    return command(name, help, handler, login::service, table);
  }

  arguments& into() { return *given_; }

 private:
  CLI::App& admin_;
  std::function<int()>& chosen_;
  configuration_loader load_;
  std::shared_ptr<arguments> given_ = std::make_shared<arguments>();
};

// Parts that commands have in common.

/// Shows an example below the help.
inline void example(CLI::App& app, std::string const& text) {
  app.footer("Example:\n  " + text);
}

inline void ask_user(CLI::App& app, arguments& into, std::string const& name = "--user") {
  app.add_option(name, into.user, "id or e-mail address")->required()->type_name("USER");
}

inline void ask_project(CLI::App& app, arguments& into) {
  app.add_option("--project", into.project, "id or organization-slug/project-slug")->required()->type_name("PROJECT");
}

/// Asks for exactly one of an organization and a project.
inline void ask_scope(CLI::App& app, arguments& into,
                      std::string const& subject = "scope of the role; give exactly one") {
  auto* const group = app.add_option_group("place", subject);
  group->add_option("--organization", into.organization, "id or slug")->type_name("ORG");
  group->add_option("--project", into.project, "id or organization-slug/project-slug")->type_name("PROJECT");
  group->require_option(1);
}

/// Adds the commands for tokens, trigger keys and tokens of runners.
void add_credential_commands(command_builder& make);

}  // namespace svc::app::admin
