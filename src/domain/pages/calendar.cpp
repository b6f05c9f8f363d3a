// iCalendar (RFC 5545).
#include "domain/pages/frame.hpp"
#include "svc/core/harmless_text.hpp"
#include "svc/core/utf8.hpp"

#include <algorithm>
#include <chrono>
#include <string>

namespace svc::pages {
namespace {

constexpr std::size_t longest_line = 75, most_events = 200;
constexpr std::chrono::days shown_before{90}, shown_ahead{60}, cancelled_for{30};

/// Returns the time in UTC, for example `20261122T030000Z` (section 3.3.5).
std::string calendar_time(timestamp moment) {
  std::string out;
  for (char const c : to_rfc3339(moment).substr(0, 19))
    if (c != '-' && c != ':') out += c;
  return out + "Z";
}

/// Escapes a TEXT value (section 3.3.11).
std::string calendar_text(std::string_view text) {
  std::string out;
  for (char const c : text) {
    if (c == '\\' || c == ';' || c == ',') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out;
}

/// Appends one content line, folded before 76 octets and never inside a character (section 3.1).
void add_line(std::string& out, std::string_view name, std::string_view value) {
  auto const line = std::string(name).append(":").append(value);
  std::size_t used = 0;
  for (std::string_view left = line; !left.empty();) {
    auto const size = std::max<std::size_t>(utf8_sequence(left), 1);
    if (used + size > longest_line) {
      out += "\r\n ";
      used = 1;
    }
    out += left.substr(0, size);
    used += size;
    left.remove_prefix(size);
  }
  out += "\r\n";
}

bool is_shown(page_maintenance const& maintenance, timestamp now) {
  if (maintenance.cancelled && maintenance.changed_at + cancelled_for <= now) return false;
  return now < maintenance.ends_at + shown_before && maintenance.starts_at < now + shown_ahead;
}

/// The texts of an occurrence, the oldest first.
std::string description_of(page_maintenance const& maintenance) {
  std::string out;
  for (auto each = maintenance.posts.rbegin(); each != maintenance.posts.rend(); ++each) {
    auto const body = plain_body(each->body);
    if (body.empty()) continue;
    if (!out.empty()) out += "\n\n";
    out += body;
  }
  return out;
}

void add_event(std::string& out, page_view const& view, page_maintenance const& maintenance) {
  add_line(out, "BEGIN", "VEVENT");
  add_line(out, "UID", maintenance.id.to_string());
  add_line(out, "DTSTAMP", calendar_time(maintenance.changed_at));
  add_line(out, "DTSTART", calendar_time(maintenance.starts_at));
  add_line(out, "DTEND", calendar_time(maintenance.ends_at));
  add_line(out, "SEQUENCE", std::to_string(maintenance.sequence));
  add_line(out, "STATUS", maintenance.cancelled ? "CANCELLED" : "CONFIRMED");
  add_line(out, "SUMMARY", calendar_text(one_line(maintenance.name)));
  auto const description = description_of(maintenance);
  if (!description.empty()) add_line(out, "DESCRIPTION", calendar_text(description));
  add_line(out, "URL", view.address.maintenance(maintenance.id));
  add_line(out, "CATEGORIES", "MAINTENANCE");
  add_line(out, "END", "VEVENT");
}

/// Returns the shown occurrences, the latest ones if there are too many, in the order of their starts.
std::vector<page_maintenance const*> shown_events(page_view const& view) {
  std::vector<page_maintenance const*> out;
  for (auto const& each : view.snapshot.maintenance)
    if (is_shown(each, view.now)) out.push_back(&each);
  if (out.size() > most_events) out.erase(out.begin(), out.end() - most_events);
  return out;
}

}  // namespace

std::string calendar(page_view const& view) {
  auto const name = calendar_text(one_line(view.snapshot.page.name));
  std::string out;
  add_line(out, "BEGIN", "VCALENDAR");
  add_line(out, "PRODID", "-//Project Automation Service//Status pages//EN");
  add_line(out, "VERSION", "2.0");
  add_line(out, "NAME", name);
  add_line(out, "X-WR-CALNAME", name);
  add_line(out, "REFRESH-INTERVAL;VALUE=DURATION", "PT15M");
  for (auto const* const each : shown_events(view)) add_event(out, view, *each);
  add_line(out, "END", "VCALENDAR");
  return out;
}

}  // namespace svc::pages
