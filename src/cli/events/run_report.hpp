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

/// One test of a run, as the service has it, and what it printed last. A value.
struct test_result {
  std::string title, status, details{};
  std::optional<std::int64_t> duration_ms{};
  std::vector<std::string> last_lines{};

  bool passed() const { return status == "passed"; }
  /// It ran and did not pass.
  bool broken() const { return !passed() && status != "skipped" && status != "queued" && status != "running"; }
};

/// An ended run, as people want to know it. A value.
struct run_result {
  std::string id, job, status, details{};
  std::optional<std::int64_t> duration_ms{};
  std::vector<test_result> tests{};

  /// From a `Run` of the contract; what is missing there stays empty. `outputs`: of its tests, in their order.
  static run_result of(boost::json::object const& run, test_output const* outputs);
  bool passed() const { return status == "passed"; }
  std::vector<std::string> titles() const;
};

/// Gives the tests of a run that is running the results that its output has told, because the service knows them
/// only at the end.
void add_told_results(boost::json::object& run, test_output const& outputs);

/// Notices that a run starts over, because its runner was lost. A value.
class attempt_notice {
 public:
  /// `last`: the event after which the output goes on.
  explicit attempt_notice(std::optional<stream_place> last = {}) : attempt_(last ? last->attempt : 0) {}

  /// A line to print before what the event with this id has, with a line end; empty unless another attempt begins.
  std::string before(std::string_view id);

 private:
  std::uint64_t attempt_;
};

/// Whether a status is a run's last.
bool is_last_status(std::string_view status);

/// A line that a script printed, as it is shown: its control characters become visible, its colours (SGR) pass or are
/// left out, and at the end of the line they end. `raw`: as it is.
std::string shown_line(std::string_view line, bool raw, bool colour);
/// What to say when events are missing or come late, with a line end; empty for other news.
std::string_view loss_text(run_news const& news);

/// The result in some lines: the run, each test with its time, the last lines of those that did not pass, and how to
/// see more. Harmless text; `colour`: statuses and what scripts printed have theirs.
std::string summary_text(run_result const& result, bool colour);
/// The same as Markdown.
std::string summary_markdown(run_result const& result);
/// A sentence from elsewhere as a paragraph of Markdown.
std::string markdown_note(std::string_view sentence);

/// Says how a run is doing: on a terminal in one line that is written over, elsewhere by a line when the status
/// changes and one each minute. Pure; times are since the watch began. A value.
class run_progress {
 public:
  /// A run that is queued for so long waits for something that somebody must do.
  static constexpr std::chrono::seconds unclaimed{10};

  /// `job_type`: the kind of runner that the run needs; empty if it is not known.
  run_progress(std::string run, std::vector<std::string> titles, std::string job_type = {})
      : run_(std::move(run)), titles_(std::move(titles)), job_type_(std::move(job_type)) {}

  /// `test`: the one that prints now.
  std::string line(std::chrono::milliseconds elapsed, std::optional<std::size_t> test) const;
  /// The status is known now. What to say of it; nothing: it was known before.
  std::optional<std::string> change(std::string_view status);
  /// What to say when nothing has been said for a minute.
  std::optional<std::string> reminder(std::chrono::milliseconds elapsed);
  /// Says once what a run may wait for that is still queued after `unclaimed`. Call it often, because the wait is
  /// measured from the first call that finds the run queued.
  std::optional<std::string> queue_advice(std::chrono::milliseconds elapsed);
  std::string const& status() const { return status_; }

 private:
  std::string run_;
  std::vector<std::string> titles_;
  std::string job_type_;
  std::string status_{};
  bool advised_ = false;
  std::optional<std::chrono::milliseconds> queued_at_{};  ///< Start of the present wait, since the watch began.
  std::chrono::milliseconds said_{};
};

}  // namespace svc::cli
