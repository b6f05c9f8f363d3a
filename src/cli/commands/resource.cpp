#include "cli/commands/resource.hpp"

#include "cli/commands/arguments.hpp"
#include "cli/commands/page_reader.hpp"
#include "svc/core/uuid.hpp"

#include <CLI/CLI.hpp>

#include <cctype>

namespace svc::cli {
namespace {

/// The most rows that a page may have, by the contract.
constexpr auto most_rows = "100";

std::vector<std::string> ids_of_name(context& cx, resource const& r, std::string const& name) {
  std::vector<std::string> out;
  page_reader pages(cx, std::string(r.path), {{"limit", most_rows}, {"search", r.searchable ? name : ""}});
  while (auto const page = pages.next()) {
    auto const body = object_of(*page);
    auto const* const rows = member_of(body, "data");
    if (rows == nullptr || !rows->is_array()) break;
    for (auto const& row : rows->get_array()) {
      auto const* const found = member_of(row, r.name_member);
      auto const* const id = member_of(row, "id");
      if (found != nullptr && id != nullptr && *found == boost::json::value(name))
        out.push_back(cell_text(id, cell::text, false));
    }
  }
  return out;
}

std::string in_capitals(std::string_view word) {
  std::string out(word);
  for (char& c : out) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

exit_code delete_all(context& cx, resource const& r, std::vector<std::string> const& which, bool sure) {
  for (auto const& given : which) {
    auto const target = target_of(cx, r, given);
    if (!sure && !confirmed(cx, "Delete " + std::string(r.one) + " " + given + "?")) continue;
    cx.client().send({.method = "DELETE", .target = target});
    cx.console.note("Deleted " + std::string(r.one) + " " + given + ".");
  }
  return exit_code::ok;
}

}  // namespace

bool confirmed(context& cx, std::string const& question) {
  bool const can_ask = cx.console.in_is_terminal() && cx.console.err_is_terminal();
  if (!can_ask || cx.console.ask_yes(question)) return true;
  cx.console.note("Kept.");
  return false;
}

std::optional<std::string> find_id(context& cx, resource const& r, std::string const& given) {
  if (r.name_member.empty() || uuid::parse(given)) return given;
  auto const ids = ids_of_name(cx, r, given);
  if (ids.empty()) return std::nullopt;
  if (ids.size() == 1) return ids.front();
  std::string hint = "Name one by its id:";
  for (auto const& id : ids) hint.append(" ").append(id);
  throw bad_usage("Several " + std::string(r.many) + " have the name '" + given + "'.", hint);
}

void warn_of_shared_name(context& cx, resource const& r, std::string const& name, std::string const& id) {
  std::vector<std::string> others;
  try {
    others = ids_of_name(cx, r, name);
  } catch (failure const& f) {
    // What was made exists all the same: only the warning is lost, for instance for names that no URL can hold.
    if (f.exit() == exit_code::interrupted) throw;
    return;
  }
  std::erase(others, id);
  if (others.empty()) return;
  cx.console.warn("Another " + std::string(r.one) + " has the " + std::string(r.name_member) + " '" + name +
                  "' already: " + others.front() + ". Commands must name both by their ids.");
}

std::string id_of(context& cx, resource const& r, std::string const& given) {
  if (auto const id = find_id(cx, r, given)) return *id;
  throw failure(exit_code::refused, "not_found", "There is no " + std::string(r.one) + " '" + given + "'.",
                "svc " + std::string(r.group) + " list shows them.");
}

std::string moment_argument(context& /*cx*/, std::string const& given) {
  return moment_of(given, system_now());
}

std::string target_of(context& cx, resource const& r, std::string const& given, std::string_view below) {
  return std::string(r.path).append("/").append(percent_encoded(id_of(cx, r, given))).append(below);
}

exit_code send_and_show(context& cx, request const& r, std::span<column const> details, std::string_view member,
                        std::span<named_option const> options) {
  show_answer(cx.console, answer_to(cx, r, options), details, member);
  return exit_code::ok;
}

void add_example(CLI::App& command, std::string_view example) {
  std::string line(example);
  for (auto const* at = &command; at != nullptr; at = at->get_parent()) line.insert(0, at->get_name() + " ");
  if (example.empty()) line.pop_back();
  command.footer("Example:\n  " + line);
}

CLI::App* add_command(CLI::App& to, context& cx, std::string const& name, std::string const& help,
                      std::string_view example, std::function<exit_code()> act) {
  auto* const out = to.add_subcommand(name, help);
  add_example(*out, example);
  out->callback([&cx, act = std::move(act)] { cx.action = act; });
  return out;
}

void add_target(CLI::App& to, resource const& r, std::string& given, std::string const& help) {
  auto const usual = r.name_member.empty() ? "its id" : "its id or " + std::string(r.name_member);
  to.add_option(in_capitals(r.one), given, help.empty() ? usual : help)->required();
}

void add_get(CLI::App& to, context& cx, resource const& r) {
  auto const given = std::make_shared<std::string>();
  auto* const get = add_command(to, cx, "get", "Show a " + std::string(r.one), r.example, [&cx, &r, given] {
    return send_and_show(cx, {.method = "GET", .target = target_of(cx, r, *given)}, r.details);
  });
  add_target(*get, r, *given);
}

void add_create(CLI::App& to, context& cx, resource const& r) {
  auto const body = std::make_shared<body_flags>(r.fields, r.name_member, true);
  auto* const create =
      add_command(to, cx, "create", "Create a " + std::string(r.one), r.create_example, [&cx, &r, body] {
        auto const text = body->json(cx);
        auto const fields = body->optional_fields();
        return send_and_show(cx, {.method = "POST", .target = std::string(r.path), .body = text}, r.details, {},
                             options_of(fields));
      });
  body->declare(*create);
}

void add_update(CLI::App& to, context& cx, resource const& r) {
  auto const given = std::make_shared<std::string>();
  auto const body = std::make_shared<body_flags>(r.fields, r.name_member, false);
  auto* const update =
      add_command(to, cx, "update", "Change a " + std::string(r.one) + "; what is not named stays",
                  std::string(r.example).append(" ").append(r.update_example), [&cx, &r, given, body] {
                    auto const text = body->json(cx);
                    auto const fields = body->optional_fields();
                    return send_and_show(cx, {.method = "PATCH", .target = target_of(cx, r, *given), .body = text},
                                         r.details, {}, options_of(fields));
                  });
  add_target(*update, r, *given);
  body->declare(*update);
}

void add_delete(CLI::App& to, context& cx, resource const& r) {
  auto const which = std::make_shared<std::vector<std::string>>();
  auto const sure = std::make_shared<bool>(false);
  auto* const remove =
      add_command(to, cx, "delete", "Delete " + std::string(r.many), std::string(r.example).append(" --yes"),
                  [&cx, &r, which, sure] { return delete_all(cx, r, *which, *sure); });
  auto const what = r.name_member.empty() ? "their ids" : "their ids or " + std::string(r.name_member) + "s";
  remove->add_option(in_capitals(r.one), *which, what)->required();
  remove->add_flag("-y,--yes", *sure, "do not ask");
}

}  // namespace svc::cli
