// Posts: published texts about incidents and maintenance windows.
#include "cli/commands/posts.hpp"

#include "cli/commands/arguments.hpp"
#include "svc/core/uuid.hpp"

#include <CLI/CLI.hpp>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace svc::cli {
namespace {

constexpr column post_row[] = {{"ID", "id", cell::id, 1},
                               {"Published", "displayAt", cell::time},
                               {"Status", "status", cell::status},
                               {"Automatic", "automatic", cell::boolean, 4},
                               {"Notified", "notify", cell::boolean, 3},
                               {"Corrected", "editedAt", cell::time, 2},
                               {"Text", "body", cell::prose}};
constexpr column post_details[] = {{"ID", "id"},
                                   {"Status", "status", cell::status},
                                   {"Published", "displayAt", cell::time},
                                   {"Automatic", "automatic", cell::boolean},
                                   {"Notified", "notify", cell::boolean},
                                   {"Corrected", "editedAt", cell::time},
                                   {"Text", "body"}};

/// Returns the resource of the posts of one object, whose path is below the object's own.
resource posts_below(std::string_view path) {
  return {.group = "incident",
          .text = "update",
          .many = "the published updates",
          .path = path,
          .name_member = "",
          .row = post_row,
          .details = post_details};
}

/// A line end at the end of a file belongs to the file and not to the text.
boost::json::value published_text_member(std::vector<std::string> const& given) {
  std::string_view const text = given.back();
  return boost::json::value(text.substr(0, text.find_last_not_of(" \t\r\n") + 1));
}

boost::json::value shown_time_member(std::vector<std::string> const& given) {
  return boost::json::value(moment_of(given.back(), system_now()));
}

}  // namespace

std::vector<body_field> text_fields(std::string_view member) {
  return {{.member = member,
           .flag = "--text",
           .type_name = "TEXT",
           .help = "what visitors read: plain text, in which an empty line starts a paragraph",
           .read = published_text_member},
          {.member = member,
           .flag = "--body",
           .type_name = "FILE",
           .help = "the same from a file; - is stdin",
           .read = published_text_member,
           .from_file = true}};
}

body_field notify_field() {
  return {.member = "notify",
          .flag = "--notify,!--silent",
          .type_name = "",
          .help = "whether subscribers and providers get it, as they do unless given",
          .read = boolean_member};
}

std::vector<body_field> post_fields() {
  auto out = text_fields("body");
  out.push_back({.member = "displayAt",
                 .flag = "--at",
                 .type_name = "TIME",
                 .help = "the time that visitors see: 2h (ago), yesterday, or RFC 3339; now unless given",
                 .read = shown_time_member});
  out.push_back(notify_field());
  out.back().updates = false;
  return out;
}

void require_text(boost::json::object const& body) {
  auto const* const text = body.if_contains("body");
  if (text != nullptr && text->is_string() && !text->get_string().empty()) return;
  throw bad_usage("The text for visitors is missing.",
                  "Add --text 'A fix is deployed.', or --body FILE (- is stdin).");
}

void add_post(CLI::App& app, context& cx, post_parent const& parent, post_command const& command) {
  // The flags point to the fields of this copy.
  auto const kept = std::make_shared<post_command const>(command);
  auto const body = std::make_shared<body_flags>(kept->fields, std::string_view(), true);
  auto* const post = add_command(
      app, cx, command.name, command.help, parent.example + " " + std::string(command.example),
      [&cx, parent, kept, body] {
        auto members = boost::json::parse(body->json(cx)).as_object();
        require_text(members);
        auto const path = parent.path(cx);
        if (kept->prepare) kept->prepare(cx, path, members);
        request const r{.method = "POST", .target = path + "/updates", .body = boost::json::serialize(members)};
        return show_one(cx, posts_below({}), answer_to(cx, r, body->options()));
      });
  parent.declare(*post);
  body->declare(*post);
}

void add_post_list(CLI::App& app, context& cx, post_parent const& parent) {
  auto* const list = app.add_subcommand("updates", "List the published updates, newest first");
  parent.declare(*list);
  auto const pages = declare_list(*list, cx, posts_below({}));
  add_example(*list, parent.example);
  list->callback([&cx, parent, pages] {
    cx.action = [&cx, parent, pages] {
      auto const path = parent.path(cx) + "/updates";
      return pages(posts_below(path));
    };
  });
}

void add_post_correction(CLI::App& app, context& cx, post_parent const& parent) {
  auto const update = std::make_shared<std::string>();
  auto const fields = std::make_shared<std::vector<body_field> const>(post_fields());
  auto const body = std::make_shared<body_flags>(*fields, std::string_view(), false);
  auto* const correct = add_command(
      app, cx, "correct", "Correct a published update; nobody is notified",
      parent.example + " 01934f2e-a004-7d3e-9b1f-5a2c8e4d6f70 --text 'Only cards of one bank fail.'",
      [&cx, parent, update, fields, body] {
        auto const text = body->json(cx);
        if (!uuid::parse(*update))
          throw bad_usage("'" + *update + "' is not the id of an update.", "The command updates shows ids.");
        request const r{
            .method = "PATCH", .target = parent.path(cx) + "/updates/" + percent_encoded(*update), .body = text};
        return show_one(cx, posts_below({}), answer_to(cx, r, body->options()));
      });
  parent.declare(*correct);
  correct->add_option("UPDATE", *update, "the update's id; the command updates shows them")->required();
  body->declare(*correct);
}

}  // namespace svc::cli
