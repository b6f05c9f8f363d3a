#include "api/runs/output_text.hpp"

#include "svc/core/utf8.hpp"
#include "svc/domain/run_event.hpp"
#include "svc/http/json.hpp"

namespace svc::api {
namespace {

/// Calls `line` and `gap` in order.
template <class Line, class Gap>
void walk(std::string_view stored, Line line, Gap gap) {
  event_id last;
  while (auto const one = next_stored(stored)) {
    if (!last.precedes(one->id)) gap(last, one->id);
    if (one->is_line()) line(*one);
    last = one->id;
  }
}

void append_utf8(std::string& out, std::string_view text) {
  while (!text.empty()) {
    auto const size = utf8_sequence(text);
    out.append(size == 0 ? std::string_view("\xef\xbf\xbd") : text.substr(0, size));
    text.remove_prefix(size == 0 ? 1 : size);
  }
}

}  // namespace

std::string output_text(std::string_view stored) {
  std::string out;
  walk(
      stored,
      [&out](run_event const& one) {
        append_utf8(out, one.text);
        out += '\n';
      },
      [&out](event_id, event_id) { out += "[output is missing here]\n"; });
  return out;
}

std::string output_ndjson(std::string_view stored) {
  std::string out;
  walk(
      stored,
      [&out](run_event const& one) {
        out.append("{\"id\":\"").append(one.id.to_string()).append("\",\"line\":");
        http::append_json_string(out, one.text);
        out += one.kind == event_kind::out ? ",\"stream\":\"stdout\"}\n" : ",\"stream\":\"stderr\"}\n";
      },
      [&out](event_id after, event_id before) {
        out.append("{\"gap\":{\"after\":\"").append(after.to_string());
        out.append("\",\"before\":\"").append(before.to_string()).append("\"}}\n");
      });
  return out;
}

}  // namespace svc::api
