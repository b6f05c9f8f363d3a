#include "live/output/event_queue.hpp"

#include "svc/http/json.hpp"

#include <algorithm>

namespace svc::output {
namespace {

void append_head(std::string& out, event_id id, std::string_view event) {
  out.append("id: ").append(id.to_string()).append("\nevent: ").append(event).append("\ndata: {");
}

/// The id of a gap is that of the last missing event, so that a viewer that resumes there is not told again.
event_id last_before(event_id next) {
  return {next.attempt, next.seq - 1};
}

constexpr std::size_t largest_piece = 64UL * 1024;

}  // namespace

batch_ptr make_batch(event_id after, std::vector<run_event> const& events) {
  auto made = std::make_shared<event_batch>();
  made->after = after;
  made->events.reserve(events.size());
  for (auto const& event : events) {
    if (!made->events.empty() && !made->events.back().id.precedes(event.id))
      append_gap(made->text, made->events.back().id, event.id);
    append_sse(made->text, event);
    made->events.push_back({event.id, made->text.size(), event.kind == event_kind::complete});
  }
  return made;
}

void append_sse(std::string& out, run_event const& event) {
  if (event.is_line()) {
    append_head(out, event.id, "console");
    out += "\"line\":";
    http::append_json_string(out, event.text);
    out += event.kind == event_kind::out ? ",\"stream\":\"stdout\"" : ",\"stream\":\"stderr\"";
  } else {
    append_head(out, event.id, event.kind == event_kind::complete ? "complete" : "status");
    out += "\"status\":";
    http::append_json_string(out, event.text);
  }
  out += "}\n\n";
}

void append_gap(std::string& out, event_id after, event_id before) {
  append_head(out, last_before(before), "gap");
  out.append("\"after\":\"").append(after.to_string());
  out.append("\",\"before\":\"").append(before.to_string()).append("\"}\n\n");
}

void append_dropped(std::string& out, event_id last) {
  append_head(out, last, "dropped");
  out += "\"reason\":\"slow_reader\"}\n\n";
}

event_queue::fit event_queue::add(batch_ptr const& batch) {
  auto const& events = batch->events;
  if (events.empty() || events.back().id <= tail_) return fit::known;
  if (batch->after > tail_) return fit::behind;
  auto const first = std::upper_bound(events.begin(), events.end(), tail_,
                                      [](event_id id, auto const& mark) { return id < mark.id; });
  item added{.batch = batch};
  added.next = static_cast<std::size_t>(first - events.begin());
  if (added.next > 0) {
    // If there is a gap before this event in the batch, its text begins with that gap.
    added.offset = events[added.next - 1].end;
  } else if (!tail_.precedes(first->id)) {
    add_gap(first->id);
  }
  size_ += batch->text.size() - added.offset;
  waiting_.push_back(std::move(added));
  tail_ = events.back().id;
  complete_ = complete_ || events.back().complete;
  return fit::taken;
}

void event_queue::add(run_event const& event) {
  std::string text;
  append_sse(text, event);
  push_text(std::move(text), event.id);
  tail_ = event.id;
  complete_ = complete_ || event.kind == event_kind::complete;
}

void event_queue::add_gap(event_id before) {
  std::string text;
  append_gap(text, tail_, before);
  push_text(std::move(text), last_before(before));
}

void event_queue::push_text(std::string text, event_id id) {
  size_ += text.size();
  waiting_.push_back({.text = std::make_shared<std::string const>(std::move(text)), .id = id});
}

http::body_stream::piece event_queue::take() {
  if (empty()) return {};
  auto& front = waiting_.front();
  if (!front.batch) {
    http::body_stream::piece out{*front.text, front.text};
    size_ -= out.bytes.size();
    taken_ = front.id;
    waiting_.pop_front();
    return out;
  }
  auto const& events = front.batch->events;
  auto const begin = front.offset;
  do {
    front.offset = events[front.next].end;
    taken_ = events[front.next].id;
    ++front.next;
  } while (front.next < events.size() && events[front.next].end - begin <= largest_piece);
  std::shared_ptr<std::string const> const keep(front.batch, &front.batch->text);
  http::body_stream::piece out{std::string_view(*keep).substr(begin, front.offset - begin), keep};
  size_ -= out.bytes.size();
  if (front.next == events.size()) waiting_.pop_front();
  return out;
}

void event_queue::clear() {
  waiting_.clear();
  size_ = 0;
  taken_ = tail_;
}

}  // namespace svc::output
