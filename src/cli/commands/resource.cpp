#include "cli/commands/resource.hpp"

#include "cli/commands/arguments.hpp"
#include "cli/commands/page_reader.hpp"
#include "svc/core/ascii.hpp"
#include "svc/core/uuid.hpp"

#include <CLI/CLI.hpp>

#include <cctype>

namespace svc::cli {
namespace {

/// The most rows that a page may have, by the contract.
constexpr auto most_rows = "100";

/// One of several objects with the same name.
struct namesake {
  std::string id;
  std::string about;  ///< cells of its row that distinguish it
};

/// Returns the first cells of a row, without its id and name.
std::string row_summary(resource const& r, boost::json::value const& row) {
  constexpr int most_cells = 3;
  std::string out;
  int cells = 0;
  for (auto const& each : r.row) {
    if (each.member == "id" || each.member == r.name_member || cells == most_cells) continue;
    auto const text = cell_text(member_of(row, each.member), each.settings, true);
    if (text == "-") continue;
    out.append(out.empty() ? "" : ", ").append(lower_case(each.title)).append(" ").append(text);
    ++cells;
  }
  return out;
}

std::vector<namesake> namesakes(context& cx, resource const& r, std::string const& name) {
  std::vector<namesake> out;
  page_reader pages(cx, std::string(r.path), {{"limit", most_rows}, {"search", r.searchable ? name : ""}});
  while (auto const page = pages.next()) {
    auto const body = object_of(*page);
    auto const* const rows = member_of(body, "data");
    if (rows == nullptr || !rows->is_array()) break;
    for (auto const& row : rows->get_array()) {
      auto const* const found = member_of(row, r.name_member);
      auto const* const id = member_of(row, "id");
      if (found != nullptr && id != nullptr && *found == boost::json::value(name))
        out.push_back({cell_text(id, cell::text, false), row_summary(r, row)});
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
    if (!sure && !confirmed(cx, "Delete " + std::string(r.text) + " " + given + "?")) continue;
    cx.client().send({.method = "DELETE", .target = target});
    cx.console.note("Deleted " + std::string(r.text) + " " + given + ".");
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

std::string id_argument(resource const& r, std::string const& given) {
  if (uuid::parse(given)) return given;
  throw bad_usage("'" + given + "' is not the id of " +
                      (in_capitals(r.text.substr(0, 1)).find_first_of("AEIOU") == 0 ? "an " : "a ") +
                      std::string(r.text) + ".",
                  "svc " + std::string(r.group) + " list shows ids.");
}

std::optional<std::string> find_id(context& cx, resource const& r, std::string const& given) {
  if (r.name_member.empty()) return id_argument(r, given);
  if (uuid::parse(given)) return given;
  auto const found = namesakes(cx, r, given);
  if (found.empty()) return std::nullopt;
  if (found.size() == 1) return found.front().id;
  std::string hint = "Name one by its id:";
  for (auto const& each : found) hint.append("\n       ").append(each.id).append("  ").append(each.about);
  throw bad_usage("Several " + std::string(r.many) + " have the name '" + given + "'.", hint);
}

void warn_of_shared_name(context& cx, resource const& r, std::string const& name, std::string const& id) {
  std::vector<namesake> others;
  try {
    others = namesakes(cx, r, name);
  } catch (failure const& f) {
    // The created object exists anyway. Only the warning is lost, for instance for names that no URL can hold.
    if (f.exit() == exit_code::interrupted) throw;
    return;
  }
  std::erase_if(others, [&](namesake const& each) { return each.id == id; });
  if (others.empty()) return;
  cx.console.warn("Another " + std::string(r.text) + " has the " + std::string(r.name_member) + " '" + name +
                  "' already: " + others.front().id + ". Commands must name both by their ids.");
}

std::string id_of(context& cx, resource const& r, std::string const& given) {
  if (auto const id = find_id(cx, r, given)) return *id;
  throw failure(exit_code::refused, "not_found", "There is no " + std::string(r.text) + " '" + given + "'.",
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

exit_code show_one(context& cx, resource const& r, std::string const& answer) {
  if (cx.console.how() != format::text || (r.adapt == nullptr && r.complete == nullptr)) {
    show_answer(cx.console, answer, r.details);
    return exit_code::ok;
  }
  auto object = object_of(answer).as_object();
  if (r.adapt != nullptr) r.adapt(object);
  if (r.complete != nullptr) r.complete(cx, object);
  show_object(cx.console, object, r.details);
  return exit_code::ok;
}

namespace {

/// Sends a creation or a change. The message of a refusal names the options that gave the wrong members.
exit_code send_body(context& cx, resource const& r, body_flags const& body, bool creates, request const& request) {
  auto const fields = body.optional_fields();
  std::string answer;
  try {
    answer = answer_to(cx, request, options_of(fields));
  } catch (failure const& f) {
    auto const remedy = r.remedy == nullptr ? std::string() : r.remedy(f, creates);
    throw remedy.empty() ? f : f.retold(f.what(), f.hint().empty() ? remedy : f.hint() + "\n     " + remedy);
  }
  return show_one(cx, r, answer);
}

}  // namespace

void add_example(CLI::App& command, std::string_view example) {
  std::string line(example);
  for (auto const* app = &command; app != nullptr; app = app->get_parent()) line.insert(0, app->get_name() + " ");
  if (example.empty()) line.pop_back();
  command.footer("Example:\n  " + line);
}

CLI::App* add_command(CLI::App& app, context& cx, std::string const& name, std::string const& help,
                      std::string_view example, std::function<exit_code()> act) {
  auto* const out = app.add_subcommand(name, help);
  add_example(*out, example);
  out->callback([&cx, act = std::move(act)] { cx.action = act; });
  return out;
}

void add_target(CLI::App& app, resource const& r, std::string& given, std::string const& help) {
  auto const usual = r.name_member.empty() ? "its id" : "its id or " + std::string(r.name_member);
  app.add_option(in_capitals(r.text), given, help.empty() ? usual : help)->required();
}

void add_get(CLI::App& app, context& cx, resource const& r) {
  auto const given = std::make_shared<std::string>();
  auto* const get = add_command(app, cx, "get", "Show a " + std::string(r.text), r.example, [&cx, &r, given] {
    return show_one(cx, r, cx.client().send({.method = "GET", .target = target_of(cx, r, *given)}).body);
  });
  add_target(*get, r, *given);
}

void add_create(CLI::App& app, context& cx, resource const& r) {
  auto const body = std::make_shared<body_flags>(r.fields, r.name_member, true);
  auto* const create =
      add_command(app, cx, "create", "Create a " + std::string(r.text), r.create_example, [&cx, &r, body] {
        return send_body(cx, r, *body, true,
                         {.method = "POST", .target = std::string(r.path), .body = body->json(cx)});
      });
  body->declare(*create);
}

void add_update(CLI::App& app, context& cx, resource const& r) {
  auto const given = std::make_shared<std::string>();
  auto const body = std::make_shared<body_flags>(r.fields, r.name_member, false);
  auto* const update = add_command(
      app, cx, "update", "Change a " + std::string(r.text) + "; what is not named stays",
      std::string(r.example).append(" ").append(r.update_example), [&cx, &r, given, body] {
        auto const text = body->json(cx);
        return send_body(cx, r, *body, false, {.method = "PATCH", .target = target_of(cx, r, *given), .body = text});
      });
  add_target(*update, r, *given);
  body->declare(*update);
}

void add_delete(CLI::App& app, context& cx, resource const& r) {
  auto const which = std::make_shared<std::vector<std::string>>();
  auto const sure = std::make_shared<bool>(false);
  auto* const remove =
      add_command(app, cx, "delete", "Delete " + std::string(r.many), std::string(r.example).append(" --yes"),
                  [&cx, &r, which, sure] { return delete_all(cx, r, *which, *sure); });
  auto const subject = r.name_member.empty() ? "their ids" : "their ids or " + std::string(r.name_member) + "s";
  remove->add_option(in_capitals(r.text), *which, subject)->required();
  remove->add_flag("-y,--yes", *sure, "do not ask");
}

}  // namespace svc::cli
