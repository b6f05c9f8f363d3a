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

/// A query parameter of a list, and the flag that sets it.
struct list_filter {
  char const* flag;
  char const* parameter;
  char const* type_name;
  char const* help;
  std::vector<std::string> allowed{};  ///< by the contract's enum; empty: any text
  /// Converts the user's text for the API: a name to an id, `-2h` to a moment.
  std::string (*prepared)(context& cx, std::string const& given) = nullptr;
};

/// The common properties of a resource's commands. The object is const and outlives the tree of commands.
struct resource {
  std::string_view group;       ///< the word of its commands: "var"
  std::string owner{};          ///< the word of the command line for its owner; empty: it has none
  std::string_view text, many;  ///< in sentences: "variable", "variables"
  std::string_view path;        ///< "/api/jobs"
  std::string_view lookup{};    ///< a parameter that is `true` when names are looked up; empty: none
  /// The states (values of `lookup_parameter`) in which names are looked up first; empty: none. An object in another
  /// state may have a name that is in use again. So it counts only if no object in these states has the name.
  std::span<std::string_view const> lookup_states{};
  std::string_view lookup_parameter = "state";  ///< takes one of `lookup_states`
  std::string_view name_member;                 ///< the member that names it: "name", "title"; empty: only ids
  std::string_view order = "newest first";      ///< of its list
  std::string_view example{};                   ///< an example of its name
  std::string_view list_example{}, create_example{}, update_example{};  ///< example arguments of these commands
  bool searchable = false;                                              ///< its list accepts `search`
  bool repeats_names = false;         ///< the service lets several objects have one name
  std::string_view id_member = "id";  ///< `--quiet` prints this member
  std::span<column const> row{};      ///< the columns of its table
  std::span<column const> details{};  ///< the columns of a single object
  /// Changes a row or one object for the reader of a table or page. JSON, ids and templates keep the API's own form.
  void (*adapt)(boost::json::object& row) = nullptr;
  /// Changes one object likewise, and asks the service for additional data, such as names for ids.
  void (*complete)(context& cx, boost::json::object& object) = nullptr;
  /// Says why a list with these filters may have no row, on stderr. The filters have the order of `filters`.
  void (*explain_empty)(context& cx, std::span<std::string const> given) = nullptr;
  /// Changes the body of a creation or change before it is sent. `id` is the changed object's, or empty.
  void (*prepare)(context& cx, boost::json::object& body, std::string const& id) = nullptr;
  /// Does the same for an object that belongs to another one; `path` is that of the object's list.
  void (*prepare_owned)(context& cx, std::string_view path, boost::json::object& body,
                        std::string const& id) = nullptr;
  /// Returns warnings about a created or changed object that the service accepts.
  std::vector<std::string> (*warnings)(boost::json::object const& object, bool creates) = nullptr;
  /// Returns the remedy for a refusal of a creation or change; empty: none is known.
  std::string (*remedy)(failure const& refusal, bool creates) = nullptr;
  /// Returns the role of an object for others that would lose it by its deletion: `the only provider of: watched`;
  /// empty: it has none.
  std::string (*dependents)(context& cx, std::string const& id) = nullptr;
  std::vector<list_filter> filters{};
  std::vector<body_field> fields{};
  std::vector<named_option> aliases{};  ///< members that `prepare` makes of options, in addition to `fields`
};

/// Returns the id of the resource that `given` names: an id, or an exact name of a resource. Ids need no request.
/// Throws `failure`: `refused` when no resource has that name, `usage` with their ids when several have it.
std::string id_of(context& cx, resource const& r, std::string const& given);
/// Returns the id itself, for a resource without names. Throws `bad_usage` for any other text.
std::string id_argument(resource const& r, std::string const& given);
/// Throws `failure` (refused) if an object has the name in the body of a creation. With two objects of one name,
/// every command that uses the name fails, also those of pipelines.
void refuse_taken_name(context& cx, resource const& r, std::string const& body);
/// Declares the option of creations that permits a second object of that name.
void add_allow_duplicate(CLI::App& create, resource const& r, bool& allowed);
/// Returns the same id as `id_of`, or `std::nullopt` if no resource has that name.
std::optional<std::string> find_id(context& cx, resource const& r, std::string const& given);
/// Converts the values of `--from` and `--to`.
std::string moment_argument(context& cx, std::string const& given);

/// Returns `path/ID` of the object that the command line names, followed by `below`.
std::string target_of(context& cx, resource const& r, std::string const& given, std::string_view below = {});
/// Asks on the terminal, if there is one, before something ends for good; prints a note when the answer is no.
bool confirmed(context& cx, std::string const& question);
/// Sends a request and shows the answered object, or the object that is its `member`. A refusal of a member of the
/// body names the option of `options` that gave the member.
exit_code send_and_show(context& cx, request const& r, std::span<column const> details, std::string_view member = {},
                        std::span<named_option const> options = credential_options());

/// Prints the ETag of the object at the target, and nothing else.
exit_code print_etag(context& cx, std::string const& target);
/// Declares `--etag` of a command that shows an object.
void add_etag_flag(CLI::App& get, bool& only_etag);
/// Declares `--if-match` of a command that changes an object.
void add_if_match(CLI::App& update, std::optional<std::string>& etag);
/// Adds If-Match to the request if there is an ETag. Throws `bad_usage` for an empty one: a script has given a
/// variable that is not set.
void require_version(request& change, std::optional<std::string> const& etag);
/// Returns the refusal, retold if the version of the object was not that of `--if-match`. `given` names the object,
/// quoted for a shell.
failure explain_version(resource const& r, std::string const& given, failure const& refusal);

/// Shows the object that answered a request about one object of the resource.
exit_code show_one(context& cx, resource const& r, std::string const& answer);

/// Declares a command whose work is `act`, which may own the variables of its options. `example` has the arguments of
/// the example at the end of the command's help.
CLI::App* add_command(CLI::App& app, context& cx, std::string const& name, std::string const& help,
                      std::string_view example, std::function<exit_code()> act);
/// Ends a command's help with an example.
void add_example(CLI::App& command, std::string_view example);
/// Returns the name in help texts of the argument that names an object: JOB.
std::string argument_name(resource const& r);
/// Declares the positional argument that names an object of the resource. `help`, unless empty, replaces the usual
/// words.
void add_target(CLI::App& app, resource const& r, std::string& given, std::string const& help = {});

// The following functions add the commands that all resources share.
void add_list(CLI::App& app, context& cx, resource const& r, std::string const& name = "list");
/// Declares the options of a list. Returns a function that lists a resource of that kind, whose path may differ.
std::function<exit_code(resource const&)> declare_list(CLI::App& list, context& cx, resource const& r);
/// Adds a list of the objects that belong to one `owner`. `address` makes the list's resource from its path, which is
/// the owner's path followed by `below`. `help` is for the argument that names the owner, as in `add_target`.
void add_list_below(CLI::App& app, context& cx, std::string const& name, resource const& owner,
                    std::string_view below, resource (*address)(std::string_view path), std::string const& help = {});
/// Adds a command that shows or sets the tags of a test or monitor.
void add_tags(CLI::App& app, context& cx, resource const& owner, std::string_view example);
/// Returns the body that sets these tags, by id or name.
std::string tags_body(context& cx, std::vector<std::string> const& names);
void add_get(CLI::App& app, context& cx, resource const& r);
void add_create(CLI::App& app, context& cx, resource const& r);
void add_update(CLI::App& app, context& cx, resource const& r);
/// Adds a command that asks before it deletes when there is a terminal, unless `--yes` is given. Without a terminal
/// it deletes, but an object that others depend on only with `--yes`.
void add_delete(CLI::App& app, context& cx, resource const& r);

/// The arguments of a change.
struct update_arguments {
  std::string object{};
  std::optional<std::string> etag{};
};

// The following functions do the work of `create`, `update` and `delete`.
exit_code create_object(context& cx, resource const& r, body_flags const& body, bool allows_duplicate);
exit_code update_object(context& cx, resource const& r, body_flags const& body, update_arguments const& given);
exit_code delete_objects(context& cx, resource const& r, std::vector<std::string> const& which, bool sure);
/// Returns the indefinite article and the noun: `an outage`.
std::string with_article(std::string_view noun);

// Each of these functions creates its resource at the first call; the resource is const from then on.
resource const& job_resource();       // jobs.cpp
resource const& test_resource();      // tests.cpp
resource const& tag_resource();       // tags.cpp
resource const& variable_resource();  // variables.cpp
resource const& provider_resource();  // providers.cpp
resource const& monitor_resource();   // monitors.cpp
resource const& run_resource();       // runs.cpp
resource const& window_resource();    // windows.cpp
resource const& page_resource();      // status_pages.cpp

// Each of these functions converts an id or a name to an id, for flags that name such an object.
std::string job_id(context& cx, std::string const& id_or_name);
std::string test_id(context& cx, std::string const& id_or_title);
std::string tag_id(context& cx, std::string const& id_or_name);
std::string provider_id(context& cx, std::string const& id_or_name);
std::string monitor_id(context& cx, std::string const& id_or_name);
std::string page_id(context& cx, std::string const& id_or_slug);

}  // namespace svc::cli
