#include "cli/commands/resource.hpp"
#include "cli/commands/run_watcher.hpp"
#include "cli/commands/test_type.hpp"
#include "cli/console/harmless.hpp"

#include <CLI/CLI.hpp>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace svc::cli {
namespace {

constexpr column test_row[] = {{"ID", "id", cell::id, 9},       {"Title", "title"},
                               {"Type", "type", cell::text, 2}, {"Priority", "priority", cell::text, 3},
                               {"Tags", "tags", cell::list, 1}, {"Updated", "updatedAt", cell::time, 4}};
constexpr column test_details[] = {{"ID", "id"},
                                   {"Title", "title"},
                                   {"Description", "description"},
                                   {"Type", "type"},
                                   {"Priority", "priority"},
                                   {"Tags", "tags", cell::list},
                                   {"Created", "createdAt", cell::time},
                                   {"Updated", "updatedAt", cell::time},
                                   {"Script", "script"}};
/// The default of the contract.
constexpr std::string_view default_test_type = "browser";
constexpr named_option options_of_tags[] = {{"tags", "--tag"}};
constexpr column tags_of_test[] = {{"Tags", "tags", cell::list}};

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
               "named, a new script.sh is a command test, script.spec.ts a browser test, script.k6.js a performance "
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

/// The body of PUT /api/tests/{id}/tags.
std::string tags_body(context& cx, std::vector<std::string> const& names) {
  std::vector<std::string> ids;
  for (auto const& name : names) ids.push_back(tag_id(cx, name));
  return boost::json::serialize(boost::json::object{{"tags", ids_member(ids)}});
}

/// The body of a new test, and what to say of its type if its user named none.
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
  out.note = note_about_type(title, type, "its script is " + script, "; --type beats that.");
  return out;
}

/// Tags are looked up first, so that a wrong name creates nothing.
exit_code create_test(context& cx, body_flags const& body, std::vector<std::string> const& names) {
  auto const tags_wanted = names.empty() ? std::string() : tags_body(cx, names);
  auto const wanted = new_test_of(cx, body);
  auto const fields = body.optional_fields();
  auto created = answer_to(cx, {.method = "POST", .target = std::string(test_resource().path), .body = wanted.body},
                           options_of(fields));
  if (!names.empty()) {
    auto const test = object_of(created);
    auto const id = cell_text(member_of(test, "id"), cell::text, false);
    auto const target = target_of(cx, test_resource(), id);
    cx.client().send({.method = "PUT", .target = target + "/tags", .body = tags_wanted});
    created = cx.client().send({.method = "GET", .target = target + "?includeScript=true"}).body;
  }
  show_answer(cx.console, created, test_details);
  cx.console.flush();
  if (!wanted.note.empty()) cx.console.note(wanted.note);
  auto const test = object_of(created).as_object();
  warn_of_shared_name(cx, test_resource(), text_of_member(test, "title"), text_of_member(test, "id"));
  return exit_code::ok;
}

void add_test_create(CLI::App& app, context& cx) {
  auto const body = std::make_shared<body_flags>(test_resource().fields, test_resource().name_member, true);
  auto const names = std::make_shared<std::vector<std::string>>();
  auto* const create = add_command(app, cx, "create", "Create a test", test_resource().create_example,
                                   [&cx, body, names] { return create_test(cx, *body, *names); });
  body->declare(*create);
  create->add_option("--tag", *names, "a tag's id or name; once for each")->type_name("TAG")->expected(1)->take_all();
}

void add_test_get(CLI::App& app, context& cx) {
  auto const given = std::make_shared<std::string>();
  auto const with_script = std::make_shared<bool>(false);
  auto* const get = add_command(app, cx, "get", "Show a test", "smoke --script", [&cx, given, with_script] {
    auto const target = target_of(cx, test_resource(), *given, *with_script ? "?includeScript=true" : "");
    std::span<column const> const details = test_details;
    send_and_show(cx, {.method = "GET", .target = target},
                  *with_script ? details : details.first(details.size() - 1));
    if (!*with_script && cx.console.out_is_terminal() && cx.console.how() == format::text)
      cx.console.note("--script shows its script, too.");
    return exit_code::ok;
  });
  add_target(*get, test_resource(), *given);
  get->add_flag("--script", *with_script, "with its script");
}

struct tags_arguments {
  std::string test;
  std::vector<std::string> names;
  bool none = false;
};

void add_test_tags(CLI::App& app, context& cx) {
  auto const given = std::make_shared<tags_arguments>();
  auto* const tags =
      add_command(app, cx, "tags", "Show a test's tags, or set them", "smoke --tag nightly --tag shop", [&cx, given] {
        request r{.method = "GET", .target = target_of(cx, test_resource(), given->test, "/tags")};
        if (given->none || !given->names.empty()) {
          r.method = "PUT";
          r.body = tags_body(cx, given->names);
        }
        return send_and_show(cx, r, tags_of_test, {}, options_of_tags);
      });
  add_target(*tags, test_resource(), given->test);
  auto* const names = tags->add_option("--tag", given->names, "wear this tag and no other; once for each")
                          ->type_name("TAG")
                          ->expected(1)
                          ->take_all();
  tags->add_flag("--none", given->none, "wear none")->excludes(names);
}

void add_test_execute(CLI::App& app, context& cx) {
  struct arguments {
    std::string test;
    waiting_options waiting{};
  };
  auto const given = std::make_shared<arguments>();
  auto* const execute = add_command(app, cx, "execute", "Run a test by itself", "smoke --follow", [&cx, given] {
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
      .row = test_row,
      .details = test_details,
      .filters = {{.flag = "--search", .parameter = "search", .type_name = "TEXT", .help = "part of the title"}},
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
  add_test_tags(*test, cx);
  add_test_execute(*test, cx);
}

}  // namespace svc::cli
