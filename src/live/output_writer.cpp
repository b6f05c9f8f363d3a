#include "svc/live/output_writer.hpp"

#include "live/keys.hpp"

namespace svc::embedded {
extern std::string_view const output_append_lua;
extern std::string_view const output_status_lua;
}  // namespace svc::embedded

namespace svc::live {
namespace {

/// A run may be silent for as long as it may run, a day.
constexpr std::string_view life_millis = "90000000";
constexpr std::string_view cut_mark = " [line cut]";

redis::script const& append_script() {
  static redis::script const append("output_append", embedded::output_append_lua);
  return append;
}

redis::script const& status_script() {
  static redis::script const status("output_status", embedded::output_status_lua);
  return status;
}

append_result result_of(redis::outcome const& from) {
  if (!from.ok() || from.value.elements.size() != 2) return {};
  auto const& word = from.value.elements[0].text;
  append_result out;
  out.through = from.value.elements[1].number;
  if (word == "ok") out.verdict = append_verdict::accepted;
  if (word == "superseded") out.verdict = append_verdict::superseded;
  if (word == "ended") out.verdict = append_verdict::ended;
  return out;
}

/// Never longer than the longest line, and not in the middle of a character.
void cut(std::string& text) {
  if (text.size() <= output_writer::longest_line) return;
  auto end = output_writer::longest_line - cut_mark.size();
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  text.resize(end);
  text += cut_mark;
}

}  // namespace

std::vector<redis::script const*> output_writer::scripts() {
  return {&append_script(), &status_script()};
}

task<append_result> output_writer::begin(uuid run, std::int64_t attempt, deadline until) {
  return append(run, attempt, {}, until);
}

task<append_result> output_writer::append(uuid run, std::int64_t attempt, std::vector<output_line> lines,
                                          deadline until) {
  std::string const stream = stream_key(run), state = state_key(run);
  std::string_view const keys[] = {stream, state};
  std::vector<std::string> numbers;
  numbers.reserve(lines.size());  // views into it follow
  auto const number = std::to_string(attempt);
  auto const channel = channel_of(run);
  auto const most_lines = std::to_string(limits_.lines), most_bytes = std::to_string(limits_.bytes);
  auto const reached =
      "[the output limit of " + most_lines + " lines or " + most_bytes + " bytes is reached; the rest is dropped]";
  std::vector<std::string_view> arguments{channel, number, life_millis, most_lines, most_bytes, reached};
  for (auto& line : lines) {
    cut(line.text);
    arguments.push_back(numbers.emplace_back(std::to_string(line.seq)));
    arguments.push_back(line.stream == output_stream::out ? "o" : "e");
    arguments.push_back(line.text);
  }
  co_return result_of(co_await redis_.evaluate(append_script(), keys, arguments, until));
}

task<append_result> output_writer::requeued(uuid run, std::int64_t attempt, deadline until) {
  return add_status(run, attempt, "s", "queued", 0, until);
}

task<append_result> output_writer::finish(uuid run, std::int64_t attempt, std::string status, std::int64_t last_seq,
                                          deadline until) {
  return add_status(run, attempt, "c", std::move(status), last_seq, until);
}

task<append_result> output_writer::add_status(uuid run, std::int64_t attempt, std::string_view kind,
                                              std::string status, std::int64_t last_seq, deadline until) {
  std::string const stream = stream_key(run), state = state_key(run), channel = channel_of(run);
  auto const number = std::to_string(attempt), last = std::to_string(last_seq);
  std::string_view const keys[] = {stream, state};
  std::string_view const arguments[] = {channel, number, life_millis, kind, status, last};
  co_return result_of(co_await redis_.evaluate(status_script(), keys, arguments, until));
}

task<> output_writer::announce(uuid run, deadline until) {
  std::string const channel = channel_of(run);
  std::string_view const words[] = {"PUBLISH", channel, "!"};
  co_await redis_.command(words, until);
}

}  // namespace svc::live
