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

// Live output in Redis. The keys of a run share a hash tag, so that its scripts touch one slot.

inline std::string stream_key(uuid const& run) {
  return "svc:{" + run.to_string() + "}:out";
}
inline std::string state_key(uuid const& run) {
  return "svc:{" + run.to_string() + "}:outstate";
}

// The ledger of all live output. Its keys share their own hash tag, so that its script touches one slot.
inline constexpr std::string_view books_runs = "svc:{output}:runs";
inline constexpr std::string_view books_due = "svc:{output}:due";
inline constexpr std::string_view books_held = "svc:{output}:held";

enum class page_state : std::uint8_t {
  read,
  unreadable,  ///< the run's key does not hold a stream, so there are no events
  away,        ///< Redis did not answer
};

struct event_page {
  page_state state = page_state::away;
  std::vector<run_event> events{};
  bool more = false;  ///< there may be more events after these
};

/// Reads at most `most` events after `after` from Redis.
task<event_page> read_page(redis::client& redis, uuid run, event_id after, int most, deadline until);
/// Returns the events of `read_page`, or `std::nullopt` if the read failed.
task<std::optional<std::vector<run_event>>> read_events(redis::client& redis, uuid run, event_id after, int most,
                                                        deadline until);

}  // namespace svc::output
