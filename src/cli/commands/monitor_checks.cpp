// This file has the commands for requested checks, of saved and unsaved monitors, and for new keys of heartbeats.
#include "cli/commands/arguments.hpp"
#include "cli/commands/resource.hpp"
#include "cli/console/harmless.hpp"

#include <CLI/CLI.hpp>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>

namespace svc::cli {
namespace {

/// The longest time in seconds that the service waits for a result, by the contract.
constexpr int longest_wait = 55;

constexpr column check_details[] = {{"When", "checkedAt", cell::time},
                                    {"Status", "status", cell::status},
                                    {"Degraded", "degraded", cell::boolean},
                                    {"Took", "responseTimeMs", cell::duration},
                                    {"Attempts", "attempts"},
                                    {"Code", "details.statusCode"},
                                    {"Address", "details.ipAddress"},
                                    {"Error", "details.error.code"},
                                    {"Why", "details.error.message"}};
constexpr column key_change_details[] = {{"ID", "id"}, {"Name", "name"}, {"Report at", "heartbeat.url"}};

bool is_up(boost::json::value const& result) {
  auto const* const up = member_of(result, "isUp");
  return up != nullptr && up->is_bool() && up->get_bool();
}

struct check_arguments {
  std::string monitor;
  int wait = longest_wait;
  bool returns = false;  ///< without waiting
};

exit_code check_monitor(context& cx, check_arguments const& given) {
  auto target = target_of(cx, monitor_resource(), given.monitor, "/check");
  if (!given.returns) target += "?wait=" + std::to_string(given.wait);
  auto const answer = cx.client().send({.method = "POST", .target = target}).body;
  auto const came = object_of(answer);
  auto const* const results = member_of(came, "results");
  if (results == nullptr || !results->is_array()) object_of({});
  bool const ended = !results->get_array().empty();
  if (ended || cx.console.how() == format::json)
    show_answer(cx.console, answer, check_details, ended ? "results.0" : "", "checkedAt");
  if (ended) return std::ranges::all_of(results->get_array(), is_up) ? exit_code::ok : exit_code::refused;
  cx.console.note("The check was requested; svc monitor results " + shell_word(given.monitor) + " shows its result.");
  return given.returns ? exit_code::ok : exit_code::deadline;
}

void add_monitor_check(CLI::App& monitor, context& cx) {
  auto const given = std::make_shared<check_arguments>();
  auto* const check = add_command(monitor, cx, "check", "Check a monitor now; exit 1 if it is not up",
                                  monitor_resource().example, [&cx, given] { return check_monitor(cx, *given); });
  add_target(*check, monitor_resource(), given->monitor);
  auto* const wait =
      check->add_option("--wait", given->wait, "seconds to wait for the result, 55 unless given; then exit 5")
          ->type_name("S")
          ->check(CLI::Range(1, longest_wait));
  check->add_flag("--no-wait", given->returns, "only ask for the check")->excludes(wait);
}

/// Returns the members of a monitor that describe the check.
std::vector<body_field> const& tried_fields() {
  static std::vector<body_field> const out = [] {
    std::vector<body_field> some;
    for (auto const& field : monitor_resource().fields)
      if (field.member == "type" || field.member == "target" || field.member.starts_with("config"))
        some.push_back(field);
    return some;
  }();
  return out;
}

/// Returns the body that would create the monitor. The contract requires a name, which has no meaning here.
std::string tried_body(std::string const& given) {
  auto body = boost::json::parse(given);
  body.as_object().emplace("name", "svc monitor test");
  return boost::json::serialize(body);
}

void add_monitor_test(CLI::App& monitor, context& cx) {
  auto const body = std::make_shared<body_flags>(tried_fields(), std::string_view(), true);
  auto* const test =
      add_command(monitor, cx, "test", "Check a target once without saving a monitor; exit 1 if it is not up",
                  "--type website --target https://shop.example.org/", [&cx, body] {
                    request const r{.method = "POST",
                                    .target = std::string(monitor_resource().path) + "/test",
                                    .body = tried_body(body->json(cx))};
                    auto const answer = answer_to(cx, r, body->options());
                    show_answer(cx.console, answer, check_details, {}, "checkedAt");
                    return is_up(object_of(answer)) ? exit_code::ok : exit_code::refused;
                  });
  body->declare(*test);
}

void add_key_rotation(CLI::App& monitor, context& cx) {
  struct arguments {
    std::string monitor, grace;
  };
  auto const given = std::make_shared<arguments>();
  auto* const rotate = add_command(
      monitor, cx, "rotate-key", "Give a heartbeat a new address, which is secret", "backup --grace 1h",
      [&cx, given] {
        request r{.method = "POST", .target = target_of(cx, monitor_resource(), given->monitor, "/rotate-key")};
        if (!given->grace.empty())
          r.body = boost::json::serialize(
              boost::json::object{{"graceSeconds", duration_argument(given->grace, "--grace")}});
        return send_and_show(cx, r, key_change_details);
      });
  add_target(*rotate, monitor_resource(), given->monitor);
  rotate->add_option("--grace", given->grace, "for how long the old address works: 24h unless given, at most 7d")
      ->type_name("DURATION");
}

}  // namespace

void add_monitor_check_commands(CLI::App& app, context& cx) {
  add_monitor_check(app, cx);
  add_monitor_test(app, cx);
  add_key_rotation(app, cx);
}

}  // namespace svc::cli
