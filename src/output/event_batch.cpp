#include "output/event_batch.hpp"

#include "svc/http/json.hpp"

namespace svc::output {

batch_ptr make_batch(event_id after, std::vector<run_event> const& events) {
  auto made = std::make_shared<event_batch>();
  made->after = after;
  made->events.reserve(events.size());
  for (auto const& one : events) {
    if (!made->events.empty() && !made->events.back().id.precedes(one.id))
      append_gap(made->text, made->events.back().id, one.id);
    append_sse(made->text, one);
    made->events.push_back({one.id, made->text.size(), one.kind == event_kind::complete});
  }
  return made;
}

namespace {

void append_head(std::string& out, event_id id, std::string_view event) {
  out.append("id: ").append(id.to_string()).append("\nevent: ").append(event).append("\ndata: {");
}

}  // namespace

void append_sse(std::string& out, run_event const& one) {
  if (one.is_line()) {
    append_head(out, one.id, "console");
    out += "\"line\":";
    http::append_json_string(out, one.text);
    out += one.kind == event_kind::out ? ",\"stream\":\"stdout\"" : ",\"stream\":\"stderr\"";
  } else {
    append_head(out, one.id, one.kind == event_kind::complete ? "complete" : "status");
    out += "\"status\":";
    http::append_json_string(out, one.text);
  }
  out += "}\n\n";
}

void append_gap(std::string& out, event_id after, event_id before) {
  // Its id is that of the last one missing: who resumes behind it is told once.
  append_head(out, {before.attempt, before.seq - 1}, "gap");
  out.append("\"after\":\"").append(after.to_string());
  out.append("\",\"before\":\"").append(before.to_string()).append("\"}\n\n");
}

}  // namespace svc::output
