#pragma once

#include "svc/core/uuid.hpp"
#include "svc/domain/run_event.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace svc::output {

// One hash tag for each run: its scripts touch one slot.

inline std::string stream_key(uuid const& run) {
  return "svc:{" + run.to_string() + "}:out";
}
inline std::string state_key(uuid const& run) {
  return "svc:{" + run.to_string() + "}:outstate";
}
/// Where news of a run are published: `<id before> <newest id>`, with ` !` after it when the run has ended, or `!`
/// alone when only the database has changed.
inline std::string channel_of(uuid const& run) {
  return "svc:{" + run.to_string() + "}:news";
}

// The books of all live output: one hash tag of their own, so one slot, and a script of their own.
inline constexpr std::string_view books_runs = "svc:{output}:runs";
inline constexpr std::string_view books_due = "svc:{output}:due";
inline constexpr std::string_view books_held = "svc:{output}:held";

/// What is published of a run; `channel_of` says how it is written.
struct news_line {
  std::optional<std::pair<event_id, event_id>> events{};  ///< what stood before, and the newest
  bool ended = false;
};
std::optional<news_line> read_news(std::string_view payload);

/// The run whose channel this is.
std::optional<uuid> run_of_channel(std::string_view channel);

}  // namespace svc::output
