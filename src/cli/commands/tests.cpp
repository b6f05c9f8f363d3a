#include "cli/commands/resource.hpp"
#include "cli/commands/run_watcher.hpp"
#include "cli/commands/test_type.hpp"
#include "cli/console/harmless.hpp"
#include "cli/settings/token_scan.hpp"

#include <CLI/CLI.hpp>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <filesystem>
#include <system_error>

namespace svc::cli {
namespace {

constexpr column test_row[] = {{"ID", "id", cell::id, 2},       {"Title", "title"},
                               {"Type", "type", cell::text, 1}, {"Priority", "priority", cell::text, 5},
                               {"Tags", "tags", cell::list, 3}, {"Updated", "updatedAt", cell::time, 4}};
constexpr column test_details[] = {{"ID", "id"},
                                   {"Title", "title"},
                                   {"Description", "description"},
                                   {"Type", "type"},
                                   {"Priority", "priority"},
                                   {"Tags", "tags", cell::list},
                                   {"Created", "createdAt", cell::time},
                                   {"Updated", "updatedAt", cell::time},
                                   {"Script", "script"}};

/// Returns the columns of a test's page for readers who have the script already, or do not want it.
std::span<column const> details_without_script() {
  std::span<column const> const all = test_details;
  return all.first(all.size() - 1);
}

/// The default of the contract.
constexpr std::string_view default_test_type = "browser";

std::vector<body_field> test_fields() {
  return {
      {.member = "title", .flag = "--title", .type_name = "TEXT", .help = "another title", .read = text_member},
      {.member = "description",
       .flag = "--description",
       .type_name = "TEXT",
       .help = "what it checks",
       .read = text_member,
       .nullable = true},
      {.member = "type",
       .flag = "--type",
       .type_name = "TYPE",
       .help = "performance tests run in k6 jobs, command tests in command jobs, others in playwright jobs; unless "
               "given, a new script.sh is a command test, script.spec.ts a browser test, script.k6.js a performance "
               "test",
       .read = text_member,
       .allowed = {"browser", "api", "database", "custom", "performance", "command"}},
      {.member = "priority",
       .flag = "--priority",
       .type_name = "LEVEL",
       .help = "low, medium or high",
       .read = text_member,
       .allowed = {"low", "medium", "high"}},
      {.member = "script",
       .flag = "--script",
       .type_name = "FILE",
       .help = "what it runs; - is stdin",
       .read = text_member,
       .from_file = true},
  };
}

/// The body of a new test, and a note about its type if its user gave none.
struct new_test {
  std::string body{};
  std::string note{};
};

std::string note_about_type(std::string const& title, std::string_view type, std::string const& reason,
                            std::string const& way_out) {
  return "'" + harmless(title) + "' is a " + std::string(type) + " test, because " + harmless(reason) + way_out;
}

new_test new_test_of(context& cx, body_flags const& given) {
  auto const script = given.typed("script");
  std::error_code failed;
  if (std::filesystem::is_directory(script, failed))
    throw bad_usage("--script: " + script + " is a directory.", "Name the file of the script.");
  bool const unnamed = given.typed("type").empty();
  auto const type = unnamed && !given.has_file() ? derived_test_type(script) : std::string_view();
  new_test out{.body = given.json(cx)};
  if (!unnamed) return out;
  auto body = boost::json::parse(out.body).as_object();
  if (body.contains("type")) return out;
  auto const title = text_of_member(body, "title");
  if (type.empty()) {
    out.note = note_about_type(title, default_test_type, "no --type was given; ",
                               "svc test update " + shell_word(title) + " --type TYPE changes it.");
    return out;
  }
  body["type"] = type;
  out.body = boost::json::serialize(body);
  out.note = note_about_type(title, type, "its script is " + script, "; --type takes precedence.");
  return out;
}

bool is_empty_script(boost::json::object const& test) {
  auto const* const script = test.if_contains("script");
  return script != nullptr && script->is_string() &&
         std::string_view(script->get_string()).find_first_not_of(" \t\r\n") == std::string_view::npos;
}

constexpr auto empty_script_warning = "the script is empty, so the test does nothing and passes.";

/// The answer to a change has the script, as has the body of a creation.
std::vector<std::string> test_warnings(boost::json::object const& test, bool /*creates*/) {
  if (is_empty_script(test)) return {empty_script_warning};
  auto const token = warn_of_token(text_of_member(test, "script"), "the script",
                                   "a secret variable hides it (svc var set NAME --secret).");
  if (token.empty()) return {};
  return {token};
}

/// Warns about surprising properties of a new test.
void comment_on_test(context& cx, new_test const& wanted) {
  if (!wanted.note.empty()) cx.console.note(wanted.note);
  for (auto const& each : test_warnings(boost::json::parse(wanted.body).as_object(), true)) cx.console.warn(each);
}

/// Tags are looked up first, so that a wrong name creates nothing. People have the script already, so their answer
/// does not repeat it.
exit_code create_test(context& cx, body_flags const& body, std::vector<std::string> const& names,
                      bool allows_duplicate) {
  auto const tags_wanted = names.empty() ? std::string() : tags_body(cx, names);
  auto const wanted = new_test_of(cx, body);
  if (!allows_duplicate) refuse_taken_name(cx, test_resource(), wanted.body);
  auto created = answer_to(cx, {.method = "POST", .target = std::string(test_resource().path), .body = wanted.body},
                           body.options());
  if (!names.empty()) {
    auto const test = object_of(created);
    auto const id = cell_text(member_of(test, "id"), cell::text, false);
    auto const target = target_of(cx, test_resource(), id);
    cx.client().send({.method = "PUT", .target = target + "/tags", .body = tags_wanted});
    created = cx.client().send({.method = "GET", .target = target + "?includeScript=true"}).body;
  }
  show_answer(cx.console, created, details_without_script());
  cx.console.flush();
  comment_on_test(cx, wanted);
  return exit_code::ok;
}

void add_test_create(CLI::App& app, context& cx) {
  auto const body = std::make_shared<body_flags>(test_resource().fields, test_resource().name_member, true);
  auto const names = std::make_shared<std::vector<std::string>>();
  auto const allows_duplicate = std::make_shared<bool>(false);
  auto* const create =
      add_command(app, cx, "create", "Create a test", test_resource().create_example,
                  [&cx, body, names, allows_duplicate] { return create_test(cx, *body, *names, *allows_duplicate); });
  body->declare(*create);
  add_allow_duplicate(*create, test_resource(), *allows_duplicate);
  create->add_option("--tag", *names, "a tag's id or name; once for each")->type_name("TAG")->expected(1)->take_all();
}

/// Prints the script of a test without anything else, as it is stored.
exit_code print_script(context& cx, std::string const& given) {
  auto const target = target_of(cx, test_resource(), given, "?includeScript=true");
  auto const test = object_of(cx.client().send({.method = "GET", .target = target}).body).as_object();
  auto const script = text_of_member(test, "script");
  cx.console.data(cx.console.out_is_terminal() ? harmless(script, false, true) : script);
  return exit_code::ok;
}

void add_test_get(CLI::App& app, context& cx) {
  struct arguments {
    std::string test;
    bool with_script = false, only_script = false, only_etag = false;
  };
  auto const given = std::make_shared<arguments>();
  auto* const get = add_command(app, cx, "get", "Show a test", "smoke --script-only >smoke.sh", [&cx, given] {
    if (given->only_etag) return print_etag(cx, target_of(cx, test_resource(), given->test));
    if (given->only_script) return print_script(cx, given->test);
    auto const target = target_of(cx, test_resource(), given->test, given->with_script ? "?includeScript=true" : "");
    send_and_show(cx, {.method = "GET", .target = target},
                  given->with_script ? std::span<column const>(test_details) : details_without_script());
    if (!given->with_script && cx.console.out_is_terminal() && cx.console.how() == format::text)
      cx.console.note("--script shows its script, too.");
    return exit_code::ok;
  });
  add_target(*get, test_resource(), given->test);
  auto* const with_script = get->add_flag("--script", given->with_script, "with its script");
  get->add_flag("--script-only", given->only_script, "print the script and nothing else, for a file")
      ->excludes(with_script);
  add_etag_flag(*get, given->only_etag);
}

void add_test_execute(CLI::App& app, context& cx) {
  struct arguments {
    std::string test;
    waiting_options waiting{};
  };
  auto const given = std::make_shared<arguments>();
  auto* const execute = add_command(app, cx, "execute", "Run a single test", "smoke --follow", [&cx, given] {
    check_waiting(given->waiting);
    return start_run(cx, target_of(cx, test_resource(), given->test, "/execute"), given->waiting);
  });
  add_target(*execute, test_resource(), given->test);
  declare_waiting(*execute, given->waiting);
}

}  // namespace

resource const& test_resource() {
  static resource const out{
      .group = "test",
      .text = "test",
      .many = "tests",
      .path = "/api/tests",
      .name_member = "title",
      .example = "smoke",
      .create_example = "smoke --type command --script smoke.sh --tag nightly",
      .update_example = "--script smoke.sh",
      .searchable = true,
      .repeats_names = true,
      .row = test_row,
      .details = test_details,
      .warnings = test_warnings,
      .filters = {{.flag = "--search", .parameter = "search", .type_name = "TEXT", .help = "part of the title"},
                  {.flag = "--type",
                   .parameter = "type",
                   .type_name = "TYPE",
                   .help = "of this type",
                   .allowed = {"browser", "api", "database", "custom", "performance", "command"}},
                  {.flag = "--tag",
                   .parameter = "tagId",
                   .type_name = "TAG",
                   .help = "that have this tag: its name or id",
                   .prepared = tag_id}},
      .fields = test_fields()};
  return out;
}

std::string test_id(context& cx, std::string const& id_or_title) {
  return id_of(cx, test_resource(), id_or_title);
}

void add_test_commands(CLI::App& root, context& cx) {
  auto* const test = root.add_subcommand("test", "Tests: scripts that jobs run");
  test->require_subcommand(1);
  add_list(*test, cx, test_resource());
  add_test_get(*test, cx);
  add_test_create(*test, cx);
  add_update(*test, cx, test_resource());
  add_delete(*test, cx, test_resource());
  add_tags(*test, cx, test_resource(), "smoke --tag nightly --tag shop");
  add_test_execute(*test, cx);
}

}  // namespace svc::cli
