#include "cli/commands/arguments.hpp"
#include "cli/commands/job_page.hpp"
#include "cli/commands/resource.hpp"

#include <CLI/CLI.hpp>

namespace svc::cli {
namespace {

constexpr column job_row[] = {{"ID", "id", cell::id, 2},
                              {"Name", "name"},
                              {"Type", "jobType", cell::text, 4},
                              {"Status", "status", cell::status},
                              {"Last run", "lastRunAt", cell::time, 1},
                              {"Next run", "nextRunAt", cell::time, 3},
                              {"Tests", "testCount", cell::text, 6},
                              {"Enabled", "enabled", cell::boolean, 5}};
constexpr column job_details[] = {{"ID", "id"},
                                  {"Name", "name"},
                                  {"Description", "description"},
                                  {"Type", "jobType"},
                                  {"Enabled", "enabled", cell::boolean},
                                  {"Status", "status", cell::status},
                                  {"Tests", "tests", cell::list},
                                  {"Parameters", "parameters", cell::list},
                                  {"Schedule", "cronSchedule"},
                                  {"Time zone", "timeZone"},
                                  {"Next run", "nextRunAt", cell::time},
                                  {"Last run", "lastRun.id"},
                                  {"Last run at", "lastRunAt", cell::time},
                                  {"Last duration", "lastRun.durationMs", cell::duration},
                                  {"Run timeout", "timeoutSeconds", cell::seconds},
                                  {"Concurrent runs", "maxConcurrentRuns"},
                                  {"Alerts", "alertConfig"},
                                  {"Created", "createdAt", cell::time},
                                  {"Updated", "updatedAt", cell::time}};

boost::json::value run_timeout_member(std::vector<std::string> const& given) {
  return duration_argument(given.back(), "--run-timeout");
}

boost::json::value schedule_member(std::vector<std::string> const& given) {
  return boost::json::value(schedule_argument(given.back(), "--cron"));
}

/// `NAME` or `NAME=DEFAULT`; a name that ends in `!` must be given by each trigger.
boost::json::value parameters_member(std::vector<std::string> const& given) {
  boost::json::array out;
  for (auto const& text : given) {
    auto const equals = text.find('=');
    auto name = text.substr(0, equals);
    bool const required = name.ends_with('!');
    if (required) name.pop_back();
    if (name.empty())
      throw bad_usage("--param '" + text + "' does not name a parameter.", "Write NAME, NAME! or NAME=DEFAULT.");
    boost::json::object object{{"name", name}, {"required", required}};
    if (equals != text.npos) object["default"] = text.substr(equals + 1);
    out.push_back(std::move(object));
  }
  return out;
}

/// A row for each member, hence its length.
std::vector<body_field> job_fields() {
  return {
      {.member = "name", .flag = "--name", .type_name = "TEXT", .help = "another name", .read = text_member},
      {.member = "description",
       .flag = "--description",
       .type_name = "TEXT",
       .help = "what it is for",
       .read = text_member,
       .nullable = true},
      {.member = "jobType",
       .flag = "--type",
       .type_name = "TYPE",
       .help = "the tool that runs the tests: playwright (unless given), k6, command; it never changes",
       .read = text_member,
       .allowed = {"playwright", "k6", "command"},
       .updates = false},
      {.member = "tests",
       .flag = "--test",
       .type_name = "TEST",
       .help = "id or title; once for each test, in the order of execution",
       .read = ids_member,
       .many = true,
       .id = test_id},
      {.member = "cronSchedule",
       .flag = "--cron",
       .type_name = "FIELDS",
       .help = "five fields of cron, '0 6 * * mon-fri', or @hourly, @daily, @weekly, @monthly, @yearly",
       .read = schedule_member,
       .nullable = true},
      {.member = "timeZone",
       .flag = "--time-zone",
       .type_name = "ZONE",
       .help = "time zone of the schedule, Europe/Berlin",
       .read = text_member},
      {.member = "enabled",
       .flag = "--enable,!--disable",
       .type_name = "",
       .help = "whether it can be triggered",
       .read = boolean_member},
      {.member = "timeoutSeconds",
       .flag = "--run-timeout",
       .type_name = "DURATION",
       .help = "the time that a run may take, 30m; an hour unless given",
       .read = run_timeout_member},
      {.member = "maxConcurrentRuns",
       .flag = "--max-concurrent",
       .type_name = "N",
       .help = "runs that may execute at once",
       .read = integer_member,
       .nullable = true},
      {.member = "parameters",
       .flag = "--param",
       .type_name = "NAME[!][=DEFAULT]",
       .help = "a parameter of triggers, with ! a required one; repeatable; tests read it as $SERVICE_PARAM_NAME",
       .read = parameters_member,
       .many = true},
      {.member = "alertConfig",
       .flag = "--alerts",
       .type_name = "FILE",
       .help = "JSON: when and where to alert, providers by id or name; - is stdin",
       .read = json_member,
       .nullable = true,
       .from_file = true,
       .resolve = resolve_alert_providers},
  };
}

std::vector<list_filter> job_filters() {
  return {{.flag = "--status",
           .parameter = "status",
           .type_name = "STATUS",
           .help = "of the last run",
           .allowed = {"pending", "queued", "running", "passed", "failed", "error", "cancelled", "timed_out"}},
          {.flag = "--search", .parameter = "search", .type_name = "TEXT", .help = "part of the name"},
          {.flag = "--sort",
           .parameter = "sort",
           .type_name = "ORDER",
           .help = "a minus means descending",
           .allowed = {"-createdAt", "createdAt", "name", "-name"}}};
}

/// The file of `--file` may name providers, too.
void prepare_job(context& cx, boost::json::object& body, std::string const& /*id*/) {
  if (auto* const alerts = body.if_contains("alertConfig")) resolve_alert_providers(cx, *alerts);
}

}  // namespace

resource const& job_resource() {
  static resource const out{.group = "job",
                            .text = "job",
                            .many = "jobs",
                            .path = "/api/jobs",
                            .name_member = "name",
                            .example = "nightly",
                            .list_example = "--status failed --all",
                            .create_example = "nightly --type command --test smoke --cron '0 3 * * *'",
                            .update_example = "--disable",
                            .searchable = true,
                            .repeats_names = true,
                            .row = job_row,
                            .details = job_details,
                            .complete = complete_job,
                            .prepare = prepare_job,
                            .warnings = job_warnings,
                            .remedy = job_remedy,
                            .filters = job_filters(),
                            .fields = job_fields()};
  return out;
}

std::string job_id(context& cx, std::string const& id_or_name) {
  return id_of(cx, job_resource(), id_or_name);
}

void add_job_commands(CLI::App& root, context& cx) {
  auto* const job = root.add_subcommand("job", "Jobs: ordered tests with a schedule and limits");
  job->require_subcommand(1);
  add_list(*job, cx, job_resource());
  add_get(*job, cx, job_resource());
  add_create(*job, cx, job_resource());
  add_update(*job, cx, job_resource());
  add_delete(*job, cx, job_resource());
  add_trigger_command(*job, cx);
  add_trigger_key_commands(*job, cx);
}

}  // namespace svc::cli
