// Commands of resources that belong to an object of another resource.
#include "cli/commands/owned_resource.hpp"

#include <CLI/CLI.hpp>

namespace svc::cli {
namespace {

/// Returns the example's arguments: the owner, then the object.
std::string owned_example(owned_resource const& owned, resource const& r, std::string_view more = {}) {
  std::string out(owned.owner.example);
  out.append(" ").append(r.example);
  if (!more.empty()) out.append(" ").append(more);
  return out;
}

void add_owner(CLI::App& app, owned_resource const& owned, std::string& owner) {
  add_target(app, owned.owner, owner, owned.owner_help);
}

}  // namespace

exit_code with_owner(context& cx, owned_resource const& owned, std::string const& owner,
                     std::function<exit_code(resource const&)> const& act) {
  auto const path = target_of(cx, owned.owner, owner, owned.below);
  auto placed = owned.address(path);
  placed.owner = owner;
  return act(placed);
}

void add_owned_list(CLI::App& app, context& cx, owned_resource const& owned) {
  add_list_below(app, cx, "list", owned.owner, owned.below, owned.address, owned.owner_help);
}

void add_owned_get(CLI::App& app, context& cx, owned_resource const& owned) {
  struct arguments {
    std::string owner, object;
    bool only_etag = false;
  };
  auto const given = std::make_shared<arguments>();
  auto const r = owned.address("");
  auto* const get =
      add_command(app, cx, "get", "Show " + with_article(r.text), owned_example(owned, r), [&cx, &owned, given] {
        return with_owner(cx, owned, given->owner, [&cx, &given](resource const& placed) {
          auto const target = target_of(cx, placed, given->object);
          if (given->only_etag) return print_etag(cx, target);
          return show_one(cx, placed, cx.client().send({.method = "GET", .target = target}).body);
        });
      });
  add_owner(*get, owned, given->owner);
  add_target(*get, r, given->object);
  if (!r.update_example.empty()) add_etag_flag(*get, given->only_etag);
}

void add_owned_create(CLI::App& app, context& cx, owned_resource const& owned) {
  // The flags point to fields of this resource.
  auto const r = std::make_shared<resource const>(owned.address(""));
  auto const owner = std::make_shared<std::string>();
  auto const body = std::make_shared<body_flags>(r->fields, r->name_member, true);
  auto const allows_duplicate = std::make_shared<bool>(false);
  auto* const create = add_command(app, cx, "create", "Create " + with_article(r->text),
                                   std::string(owned.owner.example).append(" ").append(r->create_example),
                                   [&cx, &owned, r, owner, body, allows_duplicate] {
                                     return with_owner(cx, owned, *owner, [&](resource const& placed) {
                                       return create_object(cx, placed, *body, *allows_duplicate);
                                     });
                                   });
  add_owner(*create, owned, *owner);
  body->declare(*create);
  if (r->repeats_names) add_allow_duplicate(*create, *r, *allows_duplicate);
}

void add_owned_update(CLI::App& app, context& cx, owned_resource const& owned) {
  auto const r = std::make_shared<resource const>(owned.address(""));
  auto const owner = std::make_shared<std::string>();
  auto const given = std::make_shared<update_arguments>();
  auto const body = std::make_shared<body_flags>(r->fields, r->name_member, false);
  auto* const update = add_command(app, cx, "update", "Change " + with_article(r->text) + "; all other settings stay",
                                   owned_example(owned, *r, r->update_example), [&cx, &owned, r, owner, given, body] {
                                     return with_owner(cx, owned, *owner, [&](resource const& placed) {
                                       return update_object(cx, placed, *body, *given);
                                     });
                                   });
  add_owner(*update, owned, *owner);
  add_target(*update, *r, given->object);
  body->declare(*update);
  add_if_match(*update, given->etag);
}

void add_owned_delete(CLI::App& app, context& cx, owned_resource const& owned) {
  struct arguments {
    std::string owner;
    std::vector<std::string> which;
    bool sure = false;
  };
  auto const given = std::make_shared<arguments>();
  auto const r = owned.address("");
  auto* const remove = add_command(app, cx, "delete", "Delete " + std::string(r.many),
                                   owned_example(owned, r, "--yes"), [&cx, &owned, given] {
                                     return with_owner(cx, owned, given->owner, [&](resource const& placed) {
                                       return delete_objects(cx, placed, given->which, given->sure);
                                     });
                                   });
  add_owner(*remove, owned, given->owner);
  auto const subject = r.name_member.empty() ? "their ids" : "their ids or " + std::string(r.name_member) + "s";
  remove->add_option(argument_name(r), given->which, subject)->required();
  remove->add_flag("-y,--yes", given->sure, "do not ask");
}

}  // namespace svc::cli
