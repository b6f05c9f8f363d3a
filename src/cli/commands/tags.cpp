#include "cli/commands/resource.hpp"

#include <CLI/CLI.hpp>

namespace svc::cli {
namespace {

constexpr column tag_columns[] = {{"ID", "id", cell::id, 1},
                                  {"Name", "name"},
                                  {"Color", "color", cell::text, 2},
                                  {"Created", "createdAt", cell::time, 3}};

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

void add_tag_commands(CLI::App& root, context& cx) {
  auto* const tag = root.add_subcommand("tag", "Tags: words that sort tests and monitors");
  tag->require_subcommand(1);
  add_list(*tag, cx, tag_resource());
  add_create(*tag, cx, tag_resource());
  add_update(*tag, cx, tag_resource());
  add_delete(*tag, cx, tag_resource());
}

}  // namespace svc::cli
