#include "api/output_text.hpp"

#include "svc/core/utf8.hpp"
#include "svc/http/json.hpp"

namespace svc::api {
namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd";  // U+FFFD

constexpr bool is_plain(char c) {
  return (c >= ' ' && c < '\x7f') || c == '\t';
}

/// U+2400 to U+241F, and U+2421 for DEL.
void append_picture(std::string& out, char control) {
  auto const position = control == '\x7f' ? 0x21U : static_cast<unsigned char>(control);
  out.append("\xe2\x90").append(1, static_cast<char>(0x80U + position));
}

/// U+0080 to U+009F.
bool is_c1(std::string_view sequence) {
  return sequence.size() == 2 && sequence[0] == '\xc2' && static_cast<unsigned char>(sequence[1]) < 0xA0U;
}

void append_shown(std::string& out, std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  while (!line.empty()) {
    std::size_t plain = 0;
    while (plain < line.size() && is_plain(line[plain])) ++plain;
    out.append(line.substr(0, plain));
    line.remove_prefix(plain);
    if (line.empty()) return;
    auto const size = utf8_sequence(line);
    if (size == 1) {
      append_picture(out, line[0]);
    } else {
      auto const sequence = line.substr(0, size);
      out.append(size == 0 || is_c1(sequence) ? replacement : sequence);
    }
    line.remove_prefix(size == 0 ? 1 : size);
  }
}

void append_line(std::string& out, run_event const& event, output_form form) {
  if (form == output_form::text) {
    append_shown(out, event.text);
    out += '\n';
    return;
  }
  out.append("{\"id\":\"").append(event.id.to_string()).append("\",\"line\":");
  http::append_json_string(out, event.text);
  out += event.kind == event_kind::out ? ",\"stream\":\"stdout\"}\n" : ",\"stream\":\"stderr\"}\n";
}

void append_gap(std::string& out, event_id after, event_id before, output_form form) {
  if (form == output_form::text) {
    out += "[output is missing here]\n";
    return;
  }
  out.append("{\"gap\":{\"after\":\"").append(after.to_string());
  out.append("\",\"before\":\"").append(before.to_string()).append("\"}}\n");
}

}  // namespace

bool output_printer::step(std::string& out, std::size_t most) {
  auto const whole = rest_.size();
  while (whole - rest_.size() < most) {
    auto const event = next_stored(rest_);
    if (!event) return false;
    if (!last_.precedes(event->id)) append_gap(out, last_, event->id, form_);
    if (event->is_line()) append_line(out, *event, form_);
    last_ = event->id;
  }
  return true;
}

std::string output_as(std::string_view stored, output_form form) {
  std::string out;
  output_printer(stored, form).step(out, stored.size() + 1);
  return out;
}

}  // namespace svc::api
