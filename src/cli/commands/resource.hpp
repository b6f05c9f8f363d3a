#pragma once

#include "cli/commands/body_flags.hpp"
#include "cli/commands/context.hpp"
#include "cli/commands/named_options.hpp"
#include "cli/console/show.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace svc::cli {

/// A query parameter of a list, and the flag that gives it.
struct list_filter {
  char const* flag;
  char const* parameter;
  char const* type_name;
  char const* help;
  std::vector<std::string> allowed{};  ///< by the contract's enum; empty: anything
  /// What the API is told instead of what was typed: an id for a name, a moment for `-2h`.
  std::string (*prepared)(context& cx, std::string const& given) = nullptr;
};

/// What the commands of a resource have in common. Const; outlives the tree of commands.
struct resource {
  std::string_view group;                   ///< the word of its commands: "var"
  std::string_view text, many;              ///< in sentences: "variable", "variables"
  std::string_view path;                    ///< "/api/jobs"
  std::string_view name_member;             ///< what people call it by: "name", "title"; empty: it has ids alone
  std::string_view order = "newest first";  ///< of its list
  std::string_view example{};               ///< what it may be called by
  std::string_view list_example{}, create_example{}, update_example{};  ///< what may follow these commands
  bool searchable = false;                                              ///< whether its list takes `search`
  std::string_view id_member = "id";                                    ///< what `--quiet` prints of its rows
  std::span<column const> row{};                                        ///< of its table
  std::span<column const> details{};                                    ///< of one of it
  /// Changes a row or one object for the reader of a table or page. JSON, ids and templates stay the API's own.
  void (*adapt)(boost::json::object& row) = nullptr;
  /// The same for one object, with what else the service must be asked for, such as names for ids.
  void (*complete)(context& cx, boost::json::object& object) = nullptr;
  /// Returns what to do about a refusal of a creation or change; empty: nothing more is known.
  std::string (*remedy)(failure const& refusal, bool creates) = nullptr;
  std::vector<list_filter> filters{};
  std::vector<body_field> fields{};
};

/// The id of the resource that `given` names: an id, or an exact name that one of them has. Ids cost no request.
/// Throws `failure`: `refused` when none has that name, `usage` with their ids when several have.
std::string id_of(context& cx, resource const& r, std::string const& given);
/// The id itself, of a resource that has no names. Throws `bad_usage` for any other text.
std::string id_argument(resource const& r, std::string const& given);
/// Warns that `id` shares its name with others, if it does: a command that uses the name is refused and needs an id.
void warn_of_shared_name(context& cx, resource const& r, std::string const& name, std::string const& id);
/// The same; nothing when none has that name.
std::optional<std::string> find_id(context& cx, resource const& r, std::string const& given);
/// `--from` and `--to`.
std::string moment_argument(context& cx, std::string const& given);

/// `path/ID` of what the command line names, with `below` behind it.
std::string target_of(context& cx, resource const& r, std::string const& given, std::string_view below = {});
/// Asks on the terminal, if there is one, before something ends for good; says so when the answer is no.
bool confirmed(context& cx, std::string const& question);
/// Sends a request and shows the object that answers, or the one that is its `member`.
/// A refusal of a member of the body is retold with the option of `options` that gave it.
exit_code send_and_show(context& cx, request const& r, std::span<column const> details, std::string_view member = {},
                        std::span<named_option const> options = credential_options());

/// Shows the object that answered a request about one of the resource.
exit_code show_one(context& cx, resource const& r, std::string const& answer);

/// Declares a command whose work is `act`, which may keep what its options were written to. `example`: what follows
/// the command in the example that its help ends with.
CLI::App* add_command(CLI::App& app, context& cx, std::string const& name, std::string const& help,
                      std::string_view example, std::function<exit_code()> act);
/// Ends a command's help with an example of it.
void add_example(CLI::App& command, std::string_view example);
/// The positional argument that names one of the resource. `help`: unless empty, in place of the usual words.
void add_target(CLI::App& app, resource const& r, std::string& given, std::string const& help = {});

// The commands that all resources have alike.
void add_list(CLI::App& app, context& cx, resource const& r, std::string const& name = "list");
/// Declares what a list takes; gives what lists a resource of that kind, whose path may differ.
std::function<exit_code(resource const&)> declare_list(CLI::App& list, context& cx, resource const& r);
/// A list of what one of `owner` has: `address` makes its resource from its path, which is the owner's with `below`
/// behind it. `help`: of the argument that names the owner, as for `add_target`.
void add_list_below(CLI::App& app, context& cx, std::string const& name, resource const& owner,
                    std::string_view below, resource (*address)(std::string_view path), std::string const& help = {});
void add_get(CLI::App& app, context& cx, resource const& r);
void add_create(CLI::App& app, context& cx, resource const& r);
void add_update(CLI::App& app, context& cx, resource const& r);
/// Asks before it deletes when there is a terminal to ask at, unless `--yes` is given.
void add_delete(CLI::App& app, context& cx, resource const& r);

// The resources. Each is made once, when first asked for, and then const.
resource const& job_resource();       // jobs.cpp
resource const& test_resource();      // tests.cpp
resource const& tag_resource();       // tags.cpp
resource const& variable_resource();  // variables.cpp
resource const& provider_resource();  // providers.cpp
resource const& monitor_resource();   // monitors.cpp
resource const& run_resource();       // runs.cpp

// From an id or a name to an id, for flags that name one of them.
std::string job_id(context& cx, std::string const& id_or_name);
std::string test_id(context& cx, std::string const& id_or_title);
std::string tag_id(context& cx, std::string const& id_or_name);
std::string provider_id(context& cx, std::string const& id_or_name);
std::string monitor_id(context& cx, std::string const& id_or_name);

}  // namespace svc::cli
