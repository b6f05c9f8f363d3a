#include "svc/live/output/whole_output.hpp"

#include <algorithm>

namespace svc::output {
namespace {

constexpr std::int64_t first_attempt = 1;

run_event running() {
  return {{first_attempt, 0}, event_kind::status, "running"};
}

run_event ended(std::int64_t seq, std::string status) {
  return {{first_attempt, seq}, event_kind::complete, std::move(status)};
}

}  // namespace

// Packs the events that output_append.lua and output_status.lua would have written.
store::stored_output pack_whole(uuid run, std::vector<output_line> output_lines, output_limits const& limits,
                                std::string status, std::int64_t last_seq) {
  if (output_lines.empty() && last_seq == 0) return {run};
  std::vector<run_event> events{running()};
  events.reserve(output_lines.size() + 2);
  std::size_t lines = 0, bytes = 0;
  bool cut = false;
  for (auto& line : output_lines) {
    cut_line(line.text);
    bytes += line.text.size();
    cut = ++lines > limits.lines || bytes > limits.bytes;
    event_id const id{first_attempt, line.seq};
    if (cut) {
      events.push_back({id, event_kind::err, limit_mark(limits)});
      break;
    }
    events.push_back(
        {id, line.stream == output_stream::out ? event_kind::out : event_kind::err, std::move(line.text)});
  }
  auto last = events.back().id.seq;
  // Lines that the runner counted but did not send appear as a gap.
  if (!cut) last = std::max(last, last_seq);
  events.push_back(ended(last + 1, std::move(status)));
  packed_output packed;
  packed.add(events);
  packed.finish(run);
  return std::move(packed.out);
}

std::string text_of_silent(std::string status) {
  std::string out;
  append_stored(out, running());
  append_stored(out, ended(1, std::move(status)));
  return out;
}

void packed_output::add(std::vector<run_event> const& events) {
  std::string page;
  for (auto const& event : events) {
    out.incomplete = out.incomplete || !last.precedes(event.id);
    out.lines += event.is_line() ? 1 : 0;
    complete = event.kind == event_kind::complete;
    last = event.id;
    append_stored(page, event);
  }
  out.size += static_cast<std::int64_t>(page.size());
  text.add(page);
}

void packed_output::finish(uuid run) {
  auto const content = text.finish();
  out.run = run;
  out.content.assign(content.begin(), content.end());
}

}  // namespace svc::output
