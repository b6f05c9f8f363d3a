// `svc run watch` for people and pipelines, `svc run stream` for programs.
#include "cli/commands/context.hpp"
#include "cli/commands/resource.hpp"
#include "cli/commands/run_connection.hpp"
#include "cli/commands/run_watcher.hpp"
#include "cli/events/run_report.hpp"

#include <CLI/CLI.hpp>

#include <boost/json/serialize.hpp>

#include <memory>
#include <utility>

namespace svc::cli {
namespace {

struct stream_options {
  std::string run, after;
  bool raw = false;
};

/// One event as an object in a line.
std::string news_json(run_news const& news) {
  boost::json::object out{{"id", news.id}};
  switch (news.content) {
    case run_news::kind::line:
      out["event"] = "console";
      out["line"] = news.text;
      out["stream"] = news.error_stream ? "stderr" : "stdout";
      break;
    case run_news::kind::gap:
      out["event"] = "gap";
      out["after"] = news.after;
      out["before"] = news.before;
      break;
    case run_news::kind::dropped:
      out["event"] = "dropped";
      break;
    case run_news::kind::complete:
      out["event"] = "complete";
      out["status"] = news.text;
      break;
    default:
      out["event"] = "status";
      out["status"] = news.text;
  }
  return boost::json::serialize(out);
}

void print_news(console& console, run_news const& news, attempt_notice& attempts, bool raw) {
  auto const other_attempt = attempts.before(news.id);
  if (console.how() == format::json) return console.data_line(news_json(news));
  if (!other_attempt.empty()) {
    console.flush();
    console.beside(other_attempt);
  }
  if (news.content == run_news::kind::line) {
    console.data_line(shown_line(news.text, raw, console.colour_out()));
  } else if (auto const said = loss_text(news); !said.empty()) {
    console.beside(said);
  }
}

exit_code stream_run(context& cx, stream_options const& given) {
  auto const after = event_position::parse(given.after);
  if (!after && !given.after.empty())
    throw bad_usage("\"" + given.after + "\" is not the id of an event.", "Ids are as --json shows them: 1-204");
  id_argument(run_resource(), given.run);
  // A run that does not exist, and a service that is not there, are found before the patience of a stream begins.
  cx.client().send({.method = "GET", .target = "/api/runs/" + percent_encoded(given.run) + "/status"});
  followed_run run(after);
  attempt_notice attempts(after);
  bool fresh = false;
  run_connection connection(cx.client(), given.run, [&] {
    if (std::exchange(fresh, false)) cx.console.flush();
  });
  auto const take = [&](run_news const& news) {
    fresh = true;
    print_news(cx.console, news, attempts, given.raw);
  };
  try {
    connection.follow(run, take);
  } catch (failure const& f) {
    if (!run.last() || f.exit() == exit_code::ok) throw;
    cx.console.flush();
    auto const last = run.last()->to_string();
    throw f.retold(f.what(), "svc run stream " + given.run + " --after " + last + " goes on.")
        .with("runId", boost::json::value(given.run))
        .with("after", boost::json::value(last));
  }
  return exit_code::ok;
}

void add_watch(CLI::App& run, context& cx) {
  auto const id = std::make_shared<std::string>();
  auto const watch_options = std::make_shared<watching>(watching{.follow = true});
  auto* const command = run.add_subcommand("watch", "Show a run's output and result as they arrive");
  command->add_option("RUN", *id, "id of the run")->required();
  command->add_flag("--raw", watch_options->raw, "pass all control characters of scripts, not only colours");
  command->add_flag("--cancel-on-interrupt", watch_options->cancel_on_interrupt, "Ctrl-C ends the run as well");
  declare_report_files(*command, watch_options->reports);
  command->footer(
      "Exits with 0 if the run passed, else with 1. What it shows goes to stderr; stdout has the run with\n"
      "--json, --quiet or --template only.\n"
      "Example:\n"
      "  svc run watch 01934f2e-6666-7d3e-9b1f-5a2c8e4d6f70");
  command->callback([&cx, id, watch_options] {
    cx.action = [&cx, id, watch_options] {
      check_report_files(watch_options->reports);
      return watch_run(cx, id_argument(run_resource(), *id), *watch_options);
    };
  });
}

void add_stream(CLI::App& run, context& cx) {
  auto const given = std::make_shared<stream_options>();
  auto* const command = run.add_subcommand("stream", "Write a run's output to stdout as it arrives");
  command->add_option("RUN", given->run, "id of the run")->required();
  command->add_option("--after", given->after, "continue after this event")->type_name("ID");
  command->add_flag("--raw", given->raw, "lines as they were printed, with all control characters");
  command->footer(
      "Exits with 0 when all of it was written, however the run ended. With --json each event is an object\n"
      "in a line.\n"
      "Example:\n"
      "  svc run stream 01934f2e-6666-7d3e-9b1f-5a2c8e4d6f70 --json | jq -r .line");
  command->callback([&cx, given] { cx.action = [&cx, given] { return stream_run(cx, *given); }; });
}

}  // namespace

void add_run_watching(CLI::App& run, context& cx) {
  add_watch(run, cx);
  add_stream(run, cx);
}

}  // namespace svc::cli
