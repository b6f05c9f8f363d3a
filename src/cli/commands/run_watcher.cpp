#include "cli/commands/run_watcher.hpp"

#include "cli/commands/run_connection.hpp"
#include "cli/console/harmless.hpp"
#include "cli/console/interrupt.hpp"
#include "cli/console/json_layout.hpp"
#include "cli/console/show.hpp"
#include "cli/events/ci.hpp"
#include "cli/events/run_report.hpp"
#include "cli/events/test_output.hpp"
#include "svc/core/random.hpp"

#include <boost/json/serialize.hpp>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <utility>

namespace svc::cli {
namespace {

using run_clock = std::chrono::steady_clock;

/// A long poll ends with the run, so a queued one is asked for more often: somebody wants to know that it has begun.
/// Both are shorter than the silence after which the client takes a connection for broken.
constexpr std::chrono::seconds poll_of_queued{5}, poll_of_running{30};

char const* ci_variable(char const* name) {
  return std::getenv(name);
}

/// That the run was queued once, which every stream begins with.
constexpr std::string_view first_event = "0-0";

std::vector<std::string> titles_of(run_result const& of) {
  std::vector<std::string> out;
  for (auto const& test : of.tests) out.push_back(test.title);
  return out;
}

/// Appends to the file that GitHub names by a variable. What cannot be written does not change the run's result.
void append_to_ci_file(console& to, char const* variable, std::string const& text) {
  auto const* const path = ci_variable(variable);
  if (path == nullptr || *path == '\0') return;
  std::ofstream file(path, std::ios::app | std::ios::binary);
  file << text << std::flush;
  if (!file) to.warn("The file that " + std::string(variable) + " names cannot be written.");
}

/// What follows the sentence of a failure when a run goes on without its watcher.
std::string way_on(std::string const& run) {
  return "svc run watch " + run + " goes on watching, svc run cancel " + run + " ends it.";
}

class run_watcher {
 public:
  run_watcher(context& cx, std::string const& run, watching how)
      : cx_(cx),
        run_(run),
        how_(how),
        ci_(detect_ci(ci_variable), [] { return random_alphanumeric(32); }),
        connection_(cx.client(), run, [this] { show_progress(); }),
        progress_(run, {}) {}

  exit_code watch();

 private:
  run_connection::answered first_answer();
  void know(run_connection::answered const& answered);
  void follow();
  void wait_for_end();
  void show(run_news const& news);
  bool shows_colours() const;
  bool has_progress_line() const;
  void show_progress();
  void learn_status(std::string_view status);
  void change(std::string_view status);
  void open_group();
  void close_group();
  void conclude();
  void write_result();
  void tell_github(run_result const& result);
  void set_github_outputs(std::string_view status);
  bool cancel();
  std::string state_when_abandoned();
  run_result last_known_result();
  [[noreturn]] void abandon(failure const& why);

  context& cx_;
  std::string run_;
  watching how_;
  ci_log ci_;
  run_connection connection_;
  run_clock::time_point started_ = run_clock::now();
  run_connection::answered known_{};  ///< the run as last read
  test_output outputs_{0};
  run_progress progress_;
  bool in_group_ = false;
};

void run_watcher::know(run_connection::answered const& answered) {
  bool const first = known_.text.empty();
  known_ = answered;
  auto const now = run_result::of(known_.run, nullptr);
  if (first) {
    outputs_ = test_output(now.tests.size());
    progress_ = run_progress(run_, titles_of(now));
  }
  change(now.status);
}

run_connection::answered run_watcher::first_answer() {
  if (how_.just_triggered) return connection_.ask(std::chrono::seconds(0));
  auto const text = cx_.client().send({.method = "GET", .target = "/api/runs/" + percent_encoded(run_)}).body;
  return {text, object_of(text).as_object()};
}

exit_code run_watcher::watch() {
  cx_.console.outlive_reader();
  try {
    auto const answer = first_answer();
    open_group();
    know(answer);
    if (how_.follow) follow();
    wait_for_end();
    close_group();
    conclude();
  } catch (failure const& f) {
    abandon(f);
  }
  return run_result::of(known_.run, nullptr).passed() ? exit_code::ok : exit_code::refused;
}

void run_watcher::follow() {
  followed_run run;
  connection_.follow(run, [this](run_news const& news) { show(news); });
}

void run_watcher::wait_for_end() {
  while (!known_.over()) know(connection_.ask(progress_.status() == "queued" ? poll_of_queued : poll_of_running));
}

void run_watcher::show(run_news const& news) {
  outputs_.take(news);
  if (news.what == run_news::kind::line)
    cx_.console.beside(shown_line(news.text, how_.raw, shows_colours()) + "\n");
  else if (auto const lost = loss_text(news); !lost.empty())
    cx_.console.beside(lost);
  else if (!known_.over() && news.id != first_event)
    learn_status(news.text);
}

/// What is known of the run stays true when the service is lost later.
void run_watcher::learn_status(std::string_view status) {
  if (!is_last_status(status)) {  // Then the run is read again, with its results.
    known_.run["status"] = status;
    known_.text = boost::json::serialize(known_.run);
  }
  change(status);
}

/// The logs of CI systems show colours, although they are no terminals.
bool run_watcher::shows_colours() const {
  return cx_.console.colour_err() || (ci_.of() != ci_system::none && cx_.options.colour != "never");
}

/// Whether a line can be written over.
bool run_watcher::has_progress_line() const {
  return cx_.console.err_is_terminal() && ci_.of() == ci_system::none;
}

void run_watcher::show_progress() {
  auto const now = run_clock::now();
  auto const elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(now - started_);
  if (auto const said = connection_.contact().report(now, progress_.status())) cx_.console.note(*said);
  if (connection_.contact().lost()) {
    if (has_progress_line()) cx_.console.progress("no answer for " + connection_.contact().loss(now));
    return;
  }
  if (has_progress_line()) return cx_.console.progress(progress_.line(elapsed, outputs_.current()));
  if (auto const said = progress_.reminder(elapsed)) cx_.console.note(*said);
}

void run_watcher::change(std::string_view status) {
  auto const said = progress_.change(status);
  if (said && !has_progress_line()) cx_.console.note(*said);
}

void run_watcher::open_group() {
  in_group_ = how_.follow;
  if (in_group_) cx_.console.beside(ci_.begin_group("svc-run-" + run_, "Output of run " + run_, std::time(nullptr)));
}

void run_watcher::close_group() {
  if (std::exchange(in_group_, false)) cx_.console.beside(ci_.end_group(std::time(nullptr)));
}

void run_watcher::conclude() {
  auto result = run_result::of(known_.run, nullptr);
  // The output that was not followed is in the store. Without it the summary is only shorter.
  if (!how_.follow && !result.passed()) outputs_ = last_output_of(cx_, run_, outputs_.count());
  result = run_result::of(known_.run, &outputs_);
  if (cx_.console.how() != format::quiet)
    cx_.console.beside(ci_.begin() + summary_text(result, shows_colours()) + ci_.end());
  if (ci_.of() == ci_system::github) tell_github(result);
  write_report_files(cx_.console, how_.reports, result, known_.run, {});
  write_result();
}

void run_watcher::tell_github(run_result const& result) {
  std::string errors;
  for (auto const& test : result.tests) {
    if (!test.broken()) continue;
    auto message = test.details;
    for (auto const& line : test.last_lines) message += '\n' + without_colours(line);
    errors += ci_.error(test.title + ": " + test.status, message);
  }
  if (errors.empty() && !result.passed()) errors = ci_.error("Run " + run_ + ": " + result.status, result.details);
  cx_.console.beside(errors);
  append_to_ci_file(cx_.console, "GITHUB_STEP_SUMMARY", summary_markdown(result));
  set_github_outputs(result.status);
}

/// Later steps of a workflow read them.
void run_watcher::set_github_outputs(std::string_view status) {
  append_to_ci_file(cx_.console, "GITHUB_OUTPUT", "run-id=" + run_ + "\nstatus=" + harmless(status) + "\n");
}

void run_watcher::write_result() {
  if (how_.reports.junit == "-") return;  // stdout is the report's
  switch (cx_.console.how()) {
    case format::quiet:
      return cx_.console.data_line(run_);
    case format::templated:
      return cx_.console.data_line(expanded(cx_.console.template_text(), known_.run));
    case format::text:
      if (!how_.just_triggered || cx_.console.out_is_terminal()) return;
      [[fallthrough]];
    case format::json:
      return cx_.console.data_line(laid_out(known_.text, cx_.console.out_is_terminal()));
  }
}

/// Whether the service has taken it.
bool run_watcher::cancel() {
  forget_interruption();
  try {
    auto const told =
        cx_.client().send({.method = "POST", .target = "/api/runs/" + percent_encoded(run_) + "/cancel"});
    know({told.body, object_of(told.body).as_object()});
    return true;
  } catch (failure const& f) {
    cx_.console.warn("The run could not be cancelled: " + harmless(f.what()));
    return false;
  }
}

std::string run_watcher::state_when_abandoned() {
  auto& contact = connection_.contact();
  if (!contact.lost()) return " Run " + run_ + " goes on.";
  auto const last = progress_.status();
  return " The state of run " + run_ + " is unknown" +
         (last.empty() ? "." : ", it was " + harmless(last) + " when the service last answered.") +
         " The service has not answered for " + contact.loss(run_clock::now());
}

/// Without an answer at all, at least the run's id is known.
run_result run_watcher::last_known_result() {
  auto out = run_result::of(known_.run, &outputs_);
  out.id = run_;
  return out;
}

void run_watcher::abandon(failure const& why) {
  close_group();
  bool const cancelled = why.exit() == exit_code::interrupted && how_.cancel_on_interrupt && cancel();
  // Whoever pipes the result into a program gets what was known of the run.
  bool const known = !known_.text.empty();
  if (known) write_result();
  auto sentence = why.exit() == exit_code::deadline ? "The time of --timeout is over." : std::string(why.what());
  if (cancelled) sentence = "Run " + run_ + " was cancelled.";
  auto hint = why.hint();
  if ((known || how_.just_triggered) && !known_.over() && why.code() != "not_found") {
    if (!cancelled) sentence += state_when_abandoned();
    hint += hint.empty() ? "" : "\n     ";
    hint += cancelled ? "svc run watch " + run_ + " shows its end." : way_on(run_);
  }
  if (ci_.of() == ci_system::github) set_github_outputs("unknown");
  if (how_.reports.any()) write_report_files(cx_.console, how_.reports, last_known_result(), known_.run, sentence);
  throw why.retold(sentence, hint).with("runId", boost::json::value(run_));
}

}  // namespace

exit_code watch_run(context& cx, std::string const& run, watching how) {
  return run_watcher(cx, run, how).watch();
}

}  // namespace svc::cli
