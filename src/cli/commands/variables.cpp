#include "cli/commands/arguments.hpp"
#include "cli/commands/resource.hpp"
#include "cli/console/harmless.hpp"
#include "cli/settings/token_scan.hpp"

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
      cx.console.warn("others can see a value in the command line, and the shell's history keeps it.");
    return given.value;
  }
  if (given.file.empty() && !from_stdin && cx.console.in_is_terminal())
    return std::string(cx.console.ask_hidden("Value of " + given.name).reveal());
  auto out = text_of_file(given.file.empty() ? "-" : given.file, "--value-file");
  // In a pipeline without input, stdin is /dev/null: the user did not intend to empty the variable.
  if (out.empty() && given.file.empty())
    throw bad_usage("No value came from stdin.", "Write --value VALUE, or --value '' for an empty one.");
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

/// Warns of a token in a variable that is no secret.
void warn_of_readable_token(context& cx, std::string const& name, std::string const& value) {
  auto const warning =
      warn_of_token(value, "the variable", "svc var set " + shell_word(name) + " --secret hides it.");
  if (!warning.empty()) cx.console.warn(warning);
}

/// Creates the variable, or changes the existing one of that name.
exit_code set_variable(context& cx, variable_arguments const& given) {
  if (auto const equals = given.name.find('='); equals != std::string::npos)
    throw bad_usage("NAME must not contain =.", "The value is an option: svc var set " +
                                                    shell_word(given.name.substr(0, equals)) +
                                                    " --value VALUE; a secret comes from stdin, with --secret.");
  auto const value = value_of_variable(cx, given);
  constexpr std::size_t shortest_masked = 4;
  if (given.secret == "true" && value.size() < shortest_masked)
    cx.console.warn("a secret of " + std::to_string(value.size()) +
                    " characters is masked wherever it occurs in output, also within words.");
  request set{.method = "POST", .target = std::string(variable_resource().path)};
  auto const id = find_id(cx, variable_resource(), given.name);
  if (id) {
    set.method = "PATCH";
    set.target.append("/").append(percent_encoded(*id));
  }
  set.body = variable_body(given, value, !id);
  auto const answer = answer_to(cx, set, variable_options);
  show_answer(cx.console, answer, variable_details);
  cx.console.flush();
  // A change keeps a secret secret without --secret, so the answer decides.
  auto const stored = object_of(answer);
  auto const* const secret = member_of(stored, "isSecret");
  if (secret != nullptr && *secret == false) warn_of_readable_token(cx, given.name, value);
  return exit_code::ok;
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
  auto* const var = root.add_subcommand("var", "Variables: values that scripts receive");
  var->require_subcommand(1);
  add_list(*var, cx, variable_resource());
  add_get(*var, cx, variable_resource());
  add_variable_set(*var, cx);
  add_delete(*var, cx, variable_resource());
}

}  // namespace svc::cli
