#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc {

/// The position of an event in a run's output, and its id in a stream: `<attempt>-<seq>`. Sequence number 0
/// is the attempt's start; its lines follow without a gap. {0, 0} stands for the queued run. A value.
struct event_id {
  std::int64_t attempt = 0;
  std::int64_t seq = 0;

  /// Accepts only two numbers of 1 to 15 digits without leading zeros.
  static std::optional<event_id> parse(std::string_view text);
  std::string to_string() const;
  /// Returns true if no event is missing between this one and `next`. A new attempt must begin at its start.
  bool precedes(event_id next) const {
    return next.attempt == attempt ? next.seq == seq + 1 : next.attempt > attempt && next.seq == 0;
  }

  friend auto operator<=>(event_id const&, event_id const&) = default;
};

/// The letter is the field's name in Redis and the kind's mark in stored output.
enum class event_kind : char { status = 's', out = 'o', err = 'e', complete = 'c' };
std::optional<event_kind> event_kind_of(char letter);

/// One event of a run. `text` is a line of output or a run status. A value.
struct run_event {
  event_id id;
  event_kind kind = event_kind::out;
  std::string text{};

  bool is_line() const { return kind == event_kind::out || kind == event_kind::err; }
  friend bool operator==(run_event const&, run_event const&) = default;
};

/// Adds an event in the form in which output is stored: `<id> <kind><text>` and a line feed. Line feeds inside the
/// text become spaces.
void append_stored(std::string& out, run_event const& event);
/// Takes the next event off `rest`. Returns `std::nullopt` at the end, and at bytes that `append_stored`
/// never writes.
std::optional<run_event> next_stored(std::string_view& rest);

}  // namespace svc
