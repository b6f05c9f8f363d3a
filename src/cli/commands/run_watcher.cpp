#include "cli/commands/run_watcher.hpp"

#include "cli/commands/report_files.hpp"
#include "cli/commands/run_connection.hpp"
#include "cli/console/harmless.hpp"
#include "cli/console/interrupt.hpp"
#include "cli/console/show.hpp"
#include "cli/events/ci.hpp"
#include "cli/events/run_report.hpp"
#include "cli/events/test_output.hpp"
#include "svc/core/random.hpp"

#include <boost/json/serialize.hpp>

#include <cstdlib>
#include <ctime>
#include <utility>

namespace svc::cli {
namespace {

using run_clock = std::chrono::steady_clock;

/// The durations of long polls. A long poll ends with the run, so polls of a queued run are shorter: the user wants
/// to see its start. Both are shorter than the silence after which the client considers a connection broken.
constexpr std::chrono::seconds poll_of_queued{5}, poll_of_running{30};

/// The longest wait for the last state: the command has ended, so the user should not wait long for it.
constexpr std::chrono::milliseconds most_for_last_state{2000};

/// The first event of every stream: the run is queued.
constexpr std::string_view first_event = "0-0";

/// Returns the hint of a failure for a run that continues without its watcher.
std::string way_on(std::string const& run) {
  return "svc run watch " + run + " continues watching, svc run cancel " + run + " ends it.";
}

class run_watcher {
 public:
  run_watcher(context& cx, std::string const& run, watching view)
      : cx_(cx),
        run_(run),
        view_(view),
        ci_(detect_ci(&std::getenv), [] { return random_alphanumeric(32); }),
        connection_(cx.client(), run, [this] { show_progress(); }),
        progress_(run, {}) {}

  exit_code watch();

 private:
  run_connection::answer first_answer();
  void take_state(run_connection::answer const& answered);
  void know(run_connection::answer const& answered);
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
  bool cancel();
  std::string state_when_abandoned();
  run_result last_known_result();
  void read_last_state();
  [[noreturn]] void abandon(failure const& failure);

  context& cx_;
  std::string run_;
  watching view_;
  ci_log ci_;
  run_connection connection_;
  run_clock::time_point started_ = run_clock::now();
  run_connection::answer known_{};  ///< the run as last read
  test_output outputs_{0};
  run_progress progress_;
  attempt_notice attempts_{};
  bool in_group_ = false;
};

void run_watcher::take_state(run_connection::answer const& answered) {
  bool const first = known_.text.empty();
  known_ = answered;
  if (!first) return;
  auto const now = run_result::of(known_.run, nullptr);
  outputs_ = test_output(now.tests.size());
  progress_ =
      run_progress(run_, now.titles(), text_of_member(known_.run, "jobType"), text_of_member(known_.run, "jobName"));
}

void run_watcher::know(run_connection::answer const& answered) {
  take_state(answered);
  change(text_of_member(known_.run, "status"));
}

run_connection::answer run_watcher::first_answer() {
  if (view_.just_triggered) return connection_.ask(std::chrono::seconds(0));
  auto const text = cx_.client().send({.method = "GET", .target = "/api/runs/" + percent_encoded(run_)}).body;
  return {text, object_of(text).as_object()};
}

exit_code run_watcher::watch() {
  cx_.console.outlive_reader();
  try {
    auto const answer = first_answer();
    open_group();
    know(answer);
    boost::json::value const run = known_.run;
    if (cx_.console.how() == format::templated) check_template(cx_.console.template_text(), std::span(&run, 1), {});
    if (view_.follow) follow();
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
  cx_.console.beside(attempts_.before(news.id));
  outputs_.take(news);
  if (news.content == run_news::kind::line)
    cx_.console.beside(shown_line(news.text, view_.raw, shows_colours()) + "\n");
  else if (auto const lost = loss_text(news); !lost.empty())
    cx_.console.beside(lost);
  else if (!known_.over() && news.id != first_event)
    learn_status(news.text);
}

/// Remembers the status of the run, which stays known when the service is lost later.
void run_watcher::learn_status(std::string_view status) {
  if (!is_last_status(status)) {  // Otherwise the watcher reads the run again, with its results.
    known_.run["status"] = status;
    known_.text = boost::json::serialize(known_.run);
  }
  change(status);
}

/// Returns true if the output has colours. The logs of CI systems show colours, although they are no terminals.
bool run_watcher::shows_colours() const {
  return cx_.console.colour_err() || (ci_.of() != ci_system::none && cx_.options.colour != "never");
}

/// Returns true if the terminal can overwrite a line.
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
  if (auto const said = progress_.queue_advice(elapsed)) cx_.console.note(*said);
  if (has_progress_line()) return cx_.console.progress(progress_.line(elapsed, outputs_.current()));
  if (auto const said = progress_.reminder(elapsed)) cx_.console.note(*said);
}

void run_watcher::change(std::string_view status) {
  auto const said = progress_.change(status);
  if (said && !has_progress_line()) cx_.console.note(*said);
}

void run_watcher::open_group() {
  in_group_ = view_.follow;
  if (in_group_) cx_.console.beside(ci_.begin_group("svc-run-" + run_, "Output of run " + run_, std::time(nullptr)));
}

void run_watcher::close_group() {
  if (std::exchange(in_group_, false)) cx_.console.beside(ci_.end_group(std::time(nullptr)));
}

void run_watcher::conclude() {
  auto result = run_result::of(known_.run, nullptr);
  // The store has the output if the watcher did not follow it. Without the output only the summary is shorter.
  if (!view_.follow && !result.passed()) outputs_ = last_output_of(cx_, run_, outputs_.count());
  result = run_result::of(known_.run, &outputs_);
  if (cx_.console.how() != format::quiet)
    cx_.console.beside(ci_.begin() + summary_text(result, shows_colours()) + ci_.end());
  if (ci_.of() == ci_system::github) report_to_github(cx_.console, ci_, run_, result);
  write_report_files(cx_.console, view_.reports, result, known_.run, {});
  write_result();
}

void run_watcher::write_result() {
  if (view_.reports.junit == "-") return;  // stdout belongs to the report
  switch (cx_.console.how()) {
    case format::quiet:
      return cx_.console.data_line(run_);
    case format::templated:
      return cx_.console.data_line(expanded(cx_.console.template_text(), known_.run));
    case format::text:
      if (!view_.just_triggered || cx_.console.out_is_terminal()) return;
      [[fallthrough]];
    case format::json:
      return cx_.console.data_line(laid_out(known_.text, cx_.console.out_is_terminal()));
  }
}

/// Returns true if the service accepted the cancellation.
bool run_watcher::cancel() {
  clear_interruption();
  try {
    auto const notified =
        cx_.client().send({.method = "POST", .target = "/api/runs/" + percent_encoded(run_) + "/cancel"});
    know({notified.body, object_of(notified.body).as_object()});
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

/// Returns the last known result. Without any answer, it has at least the run's id.
run_result run_watcher::last_known_result() {
  auto out = run_result::of(known_.run, &outputs_);
  out.id = run_;
  return out;
}

/// Reads the newest state for the results. The command's own deadline may have passed, so another client asks.
void run_watcher::read_last_state() {
  if (!known_.over() && !connection_.contact().lost()) {
    auto quick = cx_.config();
    quick.timeout = most_for_last_state;
    clear_interruption();
    try {
      auto const text =
          client(quick, cx_.console).send({.method = "GET", .target = "/api/runs/" + percent_encoded(run_)}).body;
      take_state({text, object_of(text).as_object()});
    } catch (failure const&) {
      // The results then contain the last known state.
    }
  }
  if (known_.over() || known_.text.empty()) return;
  add_reported_results(known_.run, outputs_);
  known_.text = boost::json::serialize(known_.run);
}

void run_watcher::abandon(failure const& failure) {
  close_group();
  bool const cancelled = failure.exit() == exit_code::interrupted && view_.cancel_on_interrupt && cancel();
  if (!cancelled && (failure.exit() == exit_code::deadline || failure.exit() == exit_code::interrupted))
    read_last_state();
  // A program that reads stdout through a pipe gets the known facts about the run.
  bool const known = !known_.text.empty();
  if (known) write_result();
  auto sentence =
      failure.exit() == exit_code::deadline ? "The time of --timeout is over." : std::string(failure.what());
  if (cancelled) sentence = "Run " + run_ + " was cancelled.";
  auto hint = failure.hint();
  if ((known || view_.just_triggered) && !known_.over() && failure.code() != "not_found") {
    if (!cancelled) sentence += state_when_abandoned();
    hint += hint.empty() ? "" : "\n     ";
    hint += cancelled ? "svc run watch " + run_ + " shows its end." : way_on(run_);
  } else if (known_.over() && !cancelled) {
    sentence += " Run " + run_ + " ended meanwhile: " + harmless(last_known_result().status) + ".";
  }
  auto const result = last_known_result();
  if (ci_.of() == ci_system::github)
    set_github_outputs(cx_.console, run_, known_.over() ? result.status : std::string("unknown"));
  if (view_.reports.any())
    write_report_files(cx_.console, view_.reports, result, known_.run, known_.over() ? "" : sentence);
  throw failure.retold(sentence, hint).with("runId", boost::json::value(run_));
}

}  // namespace

exit_code watch_run(context& cx, std::string const& run, watching view) {
  return run_watcher(cx, run, view).watch();
}

}  // namespace svc::cli
