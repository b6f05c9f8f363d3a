// The tests of a run, one after the other.

#include "svc-runner/run_execution.hpp"
#include "svc/core/joined.hpp"
#include "svc/core/log.hpp"

#include <boost/asio/co_spawn.hpp>

#include <algorithm>
#include <exception>

namespace svc::runner {
namespace {

/// The outcome of a test that was not started.
outcome unstarted(stop_reason reason) {
  return reason == stop_reason::cancelled ? outcome::cancelled : outcome::skipped;
}

outcome overall(stop_reason reason, std::vector<test_result> const& tests) {
  if (reason == stop_reason::cancelled) return outcome::cancelled;
  if (reason == stop_reason::timed_out) return outcome::timed_out;
  auto const any = [&](outcome o) {
    return std::any_of(tests.begin(), tests.end(), [o](test_result const& t) { return t.status == o; });
  };
  if (any(outcome::error)) return outcome::error;
  return any(outcome::failed) ? outcome::failed : outcome::passed;
}

/// Treats the text like output: secrets masked, split into clean lines.
std::string shown(std::string const& said, secret_patterns_ptr const& secrets) {
  line_splitter lines(secrets);
  auto all = lines.feed(said);
  for (auto& each : lines.finish()) all.push_back(std::move(each));
  return joined(all, "\n");
}

std::string how_ended(supervision_report const& report, milliseconds grace) {
  if (!report.outlasted) return "all its processes were ended";
  return "it was killed because it did not end within " + std::to_string(grace.count()) + " ms of SIGTERM";
}

}  // namespace

/// Throws when there are more than can be masked: no script starts whose secrets could become visible.
task<> run_execution::learn_secrets() {
  auto secrets = secrets_of(claim_);
  std::size_t size = 0;
  for (auto const& each : secrets) size += each.reveal().size();
  auto const most = context_.settings.limits.secret_kb;
  if (size > static_cast<std::size_t>(most) * 1024)
    throw std::runtime_error("the secret variables are " + std::to_string(size / 1024) +
                             " KiB together; this runner masks " + std::to_string(most) +
                             " KiB at most (limits.secret_kb), so nothing was started");
  secrets_ = co_await build_patterns(context_.io, context_.builders, std::move(secrets));
}

task<bool> run_execution::bring_scripts() {
  switch (co_await context_.scripts.bring(claim_, enough())) {
    case claim_verdict::done:
      co_return true;
    case claim_verdict::lost:
      stop(stop_reason::lost);
      break;
    case claim_verdict::refused:
      stop(stop_reason::handed_back);
      break;
    case claim_verdict::given_up:
      break;
  }
  co_return false;
}

task<completion> run_execution::run_tests() {
  completion out;
  auto const type = find_job_type(claim_.type);
  try {
    if (!type) throw std::runtime_error("this runner does not know the job type " + claim_.type);
    if (!co_await bring_scripts()) co_return completion{.status = outcome::error};
    if (claim_.tests.empty()) throw std::runtime_error("the run has no tests");
    co_await learn_secrets();
    auto const name = "run-" + claim_.run_id + "-" + std::to_string(claim_.attempt) + "-" + std::to_string(slot_);
    scratch const directory(context_.settings.work_dir, name,
                            {context_.isolation.uid_of(slot_), context_.isolation.disk_mb});
    prepare_run(*type, context_.settings, directory, claim_.tests);
    co_await run_each(directory, *type, out);
    out.status = overall(stop_, out.tests);
  } catch (token_refused const&) {
    throw;
  } catch (std::exception const& e) {
    log::error("a run could not be carried out", {{"run", claim_.run_id}, {"reason", e.what()}});
    out.status = stop_ == stop_reason::cancelled ? outcome::cancelled : outcome::error;
    out.details = e.what();
  }
  if (stop_ == stop_reason::timed_out) out.details = "the run's time was over";
  co_return out;
}

task<> run_execution::run_each(scratch const& directory, job_type type, completion& into) {
  auto const count = claim_.tests.size();
  for (std::size_t number = 1; number <= count; ++number) {
    auto const& test = claim_.tests[number - 1];
    if (stop_ != stop_reason::none) {
      into.tests.push_back({.id = test.id, .status = unstarted(stop_)});
      continue;
    }
    // Viewers distinguish tests by these lines, and have each result as soon as it is known.
    auto const which = "[svc-runner: test " + std::to_string(number) + " of " + std::to_string(count);
    if (count > 1) output_.say(which + ": " + clean_text(test.title) + "]");
    auto result = co_await run_test(directory, type, number);
    if (count > 1)
      output_.say(which + " " + std::string(to_string(result.status)) + " after " +
                  std::to_string(result.duration_ms.value_or(0)) + " ms]");
    into.tests.push_back(std::move(result));
  }
}

task<test_result> run_execution::run_test(scratch const& directory, job_type type, std::size_t number) {
  auto const& test = claim_.tests[number - 1];
  auto const seen = seen_scratch(context_.isolation, directory.path());
  auto line = test_command(type, context_.tools, context_.settings, directory, seen, number);
  line.environment = script_environment(claim_, std::move(line.environment));
  auto const start = steady::now();
  auto const report = co_await run_process(std::move(line), directory);
  auto const took = std::chrono::duration_cast<milliseconds>(steady::now() - start);
  auto result = result_of(report, type, test.id, took);
  if (auto const said = failures_of(type, directory); !said.empty() && result.status == outcome::failed)
    result.details = shown(said, secrets_);
  co_return result;
}

task<supervision_report> run_execution::run_process(command_line line, scratch const& directory) {
  auto const unique = claim_.run_id + "-" + std::to_string(slot_) + "-" + std::to_string(++processes_);
  auto orders =
      plan(context_.isolation, context_.tools, context_.settings, std::move(line), directory.path(), slot_, unique);
  auto process = context_.processes.start(context_.isolation.hold_of(slot_));
  int reading = 2;
  steady_timer ended(context_.io.get_executor(), steady::time_point::max());
  auto const read_over = [&reading, &ended](std::exception_ptr e) {
    if (e) std::rethrow_exception(e);
    --reading;
    ended.cancel();
  };
  asio::co_spawn(context_.io, output_.read(process->out, output_stream::out, secrets_), read_over);
  asio::co_spawn(context_.io, output_.read(process->err, output_stream::err, secrets_), read_over);
  current_ = process.get();
  auto report = co_await context_.processes.report(*process, std::move(orders));
  current_ = nullptr;
  // A process that could not be killed may keep the pipes open forever.
  if (report.left > 0 || !report.error.empty()) {
    process->out.close();
    process->err.close();
  }
  while (reading > 0) static_cast<void>(co_await ended.async_wait(awaiting));
  co_return report;
}

test_result run_execution::result_of(supervision_report const& report, job_type type, std::string id,
                                     milliseconds took) {
  test_result out{.id = std::move(id), .status = outcome_of(type, report.exit_code), .duration_ms = took.count()};
  auto const note = [&](std::string sentence) {
    output_.say("[svc-runner: " + sentence + "]");
    if (out.status != outcome::passed) out.details += (out.details.empty() ? "" : "; ") + sentence;
  };
  auto const& limits = context_.settings.limits;
  if (!report.error.empty()) {
    out.status = outcome::error;
    note(report.error);
  } else if (stop_ == stop_reason::timed_out) {
    out.status = outcome::timed_out;
    note("the run's time was over; " + how_ended(report, limits.timeout_grace));
  } else if (stop_ == stop_reason::cancelled) {
    out.status = outcome::cancelled;
    note("cancelled; " + how_ended(report, limits.cancel_grace));
  } else if (out.status != outcome::passed) {
    out.details = describe_exit(report.exit_code, report.memory_kills > 0);
  }
  if (report.memory_kills > 0)
    note("the memory limit of " + std::to_string(limits.memory_mb) + " MiB ended a process");
  if (report.refused_forks > 0) note("the limit of " + std::to_string(limits.processes) + " processes was reached");
  if (report.left > 0) {
    log::error("processes of a run could not be ended", {{"run", claim_.run_id}, {"count", report.left}});
    note(std::to_string(report.left) + " processes could not be ended");
  }
  return out;
}

}  // namespace svc::runner
