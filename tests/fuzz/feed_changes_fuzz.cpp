// Any bytes are a message about changes: bounded, written again as it was read, and safe in the text of an event.
#include "check.hpp"
#include "svc/live/feed/feed_events.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

using namespace svc;

namespace {

/// An event is three lines: its name, one line of JSON, and an empty one. No status or id needs an escape.
void check_event(std::string const& text) {
  check(text.starts_with("event: runs\ndata: {") || text.starts_with("event: changed\ndata: {"),
        "an event has a name");
  check(std::ranges::count(text, '\n') == 3 && text.ends_with("}\n\n"), "an event has one line of data");
  check(std::ranges::none_of(text, [](char c) { return c == '\\' || (c < ' ' && c != '\n') || c > '~'; }),
        "an event has no text that needs an escape");
  check(text.size() < 64UL * 1024, "an event is bounded");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const changes = feed::read_changes(text_of(data, size));
  check(changes.size() <= feed::most_collected, "a message is bounded");
  auto const written = feed::write_changes(changes);
  check(feed::write_changes(feed::read_changes(written)) == written, "a message is written as it was read");
  feed::event_pace pace;
  pace.hear(changes);
  for (auto now = steady::time_point(); pace.due() != steady::time_point::max(); now = pace.due())
    while (auto const event = pace.take(now)) check_event(event->text);
  return 0;
}
