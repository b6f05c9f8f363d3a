#pragma once

#include "cli/events/test_output.hpp"

#include <boost/json/object.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::cli {

/// One test of a run from the service, and its last output. A value.
struct test_result {
  std::string title, status, details{};
  std::optional<std::int64_t> duration_ms{};
  std::vector<std::string> last_lines{};

  bool passed() const { return status == "passed"; }
  /// Returns true if the test ran and did not pass.
  bool broken() const { return !passed() && status != "skipped" && status != "queued" && status != "running"; }
};

/// An ended run, in the form for people. A value.
struct run_result {
  std::string id, job, status, details{};
  std::optional<std::int64_t> duration_ms{};
  std::vector<test_result> tests{};

  /// Reads a `Run` of the contract; missing members stay empty. `outputs` has the output of its tests, in their
  /// order.
  static run_result of(boost::json::object const& run, test_output const* outputs);
  bool passed() const { return status == "passed"; }
  std::vector<std::string> titles() const;
};

/// Adds to the tests of a running run the results from its output, because the service knows them only at the end.
void add_reported_results(boost::json::object& run, test_output const& outputs);

/// Notices that a run starts again, because its runner was lost. A value.
class attempt_notice {
 public:
  /// `last` is the event after which the output continues.
  explicit attempt_notice(std::optional<event_position> last = {}) : attempt_(last ? last->attempt : 0) {}

  /// Returns a line, with a line end, to print before the content of the event with this id; empty unless another
  /// attempt starts.
  std::string before(std::string_view id);

 private:
  std::uint64_t attempt_;
};

/// Returns true if a status is the last of a run.
bool is_last_status(std::string_view status);

/// Returns a script's line in the form that people see. Its control characters become visible. Its colours (SGR) are
/// left out, or pass until the end of the line. If `raw`, the line stays unchanged.
std::string shown_line(std::string_view line, bool raw, bool colour);
/// Returns the message, with a line end, when events are missing or late; empty for other news.
std::string_view loss_text(run_news const& news);

/// Returns the result in a few lines: the run, each test with its time, the last lines of tests that did not pass,
/// and commands that show more. The text is harmless. With `colour`, statuses and the script's output have colours.
std::string summary_text(run_result const& result, bool colour);
/// Returns the same as Markdown.
std::string summary_markdown(run_result const& result);
/// Returns a foreign sentence as a paragraph of Markdown.
std::string markdown_note(std::string_view sentence);

/// Returns text from elsewhere as the content of an XML element or of an attribute in double quotes (XML 1.0, 2.2 and
/// 2.4): characters that XML forbids and bytes that are not UTF-8 become visible, colours are left out. Total.
std::string xml_text(std::string_view text);

/// Returns a run as JUnit XML, in the form that Jenkins's schema (junit-10.xsd) describes and other systems read: one
/// suite for the run, one case for each test. A test that failed is a failure with the last lines of its output; one
/// that had an error or ran too long is an error; one that did not run to its end is skipped. A run that did not pass
/// although no test failed or had an error, or whose end is unknown, has one more case `run` with that error.
/// `unknown_because`: a sentence, if the end of the run could not be seen; otherwise empty. `started_at`: RFC 3339,
/// or empty.
std::string junit_report(run_result const& run, std::string_view started_at, std::string_view unknown_because);

/// Reports the progress of a run: on a terminal in one line that it overwrites, elsewhere by a line when the status
/// changes and one each minute. Pure; times are since the start of the watch. A value.
class run_progress {
 public:
  /// The wait after which a queued run probably needs an action by the user.
  static constexpr std::chrono::seconds unclaimed{10};

  /// `job_type` is the kind of runner that the run needs; empty if it is not known. `job` is the name of its job;
  /// empty for a run without a job.
  run_progress(std::string run, std::vector<std::string> titles, std::string job_type = {}, std::string job = {})
      : run_(std::move(run)), titles_(std::move(titles)), job_type_(std::move(job_type)), job_(std::move(job)) {}

  /// `test` is the test that prints now.
  std::string line(std::chrono::milliseconds elapsed, std::optional<std::size_t> test) const;
  /// Takes the new status. Returns the message, or `std::nullopt` if the status is not new.
  std::optional<std::string> change(std::string_view status);
  /// Returns a message when there was none for a minute.
  std::optional<std::string> reminder(std::chrono::milliseconds elapsed);
  /// Returns the possible reasons why a run is still queued after `unclaimed`, but only once. Call it often, because
  /// the wait is measured from the first call that finds the run queued.
  std::optional<std::string> queue_advice(std::chrono::milliseconds elapsed);
  std::string const& status() const { return status_; }

 private:
  std::string run_;
  std::vector<std::string> titles_;
  std::string job_type_, job_;
  std::string status_{};
  bool advised_ = false;
  std::optional<std::chrono::milliseconds> queued_at_{};  ///< start of the current wait, since the start of the watch
  std::chrono::milliseconds said_{};
};

}  // namespace svc::cli
