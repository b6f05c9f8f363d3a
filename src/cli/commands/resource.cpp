#include "cli/commands/resource.hpp"

#include "cli/commands/arguments.hpp"
#include "cli/commands/page_reader.hpp"
#include "cli/console/harmless.hpp"
#include "svc/core/ascii.hpp"
#include "svc/core/uuid.hpp"

#include <CLI/CLI.hpp>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
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
    auto const text = cell_text(member_of(row, each.member), each.form, true);
    if (text == "-") continue;
    out.append(out.empty() ? "" : ", ").append(lower_case(each.title)).append(" ").append(text);
    ++cells;
  }
  return out;
}

/// Adds the objects of that name in the lists with this parameter. An object that changes its state between two lists
/// is added once.
void add_namesakes(context& cx, resource const& r, std::string const& name, page_reader::query const& parameter,
                   std::vector<namesake>& out) {
  page_reader::query query{{"limit", most_rows}, {"search", r.searchable ? name : ""}};
  query.insert(query.end(), parameter.begin(), parameter.end());
  page_reader pages(cx, std::string(r.path), query);
  while (auto const page = pages.next()) {
    auto const body = object_of(*page);
    auto const* const rows = member_of(body, "data");
    if (rows == nullptr || !rows->is_array()) break;
    for (auto const& row : rows->get_array()) {
      auto const* const found = member_of(row, r.name_member);
      auto const* const id = member_of(row, "id");
      if (found == nullptr || id == nullptr || *found != boost::json::value(name)) continue;
      auto const text = cell_text(id, cell::text, false);
      if (std::ranges::find(out, text, &namesake::id) == out.end()) out.push_back({text, row_summary(r, row)});
    }
  }
}

/// Returns the objects of that name that are in one of `lookup_states`.
std::vector<namesake> current_namesakes(context& cx, resource const& r, std::string const& name) {
  std::vector<namesake> out;
  for (auto const state : r.lookup_states)
    add_namesakes(cx, r, name, {{std::string(r.lookup_parameter), std::string(state)}}, out);
  return out;
}

std::vector<namesake> namesakes(context& cx, resource const& r, std::string const& name) {
  auto out = current_namesakes(cx, r, name);
  if (!out.empty()) return out;
  page_reader::query parameter;
  if (!r.lookup.empty()) parameter.emplace_back(r.lookup, "true");
  add_namesakes(cx, r, name, parameter, out);
  return out;
}

}  // namespace

std::string with_article(std::string_view noun) {
  bool const vowel = std::string_view("aeiou").find(noun.front()) != std::string_view::npos;
  return (vowel ? "an " : "a ") + std::string(noun);
}

std::string argument_name(resource const& r) {
  std::string out(r.text);
  for (char& c : out) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

std::string id_argument(resource const& r, std::string const& given) {
  if (uuid::parse(given)) return given;
  throw bad_usage("'" + given + "' is not the id of " + with_article(r.text) + ".",
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

void refuse_taken_name(context& cx, resource const& r, std::string const& body) {
  boost::system::error_code failed;
  auto const whole = boost::json::parse(body, failed);
  auto const* const object = failed ? nullptr : whole.if_object();
  auto const name = object == nullptr ? std::string() : text_of_member(*object, r.name_member);
  if (name.empty()) return;
  std::vector<namesake> others;
  try {
    others = r.lookup_states.empty() ? namesakes(cx, r, name) : current_namesakes(cx, r, name);
  } catch (failure const& f) {
    // The service itself refuses names that no URL can hold.
    if (f.exit() != exit_code::refused && f.exit() != exit_code::usage) throw;
    return;
  }
  if (others.empty()) return;
  auto const word = (r.owner.empty() ? std::string() : shell_word(r.owner) + " ") + shell_word(name);
  throw failure(exit_code::refused, "name_taken",
                "The " + std::string(r.text) + " '" + name + "' exists already: " + others.front().id + ".",
                "svc " + std::string(r.group) + " update " + word +
                    " changes it. --allow-duplicate creates another one; commands must then name both by their ids.");
}

void add_allow_duplicate(CLI::App& create, resource const& r, bool& allowed) {
  create.add_flag("--allow-duplicate", allowed,
                  "create it although another " + std::string(r.text) + " has the " + std::string(r.name_member));
}

std::string id_of(context& cx, resource const& r, std::string const& given) {
  if (auto const id = find_id(cx, r, given)) return *id;
  throw failure(
      exit_code::refused, "not_found", "There is no " + std::string(r.text) + " '" + given + "'.",
      "svc " + std::string(r.group) + " list " + (r.owner.empty() ? "" : shell_word(r.owner) + " ") + "shows them.");
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
  auto options = body.options();
  options.insert(options.end(), r.aliases.begin(), r.aliases.end());
  std::string answer;
  try {
    answer = answer_to(cx, request, options);
  } catch (failure const& f) {
    auto const remedy = r.remedy == nullptr ? std::string() : r.remedy(f, creates);
    throw remedy.empty() ? f : f.retold(f.what(), f.hint().empty() ? remedy : f.hint() + "\n     " + remedy);
  }
  auto const out = show_one(cx, r, answer);
  cx.console.flush();
  if (r.warnings != nullptr)
    for (auto const& each : r.warnings(object_of(answer).as_object(), creates)) cx.console.warn(each);
  return out;
}

/// Returns the body with the changes of the resource. A body that has none stays as its file has it.
std::string prepared_body(context& cx, resource const& r, std::string text, std::string const& id) {
  if (r.prepare == nullptr && r.prepare_owned == nullptr) return text;
  auto const before = boost::json::parse(text);
  auto body = before.as_object();
  if (r.prepare != nullptr) r.prepare(cx, body, id);
  if (r.prepare_owned != nullptr) r.prepare_owned(cx, r.path, body, id);
  return body == before.as_object() ? text : boost::json::serialize(body);
}

}  // namespace

exit_code create_object(context& cx, resource const& r, body_flags const& body, bool allows_duplicate) {
  auto const text = prepared_body(cx, r, body.json(cx), {});
  if (r.repeats_names && !allows_duplicate) refuse_taken_name(cx, r, text);
  return send_body(cx, r, body, true, {.method = "POST", .target = std::string(r.path), .body = text});
}

exit_code update_object(context& cx, resource const& r, body_flags const& body, update_arguments const& given) {
  request change{.method = "PATCH", .target = std::string(r.path)};
  require_version(change, given.etag);
  auto text = body.json(cx);
  auto const id = id_of(cx, r, given.object);
  change.target.append("/").append(percent_encoded(id));
  change.body = prepared_body(cx, r, std::move(text), id);
  try {
    return send_body(cx, r, body, false, change);
  } catch (failure const& f) {
    auto const owner = r.owner.empty() ? std::string() : shell_word(r.owner) + " ";
    throw explain_version(r, owner + shell_word(given.object), f);
  }
}

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
  app.add_option(argument_name(r), given, help.empty() ? usual : help)->required();
}

void add_get(CLI::App& app, context& cx, resource const& r) {
  struct arguments {
    std::string object;
    bool only_etag = false;
  };
  auto const given = std::make_shared<arguments>();
  auto* const get = add_command(app, cx, "get", "Show " + with_article(r.text), r.example, [&cx, &r, given] {
    auto const target = target_of(cx, r, given->object);
    if (given->only_etag) return print_etag(cx, target);
    return show_one(cx, r, cx.client().send({.method = "GET", .target = target}).body);
  });
  add_target(*get, r, given->object);
  if (!std::string_view(r.update_example).empty()) add_etag_flag(*get, given->only_etag);
}

void add_create(CLI::App& app, context& cx, resource const& r) {
  auto const body = std::make_shared<body_flags>(r.fields, r.name_member, true);
  auto const allows_duplicate = std::make_shared<bool>(false);
  auto* const create =
      add_command(app, cx, "create", "Create " + with_article(r.text), r.create_example,
                  [&cx, &r, body, allows_duplicate] { return create_object(cx, r, *body, *allows_duplicate); });
  body->declare(*create);
  if (r.repeats_names) add_allow_duplicate(*create, r, *allows_duplicate);
}

void add_update(CLI::App& app, context& cx, resource const& r) {
  auto const given = std::make_shared<update_arguments>();
  auto const body = std::make_shared<body_flags>(r.fields, r.name_member, false);
  auto* const update = add_command(app, cx, "update", "Change " + with_article(r.text) + "; all other settings stay",
                                   std::string(r.example).append(" ").append(r.update_example),
                                   [&cx, &r, given, body] { return update_object(cx, r, *body, *given); });
  add_target(*update, r, given->object);
  body->declare(*update);
  add_if_match(*update, given->etag);
}

}  // namespace svc::cli
