#include "cli/commands/arguments.hpp"
#include "cli/commands/context.hpp"
#include "cli/commands/resource.hpp"
#include "cli/commands/run_watcher.hpp"
#include "cli/commands/trigger_request.hpp"
#include "cli/console/show.hpp"
#include "svc/core/uuid.hpp"

#include <CLI/CLI.hpp>

#include <memory>
#include <optional>

namespace svc::cli {
namespace {

struct trigger_options {
  std::string job, params_file, dedup_key;
  std::optional<std::string> idempotency_key{};
  std::vector<std::string> params;
  waiting_options waiting{};
};

constexpr named_option trigger_member_options[] = {{.member = "parameters", .flag = "--param", .is_map = true},
                                                   {.member = "dedupKey", .flag = "--dedup-key"}};
constexpr column triggered_columns[] = {{"Run", "runId"},
                                        {"Job", "jobName"},
                                        {"Status", "status", cell::status},
                                        {"Tests", "testCount"},
                                        {"Triggered by", "triggeredBy"}};

/// Reads the job before the trigger, because a caller that may not see the run would trigger it and then fail. Every
/// role that may see jobs may see runs (docs/api.md), so a readable job proves both.
boost::json::value job_that_can_be_waited_for(context& cx, std::string const& id) {
  if (!cx.config().token && cx.config().trigger_key)
    throw bad_usage("Waiting for a run needs a CLI token, because a trigger key sees no runs; nothing was triggered.",
                    "Set SERVICE_TOKEN or run svc login, or leave out --wait and --follow.");
  try {
    return object_of(cx.client().send({.method = "GET", .target = "/api/jobs/" + percent_encoded(id)}).body);
  } catch (failure const& f) {
    auto const sentence = "Nothing was triggered, because its run could not be waited for: " + std::string(f.what());
    if (f.code() != "not_found") throw f.retold(sentence, f.hint());
    throw bad_usage(sentence, "The CLI token sees only the jobs of its own project: svc job list");
  }
}

/// Returns the id of the run in a trigger's answer.
std::string triggered_run(boost::json::value const& notified) {
  auto const* const run = member_of(notified, "data.runId");
  if (run != nullptr && run->is_string()) return std::string(run->get_string());
  throw failure(exit_code::unreachable, "not_the_service", "The answer to the trigger names no run.",
                "Check SERVICE_URL, and whether a proxy is in between.");
}

/// Returns the failure of a trigger without an answer.
failure lost_trigger(failure const& failure, std::string const& key) {
  auto const* const status = failure.more().if_contains("status");
  bool const unknown = failure.more().contains("mayBeDone") || failure.exit() == exit_code::interrupted ||
                       (status != nullptr && status->to_number<int>() >= 500);
  if (!unknown) return failure;
  return failure
      .retold(std::string(failure.what()) + " The run may exist nevertheless.",
              "Repeat it with --idempotency-key " + key + ", which makes no second run within 24 hours.")
      .with("idempotencyKey", boost::json::value(key));
}

answer send_trigger(context& cx, std::string const& job, trigger_options const& given,
                    job_parameters const& parameters) {
  auto const key = given.idempotency_key ? *given.idempotency_key : uuid::generate_v7().to_string();
  try {
    return cx.client().send({.method = "POST",
                             .target = "/api/jobs/" + percent_encoded(job) + "/trigger",
                             .fields = {{"Idempotency-Key", key}},
                             .body = trigger_body(parameters, given.dedup_key),
                             .context = credential::trigger_key});
  } catch (failure const& f) {
    throw with_option_names(lost_trigger(f, key), trigger_body(parameters, given.dedup_key), trigger_member_options);
  }
}

/// Returns the id of the job. The CLI token looks up names; a trigger key knows only its job's id.
std::string triggered_job(context& cx, std::string const& given) {
  if (!uuid::parse(given) && !cx.config().token && cx.config().trigger_key)
    throw bad_usage("A trigger key cannot look up the name of a job.",
                    "Give the job's id, or set SERVICE_TOKEN too.");
  return job_id(cx, given);
}

exit_code trigger_job(context& cx, trigger_options const& given) {
  check_waiting(given.waiting);
  if (given.idempotency_key) check_idempotency_key(*given.idempotency_key);
  auto const parameters = parameters_of(
      given.params, given.params_file.empty() ? std::string() : text_of_file(given.params_file, "--params-file"));
  auto const job = triggered_job(cx, given.job);
  if (given.waiting.waits()) check_parameters(parameters, job_that_can_be_waited_for(cx, job));
  auto const made = send_trigger(cx, job, given, parameters);
  auto const notified = object_of(made.body);
  if (made.field("idempotent-replayed") != nullptr)
    cx.console.note("This Idempotency-Key belongs to a run that was triggered before; no new run was made.");
  if (member_of(notified, "deduplicated") != nullptr)
    cx.console.note("A queued run with the same key and parameters was joined; no new run was made.");
  if (given.waiting.waits()) return watch_run(cx, triggered_run(notified), given.waiting.view);
  show_answer(cx.console, made.body, triggered_columns, "data", "runId");
  return exit_code::ok;
}

}  // namespace

void add_trigger_command(CLI::App& job, context& cx) {
  auto const given = std::make_shared<trigger_options>();
  auto* const command = job.add_subcommand("trigger", "Trigger a job, and wait for its run");
  command->add_option("JOB", given->job, "id or exact name")->required();
  command->add_option("--param", given->params, "a parameter's value")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command->add_option("--params-file", given->params_file, "parameters in a JSON object, - for stdin")
      ->type_name("FILE");
  command->add_option("--dedup-key", given->dedup_key, "join a queued run of this key and these parameters")
      ->type_name("KEY");
  command->add_option("--idempotency-key", given->idempotency_key, "make one run for this key within 24 hours")
      ->type_name("KEY");
  declare_waiting(*command, given->waiting);
  command->footer(
      "Waits as long as the run takes unless --timeout is given; exit 5 then, and the run goes on.\n"
      "SERVICE_TRIGGER_KEY triggers if it is set, else the CLI token; waiting needs the CLI token.\n"
      "Examples:\n"
      "  svc job trigger nightly --param BRANCH=main\n"
      "  svc job trigger nightly --follow --timeout 1800 | jq -r .status\n"
      "  svc job trigger nightly --follow --junit report.xml");
  command->callback([&cx, given] { cx.action = [&cx, given] { return trigger_job(cx, *given); }; });
}

}  // namespace svc::cli
