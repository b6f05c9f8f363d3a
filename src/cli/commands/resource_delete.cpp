// Deletion of objects, after a question if there is a terminal.
#include "cli/commands/resource.hpp"

#include <CLI/CLI.hpp>

namespace svc::cli {
namespace {

/// An object that will be deleted.
struct doomed_object {
  std::string name;  ///< with its kind
  std::string target;
  std::string loss;  ///< see `resource::dependents`
};

/// Throws `failure` if there is nobody to ask about a loss.
doomed_object doomed_named(context& cx, resource const& r, std::string const& given, bool sure) {
  auto const id = id_of(cx, r, given);
  doomed_object out{.name = std::string(r.text) + " " + given,
                    .target = std::string(r.path) + "/" + percent_encoded(id),
                    .loss = r.dependents == nullptr ? std::string() : r.dependents(cx, id)};
  if (!out.loss.empty() && !sure && !cx.console.can_ask())
    throw bad_usage("The " + out.name + " is " + out.loss + "; nothing was deleted.",
                    "--yes deletes it all the same.");
  return out;
}

}  // namespace

exit_code delete_objects(context& cx, resource const& r, std::vector<std::string> const& which, bool sure) {
  // All names are looked up first, so that a wrong one deletes nothing.
  std::vector<doomed_object> doomed;
  for (auto const& given : which) doomed.push_back(doomed_named(cx, r, given, sure));
  for (auto const& each : doomed) {
    auto const loss = each.loss.empty() ? std::string() : " It is " + each.loss + ".";
    if (!sure && !confirmed(cx, "Delete " + each.name + "?" + loss)) continue;
    cx.client().send({.method = "DELETE", .target = each.target});
    cx.console.note("Deleted " + each.name + "." + (each.loss.empty() ? "" : " It was " + each.loss + "."));
  }
  return exit_code::ok;
}

bool confirmed(context& cx, std::string const& question) {
  if (!cx.console.can_ask() || cx.console.ask_yes(question)) return true;
  cx.console.note("Kept.");
  return false;
}

void add_delete(CLI::App& app, context& cx, resource const& r) {
  auto const which = std::make_shared<std::vector<std::string>>();
  auto const sure = std::make_shared<bool>(false);
  auto* const remove =
      add_command(app, cx, "delete", "Delete " + std::string(r.many), std::string(r.example).append(" --yes"),
                  [&cx, &r, which, sure] { return delete_objects(cx, r, *which, *sure); });
  auto const subject = r.name_member.empty() ? "their ids" : "their ids or " + std::string(r.name_member) + "s";
  remove->add_option(argument_name(r), *which, subject)->required();
  remove->add_flag("-y,--yes", *sure, "do not ask");
}

}  // namespace svc::cli
