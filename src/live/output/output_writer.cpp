#include "svc/live/output/output_writer.hpp"

#include "live/output/announcements.hpp"
#include "live/output/redis_output.hpp"
#include "svc/core/spawn_task.hpp"
#include "svc/live/output/output_budget.hpp"

namespace svc::embedded {
extern std::string_view const output_append_lua;
extern std::string_view const output_cut_lua;
extern std::string_view const output_status_lua;
extern std::string_view const output_stored_lua;
}  // namespace svc::embedded

namespace svc::output {
namespace {

/// 25 hours, because a run may take a day and print nothing in that time.
constexpr std::string_view life_millis = "90000000";
/// Longer than any caller waits until `begin` has reached Redis.
constexpr std::string_view mark_millis = "60000";
constexpr std::string_view cut_mark = " [line cut]";
constexpr std::string_view no_room =
    "[there is no room for more output of this project at the moment; the rest of this run's output is dropped]";
constexpr std::chrono::seconds soon_patience{2};

redis::script const& append_script() {
  static redis::script const append("output_append", embedded::output_append_lua);
  return append;
}

redis::script const& cut_script() {
  static redis::script const cut("output_cut", embedded::output_cut_lua);
  return cut;
}

redis::script const& status_script() {
  static redis::script const status("output_status", embedded::output_status_lua);
  return status;
}

redis::script const& stored_script() {
  static redis::script const stored("output_stored", embedded::output_stored_lua);
  return stored;
}

append_result result_of(redis::outcome const& outcome) {
  if (!outcome.ok() || outcome.value.elements.size() < 2) return {};
  auto const& word = outcome.value.elements[0].text;
  append_result out;
  out.through = outcome.value.elements[1].number;
  if (word == "ok") out.verdict = append_verdict::accepted;
  if (word == "superseded") out.verdict = append_verdict::superseded;
  if (word == "ended") out.verdict = append_verdict::ended;
  return out;
}

/// Returns the approximate number of bytes that these lines take in Redis.
std::int64_t size_of(std::int64_t bytes, std::int64_t lines) {
  return bytes + lines * output_writer::line_overhead;
}

std::int64_t size_of(std::span<output_line const> lines) {
  std::int64_t bytes = 0;
  for (auto const& line : lines) bytes += static_cast<std::int64_t>(line.text.size());
  return size_of(bytes, static_cast<std::int64_t>(lines.size()));
}

/// Returns how many of these lines fit into one script call.
std::size_t piece_of(std::span<output_line const> lines) {
  std::size_t count = 0, bytes = 0;
  while (count < lines.size() && count < output_writer::piece_lines) {
    bytes += lines[count].text.size();
    if (count > 0 && bytes > output_writer::piece_bytes) break;
    ++count;
  }
  return count;
}

}  // namespace

void cut_line(std::string& text) {
  if (text.size() <= output_writer::longest_line) return;
  auto end = output_writer::longest_line - cut_mark.size();
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  text.resize(end);
  text += cut_mark;
}

std::string limit_mark(output_limits const& limits) {
  return "[the output limit of " + std::to_string(limits.lines) + " lines or " + std::to_string(limits.bytes) +
         " bytes is reached; the rest is dropped]";
}

std::vector<redis::script const*> output_writer::scripts() {
  return {&append_script(), &cut_script(), &status_script(), &stored_script(), &output_budget::script()};
}

task<append_result> output_writer::begin(uuid run, std::int64_t attempt, deadline until) {
  return append(run, attempt, {}, until);
}

task<append_result> output_writer::append(uuid run, std::int64_t attempt, std::vector<output_line> lines,
                                          deadline until, uuid project) {
  for (auto& line : lines) cut_line(line.text);
  std::span<output_line const> left(lines);
  for (;;) {
    auto const piece = left.first(piece_of(left));
    left = left.subspan(piece.size());
    auto const done = co_await append_piece(run, attempt, piece, until, project);
    if (done.verdict == append_verdict::lost && budget_ != nullptr && budget_->given_up() && !lines.empty()) {
      // Viewers see a gap, because the numbers of these lines are missing.
      budget_->cut(true);
      co_return append_result{append_verdict::accepted, lines.back().seq};
    }
    if (left.empty() || done.verdict != append_verdict::accepted) co_return done;
  }
}

task<append_result> output_writer::append_piece(uuid run, std::int64_t attempt, std::span<output_line const> lines,
                                                deadline until, uuid project) {
  auto const size = size_of(lines);
  if (budget_ != nullptr && !lines.empty() && !budget_->room(project, size))
    co_return co_await cut_off(run, attempt, lines.back().seq, false, until);
  std::string const stream = stream_key(run), state = state_key(run);
  std::string_view const keys[] = {stream, state};
  std::vector<std::string> numbers;
  numbers.reserve(lines.size());  // the arguments below are views into it
  auto const number = std::to_string(attempt);
  auto const news = announcement_of(redis_, run);
  auto const most_lines = std::to_string(limits_.lines), most_bytes = std::to_string(limits_.bytes);
  auto const reached = limit_mark(limits_);
  std::vector<std::string_view> arguments{news, number, life_millis, most_lines, most_bytes, reached};
  for (auto const& line : lines) {
    arguments.push_back(numbers.emplace_back(std::to_string(line.seq)));
    arguments.push_back(line.stream == output_stream::out ? "o" : "e");
    arguments.push_back(line.text);
  }
  auto const permit = co_await pieces_.enter(until);
  if (!permit) co_return append_result{};
  auto const answer = co_await redis_.evaluate(append_script(), keys, arguments, until);
  if (answer.value.error_code() == "OOM" && !lines.empty())
    co_return co_await cut_off(run, attempt, lines.back().seq, true, until);
  auto const done = result_of(answer);
  if (budget_ != nullptr && done.verdict == append_verdict::accepted && answer.value.elements.size() == 4)
    budget_->printed(run, project, size, size_of(answer.value.elements[2].number, answer.value.elements[3].number));
  co_return done;
}

/// Ends the run's output with a line that says so; the run itself continues.
task<append_result> output_writer::cut_off(uuid run, std::int64_t attempt, std::int64_t through, bool refused,
                                           deadline until) {
  if (budget_ != nullptr) budget_->cut(refused);
  std::string const stream = stream_key(run), state = state_key(run), news = announcement_of(redis_, run);
  auto const number = std::to_string(attempt), last = std::to_string(through);
  std::string_view const keys[] = {stream, state};
  std::string_view const arguments[] = {news, number, life_millis, last, no_room};
  co_return result_of(co_await redis_.evaluate(cut_script(), keys, arguments, until));
}

task<append_result> output_writer::requeued(uuid run, std::int64_t attempt, deadline until) {
  return add_status(run, attempt, "s", "queued", 0, until);
}

task<append_result> output_writer::finish(uuid run, std::int64_t attempt, std::string status, std::int64_t last_seq,
                                          deadline until) {
  return add_status(run, attempt, "c", std::move(status), last_seq, until);
}

void output_writer::requeue_soon(uuid run, std::int64_t attempt) {
  if (soon_ >= most_soon) return;
  ++soon_;
  spawn_task(redis_.context(), add_soon(run, attempt, false, {}, 0));
}

void output_writer::finish_soon(uuid run, std::int64_t attempt, std::string status, std::int64_t last_seq) {
  if (soon_ >= most_soon) return;
  ++soon_;
  spawn_task(redis_.context(), add_soon(run, attempt, true, std::move(status), last_seq));
}

void output_writer::stored_soon(uuid run) {
  if (soon_ >= most_soon) return;
  ++soon_;
  spawn_task(redis_.context(), report_stored(run));
}

task<> output_writer::report_stored(uuid run) {
  std::string const stream = stream_key(run), state = state_key(run), news = announcement_of(redis_, run);
  std::string_view const keys[] = {stream, state};
  std::string_view const arguments[] = {news, mark_millis};
  co_await redis_.evaluate(stored_script(), keys, arguments, deadline::after(soon_patience));
  --soon_;
}

task<> output_writer::add_soon(uuid run, std::int64_t attempt, bool ended, std::string status,
                               std::int64_t last_seq) {
  auto const until = deadline::after(soon_patience);
  if (ended) {
    co_await finish(run, attempt, std::move(status), last_seq, until);
  } else {
    co_await requeued(run, attempt, until);
  }
  --soon_;
}

task<append_result> output_writer::add_status(uuid run, std::int64_t attempt, std::string_view kind,
                                              std::string status, std::int64_t last_seq, deadline until) {
  std::string const stream = stream_key(run), state = state_key(run), news = announcement_of(redis_, run);
  auto const number = std::to_string(attempt), last = std::to_string(last_seq);
  std::string_view const keys[] = {stream, state};
  std::string_view const arguments[] = {news, number, life_millis, kind, status, last};
  co_return result_of(co_await redis_.evaluate(status_script(), keys, arguments, until));
}

task<> output_writer::announce(uuid run, deadline until) {
  std::string const channel = channel_of(run);
  std::string_view const words[] = {redis_.publish_word(), channel, "!"};
  co_await redis_.command(words, until);
}

}  // namespace svc::output
