#include "cli/commands/arguments.hpp"
#include "cli/commands/resource.hpp"

#include <CLI/CLI.hpp>

#include <boost/json/serialize.hpp>

namespace svc::cli {
namespace {

constexpr column variable_row[] = {{"ID", "id", cell::id, 1},
                                   {"Name", "key"},
                                   {"Value", "value"},
                                   {"Secret", "isSecret", cell::boolean},
                                   {"Description", "description", cell::text, 3},
                                   {"Updated", "updatedAt", cell::time, 2}};
named_option const variable_options[] = {
    {"key", "NAME"}, {"value", "--value"}, {"isSecret", "--secret"}, {"description", "--description"}};
constexpr column variable_details[] = {{"ID", "id"},
                                       {"Name", "key"},
                                       {"Value", "value"},
                                       {"Secret", "isSecret", cell::boolean},
                                       {"Description", "description"},
                                       {"Created", "createdAt", cell::time},
                                       {"Updated", "updatedAt", cell::time}};

struct variable_arguments {
  std::string name, file, value, description, secret;
  CLI::Option const* value_given = nullptr;
};

/// Returns the value from the source in the arguments. The function removes a line end at the end, because editors
/// and `echo` add one.
std::string value_of_variable(context& cx, variable_arguments const& given) {
  bool const from_stdin = given.value == "-";
  if (given.value_given->count() > 0 && !from_stdin) {
    if (given.secret == "true")
      cx.console.warn("a value in the command line is seen by others and kept in the shell's history.");
    return given.value;
  }
  if (given.file.empty() && !from_stdin && cx.console.in_is_terminal())
    return std::string(cx.console.ask_hidden("Value of " + given.name).reveal());
  auto out = text_of_file(given.file.empty() ? "-" : given.file);
  // In a pipeline without input, stdin is /dev/null: the user did not intend to empty the variable.
  if (out.empty() && given.file.empty())
    throw bad_usage("No value came from stdin.", "Write --value '' to set an empty one.");
  if (out.ends_with('\n')) out.pop_back();
  if (out.ends_with('\r')) out.pop_back();
  return out;
}

/// Returns the request's body; a creation names the variable too.
std::string variable_body(variable_arguments const& given, std::string const& value, bool creates) {
  boost::json::object out{{"value", value}};
  if (creates) out["key"] = given.name;
  if (!given.secret.empty()) out["isSecret"] = given.secret == "true";
  if (!given.description.empty()) out["description"] = given.description;
  return boost::json::serialize(out);
}

/// Creates the variable, or changes the existing one of that name.
exit_code set_variable(context& cx, variable_arguments const& given) {
  auto const value = value_of_variable(cx, given);
  constexpr std::size_t shortest_masked = 4;
  if (given.secret == "true" && value.size() < shortest_masked)
    cx.console.warn("a secret of " + std::to_string(value.size()) +
                    " characters is masked wherever it occurs in output, also within words.");
  auto const& path = variable_resource().path;
  if (auto const id = find_id(cx, variable_resource(), given.name))
    return send_and_show(cx,
                         {.method = "PATCH",
                          .target = std::string(path).append("/").append(percent_encoded(*id)),
                          .body = variable_body(given, value, false)},
                         variable_details, {}, variable_options);
  return send_and_show(cx, {.method = "POST", .target = std::string(path), .body = variable_body(given, value, true)},
                       variable_details, {}, variable_options);
}

void add_variable_set(CLI::App& app, context& cx) {
  auto const given = std::make_shared<variable_arguments>();
  auto* const set =
      add_command(app, cx, "set", "Create a variable, or change the one of that name",
                  "ADMIN_PASSWORD --secret <password.txt", [&cx, given] { return set_variable(cx, *given); });
  set->add_option("NAME", given->name, "capital letters, digits and underscores")->required();
  auto* const file = set->add_option("--value-file", given->file,
                                     "read the value from a file; without it from stdin, or it is asked for")
                         ->type_name("FILE");
  given->value_given =
      set->add_option("--value", given->value, "the value, if it is no secret")->type_name("TEXT")->excludes(file);
  set->add_flag("--secret,!--no-secret", given->secret, "whether the value can never be read back");
  set->add_option("--description", given->description, "what it is for")->type_name("TEXT");
}

}  // namespace

resource const& variable_resource() {
  static resource const out{.group = "var",
                            .text = "variable",
                            .many = "variables",
                            .path = "/api/variables",
                            .name_member = "key",
                            .example = "BASE_URL",
                            .row = variable_row,
                            .details = variable_details};
  return out;
}

void add_variable_commands(CLI::App& root, context& cx) {
  auto* const var = root.add_subcommand("var", "Variables: what scripts are given");
  var->require_subcommand(1);
  add_list(*var, cx, variable_resource());
  add_get(*var, cx, variable_resource());
  add_variable_set(*var, cx);
  add_delete(*var, cx, variable_resource());
}

}  // namespace svc::cli
