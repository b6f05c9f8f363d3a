#include "cli/events/run_report.hpp"

#include "cli/console/harmless.hpp"
#include "cli/console/show.hpp"
#include "cli/events/ci.hpp"

#include <algorithm>
#include <utility>

namespace svc::cli {
namespace {

constexpr std::chrono::minutes reminder_pause{1};
/// Follows coloured text.
constexpr std::string_view end_of_colours = "\x1b[0m";

std::optional<std::int64_t> run_duration(boost::json::object const& object) {
  auto const* const value = object.if_contains("durationMs");
  if (value == nullptr || !value->is_number()) return std::nullopt;
  boost::system::error_code bad;
  auto const ms = value->to_number<std::int64_t>(bad);
  return bad ? std::nullopt : std::optional(ms);
}

std::string painted_status(std::string_view status, bool colour) {
  auto const paint = colour ? colour_of(status) : std::string_view();
  auto const text = harmless(status_in_words(status));
  return paint.empty() ? text : std::string(paint).append(text).append(end_of_colours);
}

std::string padded_field(std::string text, std::size_t visible, std::size_t width, bool right) {
  auto const space = std::string(width - std::min(width, visible), ' ');
  return right ? space + text : text + space;
}

std::string test_time(std::optional<std::int64_t> ms) {
  return ms ? short_duration(*ms) : "-";
}

/// Returns the headline of a run that goes on: no test is blamed that may still pass.
std::string headline_of_unfinished(run_result const& result, std::string const& count) {
  auto const open =
      std::ranges::count_if(result.tests, [](test_result const& t) { return !t.passed() && !t.broken(); });
  auto const broken = std::ranges::count_if(result.tests, &test_result::broken);
  auto const* const tests = result.tests.size() == 1 ? " test" : " tests";
  return "; " + std::to_string(open) + " of " + count + tests + (open == 1 ? " has" : " have") + " no result yet" +
         (broken > 0 ? ", " + std::to_string(broken) + " did not pass." : ".");
}

std::string headline(run_result const& result) {
  auto const broken =
      std::count_if(result.tests.begin(), result.tests.end(), [](auto const& t) { return !t.passed(); });
  auto const took = result.duration_ms ? " after " + short_duration(*result.duration_ms) : "";
  if (result.tests.empty()) return took + ".";
  auto const count = std::to_string(result.tests.size());
  if (result.status == "queued" || result.status == "running") return took + headline_of_unfinished(result, count);
  if (result.status == "cancelled")
    return took + "; " + std::to_string(result.tests.size() - static_cast<std::size_t>(broken)) + " of " + count +
           (result.tests.size() == 1 ? " test" : " tests") + " had passed.";
  if (broken > 0)
    return took + "; " + std::to_string(broken) + " of " + count + (result.tests.size() == 1 ? " test" : " tests") +
           " did not pass.";
  return took + "; " + (result.tests.size() == 1 ? "its test" : "all " + count + " tests") + " passed.";
}

std::string test_lines(test_result const& test, std::size_t widest, bool colour) {
  auto out = "  " + padded_field(painted_status(test.status, colour), test.status.size(), widest, false) + "  " +
             padded_field(test_time(test.duration_ms), test_time(test.duration_ms).size(), 7, true) + "  " +
             harmless(test.title);
  if (!test.details.empty()) out += ": " + harmless(test.details);
  out += '\n';
  if (!test.broken()) return out;
  for (auto const& line : test.last_lines) out += "    | " + shown_line(line, false, colour) + '\n';
  return out;
}

}  // namespace

void add_reported_results(boost::json::object& run, test_output const& outputs) {
  auto* const tests = run.if_contains("tests");
  if (tests == nullptr || !tests->is_array() || text_of_member(run, "status") != "running") return;
  for (std::size_t i = 0; i < tests->get_array().size(); ++i) {
    auto* const test = tests->get_array()[i].if_object();
    auto const notified = outputs.result(i);
    if (test == nullptr || !notified || text_of_member(*test, "status") != "queued") continue;
    (*test)["status"] = notified->status;
    if (notified->duration_ms) (*test)["durationMs"] = *notified->duration_ms;
  }
}

std::string attempt_notice::before(std::string_view id) {
  auto const position = event_position::parse(id);
  if (!position || position->attempt <= attempt_) return {};
  auto const lost = std::exchange(attempt_, position->attempt);
  if (lost == 0) return {};
  return "[svc: attempt " + std::to_string(lost) + " ended without a result; the run starts over with attempt " +
         std::to_string(attempt_) + "]\n";
}

bool is_last_status(std::string_view status) {
  return !status.empty() && status != "queued" && status != "running";
}

std::string shown_line(std::string_view line, bool raw, bool colour) {
  if (raw) return std::string(line);
  if (!colour) return harmless(without_colours(line));
  auto out = harmless(line, true);
  bool const coloured = out.find('\x1b') != std::string::npos;
  return coloured && !out.ends_with(end_of_colours) ? out.append(end_of_colours) : out;
}

std::string_view loss_text(run_news const& news) {
  if (news.content == run_news::kind::gap) return "[svc: output is missing here; the service has lost it]\n";
  if (news.content == run_news::kind::dropped) return "[svc: reading was too slow; continuing after the last line]\n";
  return {};
}

run_result run_result::of(boost::json::object const& run, test_output const* outputs) {
  run_result out{.id = text_of_member(run, "id"),
                 .job = text_of_member(run, "jobName"),
                 .status = text_of_member(run, "status"),
                 .details = text_of_member(run, "errorDetails"),
                 .duration_ms = run_duration(run)};
  auto const* const tests = run.if_contains("tests");
  if (tests == nullptr || !tests->is_array()) return out;
  for (auto const& each : tests->get_array()) {
    auto const* const test = each.if_object();
    if (test == nullptr) continue;
    out.tests.push_back({text_of_member(*test, "title"), text_of_member(*test, "status"),
                         text_of_member(*test, "errorDetails"), run_duration(*test)});
    auto const position = out.tests.size() - 1;
    if (outputs == nullptr || position >= outputs->count()) continue;
    auto const& lines = outputs->last_lines(position);
    out.tests.back().last_lines.assign(lines.begin(), lines.end());
  }
  return out;
}

std::vector<std::string> run_result::titles() const {
  std::vector<std::string> out;
  for (auto const& test : tests) out.push_back(test.title);
  return out;
}

std::string summary_text(run_result const& result, bool colour) {
  auto out = "Run " + harmless(result.id) + ' ' + painted_status(result.status, colour) + headline(result) + '\n';
  if (!result.details.empty()) out += "  " + harmless(result.details) + '\n';
  std::size_t widest = 0;
  for (auto const& test : result.tests) widest = std::max(widest, test.status.size());
  for (auto const& test : result.tests) out += test_lines(test, widest, colour);
  if (!result.passed()) out += "Its whole output: svc run output " + harmless(result.id) + '\n';
  return out;
}

std::string summary_markdown(run_result const& result) {
  auto const subject = result.job.empty() ? result.id : result.job;
  auto out = "### " + markdown_text(subject) + ": " + markdown_text(status_in_words(result.status)) + "\n\nRun " +
             markdown_text(result.id) + ' ' + markdown_text(status_in_words(result.status)) + headline(result) +
             "\n\n";
  if (!result.details.empty()) out += markdown_text(result.details) + "\n\n";
  if (!result.tests.empty()) out += "| test | result | time |\n|---|---|---|\n";
  for (auto const& test : result.tests)
    out += "| " + markdown_text(test.title) + " | " + markdown_text(status_in_words(test.status)) + " | " +
           test_time(test.duration_ms) + " |\n";
  for (auto const& test : result.tests) {
    if (!test.broken()) continue;
    out += "\n**" + markdown_text(test.title) + "** " + markdown_text(test.details) + "\n\n";
    std::string lines;
    for (auto const& line : test.last_lines) lines += without_colours(line) + '\n';
    if (!lines.empty()) out += markdown_block(lines);
  }
  return out + '\n';
}

std::string markdown_note(std::string_view sentence) {
  return markdown_text(sentence) + "\n\n";
}

std::string run_progress::line(std::chrono::milliseconds elapsed, std::optional<std::size_t> test) const {
  auto const type = status_ == "queued" && !job_type_.empty() ? " for a " + harmless(job_type_) + " runner" : "";
  auto out = (status_.empty() ? "asking" : harmless(status_)) + type + ' ' + short_duration(elapsed.count());
  if (status_ != "running" || !test || *test >= titles_.size()) return out;
  out += "  test " + std::to_string(*test + 1) + " of " + std::to_string(titles_.size());
  return out + ": " + harmless(titles_[*test]);
}

std::optional<std::string> run_progress::change(std::string_view status) {
  if (status == status_ || status.empty()) return std::nullopt;
  status_ = status;
  // The summary says how it ended.
  if (is_last_status(status_)) return std::nullopt;
  auto const type = job_type_.empty() ? std::string() : " (" + harmless(job_type_) + ")";
  return "Run " + run_ + type + " is " + harmless(status_) + '.';
}

std::optional<std::string> run_progress::queue_advice(std::chrono::milliseconds elapsed) {
  if (status_ != "queued" || job_type_.empty()) {
    queued_at_.reset();
    return std::nullopt;
  }
  if (!queued_at_) queued_at_ = elapsed;
  auto const waited = elapsed - *queued_at_;
  if (advised_ || waited < unclaimed) return std::nullopt;
  advised_ = true;
  auto const type = harmless(job_type_);
  auto out = "Run " + run_ + " is still queued after " + short_duration(waited.count()) + ": no runner for " + type +
             " jobs has taken it. Either all are busy, or none is connected (an operator sees them with svcd admin"
             " list-runners)";
  out += job_.empty() ? "."
                      : ", or the job's limit of concurrent runs is reached: svc run list --status running --job " +
                            shell_word(harmless(job_)) + " shows the runs that it waits for.";
  if (type == "playwright")
    out +=
        " Tests of the types browser, api, database and custom need such a runner; for a shell script: svc test "
        "update TEST --type command, in a job of that type.";
  return out;
}

std::optional<std::string> run_progress::reminder(std::chrono::milliseconds elapsed) {
  if (elapsed - said_ < reminder_pause || status_.empty()) return std::nullopt;
  said_ = elapsed;
  return "Run " + run_ + " is still " + harmless(status_) + " after " + short_duration(elapsed.count()) + '.';
}

}  // namespace svc::cli
