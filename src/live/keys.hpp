#pragma once

#include "svc/core/uuid.hpp"

#include <string>

namespace svc::live {

// One hash tag for each run: its scripts touch one slot.

inline std::string stream_key(uuid const& run) {
  return "svc:{" + run.to_string() + "}:out";
}
inline std::string state_key(uuid const& run) {
  return "svc:{" + run.to_string() + "}:outstate";
}
/// Where news of a run are published: `<id before> <newest id>`, with ` !` behind it when the run has ended, or `!`
/// alone when only the database has changed.
inline std::string channel_of(uuid const& run) {
  return "svc:{" + run.to_string() + "}:news";
}

}  // namespace svc::live
