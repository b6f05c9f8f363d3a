#include "cli/commands/report_files.hpp"
#include "cli/commands/resource.hpp"
#include "cli/commands/run_watcher.hpp"
#include "cli/console/show.hpp"

#include <CLI/CLI.hpp>

namespace svc::cli {
namespace {

constexpr column run_row[] = {{"ID", "id", cell::id},
                              {"Job", "jobName"},
                              {"Status", "status", cell::status},
                              {"Queued", "queuedAt", cell::time, 1},
                              {"Duration", "durationMs", cell::duration, 2},
                              {"Trigger", "trigger", cell::text, 4},
                              {"By", "triggeredBy", cell::text, 3}};
constexpr column run_details[] = {{"ID", "id"},
                                  {"Job", "jobName"},
                                  {"Job's id", "jobId"},
                                  {"Single test", "testId"},
                                  {"Type", "jobType"},
                                  {"Status", "status", cell::status},
                                  {"Error", "errorDetails"},
                                  {"Tests", "tests", cell::results},
                                  {"Trigger", "trigger"},
                                  {"By", "triggeredBy"},
                                  {"Parameters", "parameters"},
                                  {"Attempt", "attempt"},
                                  {"Queued", "queuedAt", cell::time},
                                  {"Started", "startedAt", cell::time},
                                  {"Completed", "completedAt", cell::time},
                                  {"Duration", "durationMs", cell::duration},
                                  {"Report", "reportUrl"}};
constexpr column status_details[] = {{"ID", "id"},
                                     {"Status", "status", cell::status},
                                     {"Error", "errorDetails"},
                                     {"Started", "startedAt", cell::time},
                                     {"Completed", "completedAt", cell::time},
                                     {"Duration", "durationMs", cell::duration}};

std::vector<list_filter> run_filters() {
  return {{.flag = "--job",
           .parameter = "jobId",
           .type_name = "JOB",
           .help = "of this job, by id or name",
           .prepared = job_id},
          {.flag = "--status",
           .parameter = "status",
           .type_name = "STATUS",
           .help = "with this status",
           .allowed = {"queued", "running", "passed", "failed", "error", "cancelled", "timed_out"}},
          {.flag = "--trigger",
           .parameter = "trigger",
           .type_name = "HOW",
           .help = "started this way",
           .allowed = {"remote", "manual", "schedule"}},
          {.flag = "--from",
           .parameter = "from",
           .type_name = "TIME",
           .help = "queued at this moment or later: -2h (ago), 2026-11-20, yesterday, or RFC 3339",
           .prepared = moment_argument},
          {.flag = "--to",
           .parameter = "to",
           .type_name = "TIME",
           .help = "queued before this moment",
           .prepared = moment_argument}};
}

void add_run_status(CLI::App& run, context& cx) {
  auto const id = std::make_shared<std::string>();
  auto* const status = add_command(run, cx, "status", "Show a run's status: the small form, for polling",
                                   run_resource().example, [&cx, id] {
                                     auto const target = target_of(cx, run_resource(), *id, "/status");
                                     return send_and_show(cx, {.method = "GET", .target = target}, status_details);
                                   });
  add_target(*status, run_resource(), *id);
}

/// A queued run is cancelled at once; a running one ends when its runner has learned of it.
exit_code cancel_run(context& cx, std::string const& id) {
  auto const target = target_of(cx, run_resource(), id, "/cancel");
  auto const answer = cx.client().send({.method = "POST", .target = target}).body;
  show_answer(cx.console, answer, run_details, "", "id");
  if (is_last_status(text_of_member(object_of(answer).as_object(), "status"))) return exit_code::ok;
  cx.console.flush();
  cx.console.note("The runner was asked to end the run; svc run watch " + id + " shows its end.");
  return exit_code::ok;
}

void add_run_cancel(CLI::App& run, context& cx) {
  auto const id = std::make_shared<std::string>();
  auto* const cancel = add_command(run, cx, "cancel", "Cancel a run", run_resource().example,
                                   [&cx, id] { return cancel_run(cx, *id); });
  add_target(*cancel, run_resource(), *id);
}

void add_run_rerun(CLI::App& run, context& cx) {
  struct arguments {
    std::string id;
    waiting_options waiting{};
  };
  auto const given = std::make_shared<arguments>();
  auto const example = std::string(run_resource().example) + " --follow";
  auto* const rerun = add_command(run, cx, "rerun", "Repeat a run with the same parameters", example, [&cx, given] {
    check_waiting(given->waiting);
    return start_run(cx, target_of(cx, run_resource(), given->id, "/rerun"), given->waiting);
  });
  add_target(*rerun, run_resource(), given->id);
  declare_waiting(*rerun, given->waiting);
}

/// Shows a run on its page. The service learns the results of several tests at the end of the run, so until then it
/// is not known which of them is queued.
void show_run(context& cx, std::string const& answer) {
  if (cx.console.how() != format::text) return show_answer(cx.console, answer, run_details, "", "id");
  auto run = object_of(answer).as_object();
  auto* const tests = run.if_contains("tests");
  if (text_of_member(run, "status") == "running" && tests != nullptr && tests->is_array())
    for (auto& each : tests->get_array())
      if (each.is_object() && text_of_member(each.get_object(), "status") == "queued")
        each.get_object()["status"] = "unknown";
  show_object(cx.console, run, run_details);
}

/// Reports are written of a run in any state; a test that has not ended is skipped in them.
exit_code get_run(context& cx, std::string const& id, report_files const& reports) {
  check_report_files(reports);
  auto const answer = cx.client().send({.method = "GET", .target = target_of(cx, run_resource(), id)}).body;
  if (reports.any()) {
    auto const run = object_of(answer).as_object();
    auto result = run_result::of(run, nullptr);
    auto const outputs = last_output_of(cx, result.id, result.tests.size());
    result = run_result::of(run, &outputs);
    auto const unknown = is_last_status(result.status) ? std::string() : "The run is " + result.status + " now.";
    write_report_files(cx.console, reports, result, run, unknown);
  }
  if (reports.junit != "-") show_run(cx, answer);
  return exit_code::ok;
}

void add_run_get(CLI::App& run, context& cx) {
  struct arguments {
    std::string id;
    report_files reports{};
  };
  auto const given = std::make_shared<arguments>();
  auto* const command = add_command(run, cx, "get", "Show a run with its tests", run_resource().example,
                                    [&cx, given] { return get_run(cx, given->id, given->reports); });
  add_target(*command, run_resource(), given->id);
  declare_report_files(*command, given->reports);
}

}  // namespace

resource const& run_resource() {
  static resource const out{.group = "run",
                            .text = "run",
                            .many = "runs",
                            .path = "/api/runs",
                            .name_member = "",
                            .example = "01934f2e-6666-7d3e-9b1f-5a2c8e4d6f70",
                            .list_example = "--job nightly --status failed --from -2d",
                            .row = run_row,
                            .details = run_details,
                            .filters = run_filters()};
  return out;
}

void add_run_commands(CLI::App& root, context& cx) {
  auto* const run = root.add_subcommand("run", "Runs: executions of jobs");
  run->require_subcommand(1);
  add_list(*run, cx, run_resource());
  add_run_get(*run, cx);
  add_run_status(*run, cx);
  add_run_cancel(*run, cx);
  add_run_rerun(*run, cx);
  add_run_watching(*run, cx);
  add_run_output(*run, cx);
  add_delete(*run, cx, run_resource());
}

}  // namespace svc::cli
