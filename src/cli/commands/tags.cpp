#include "cli/commands/resource.hpp"

#include <CLI/CLI.hpp>

#include <boost/json/serialize.hpp>

#include <memory>

namespace svc::cli {
namespace {

constexpr column tag_columns[] = {{"ID", "id", cell::id, 1},
                                  {"Name", "name"},
                                  {"Color", "color", cell::text, 2},
                                  {"Created", "createdAt", cell::time, 3}};

constexpr column tags_of_one[] = {{"Tags", "tags", cell::list}};
named_option const options_of_tags[] = {{"tags", "--tag"}};

struct tags_arguments {
  std::string owner;
  std::vector<std::string> names;
  bool none = false;
};

}  // namespace

resource const& tag_resource() {
  static resource const out{
      .group = "tag",
      .text = "tag",
      .many = "tags",
      .path = "/api/tags",
      .name_member = "name",
      .example = "smoke",
      .create_example = "smoke --hex '#1f883d'",
      .update_example = "--name regression",
      .row = tag_columns,
      .details = tag_columns,
      .fields = {
          {.member = "name", .flag = "--name", .type_name = "TEXT", .help = "another name", .read = text_member},
          {.member = "color",
           .flag = "--hex",
           .type_name = "COLOR",
           .help = "its color, '#1f883d'",
           .read = text_member}}};
  return out;
}

std::string tag_id(context& cx, std::string const& id_or_name) {
  return id_of(cx, tag_resource(), id_or_name);
}

std::string tags_body(context& cx, std::vector<std::string> const& names) {
  std::vector<std::string> ids;
  for (auto const& name : names) ids.push_back(tag_id(cx, name));
  return boost::json::serialize(boost::json::object{{"tags", ids_member(ids)}});
}

void add_tags(CLI::App& app, context& cx, resource const& owner, std::string_view example) {
  auto const given = std::make_shared<tags_arguments>();
  auto* const tags = add_command(app, cx, "tags", "Show the tags of a " + std::string(owner.text) + ", or set them",
                                 example, [&cx, &owner, given] {
                                   request r{.method = "GET", .target = target_of(cx, owner, given->owner, "/tags")};
                                   if (given->none || !given->names.empty()) {
                                     r.method = "PUT";
                                     r.body = tags_body(cx, given->names);
                                   }
                                   return send_and_show(cx, r, tags_of_one, {}, options_of_tags);
                                 });
  add_target(*tags, owner, given->owner);
  auto* const names = tags->add_option("--tag", given->names, "have this tag and no other; repeatable")
                          ->type_name("TAG")
                          ->expected(1)
                          ->take_all();
  tags->add_flag("--none", given->none, "wear none")->excludes(names);
}

void add_tag_commands(CLI::App& root, context& cx) {
  auto* const tag = root.add_subcommand("tag", "Tags: words that sort tests and monitors");
  tag->require_subcommand(1);
  add_list(*tag, cx, tag_resource());
  add_get(*tag, cx, tag_resource());
  add_create(*tag, cx, tag_resource());
  add_update(*tag, cx, tag_resource());
  add_delete(*tag, cx, tag_resource());
}

}  // namespace svc::cli
