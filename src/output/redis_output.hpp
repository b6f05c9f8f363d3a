#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/run_event.hpp"
#include "svc/redis/client.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::output {

// Live output as Redis holds it. One hash tag for each run: its scripts touch one slot.

inline std::string stream_key(uuid const& run) {
  return "svc:{" + run.to_string() + "}:out";
}
inline std::string state_key(uuid const& run) {
  return "svc:{" + run.to_string() + "}:outstate";
}

// The books of all live output: one hash tag of their own, so one slot, and a script of their own.
inline constexpr std::string_view books_runs = "svc:{output}:runs";
inline constexpr std::string_view books_due = "svc:{output}:due";
inline constexpr std::string_view books_held = "svc:{output}:held";

enum class page_state : std::uint8_t {
  read,
  unreadable,  ///< what stands under the run's key is no stream, so it has no events
  away,        ///< Redis did not answer
};

struct event_page {
  page_state how = page_state::away;
  std::vector<run_event> events{};
  bool more = false;  ///< there may be others after them
};

/// The events that Redis holds after `after`, at most `most` of them.
task<event_page> read_page(redis::client& redis, uuid run, event_id after, int most, deadline until);
/// The same; nothing when they could not be read.
task<std::optional<std::vector<run_event>>> read_events(redis::client& redis, uuid run, event_id after, int most,
                                                        deadline until);

}  // namespace svc::output
