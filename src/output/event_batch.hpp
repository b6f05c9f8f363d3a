#pragma once

#include "svc/domain/run_event.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace svc::output {

/// Events that stand one behind the other, as the text that viewers get: made once, shared by all of them on all
/// workers. Immutable.
struct event_batch {
  struct mark {
    event_id id;
    std::size_t end;  ///< in `text`, behind this event
    bool complete;
  };
  event_id after;  ///< what stood before the first of them when it was written
  std::vector<mark> events{};
  std::string text{};
};
using batch_ptr = std::shared_ptr<event_batch const>;

/// Not for an empty list. A gap before the first one depends on who reads, and is not in the text.
batch_ptr make_batch(event_id after, std::vector<run_event> const& events);

// Server-sent events (WHATWG HTML 9.2). Data is one line of JSON, so no text can end an event early.

void append_sse(std::string& out, run_event const& one);
/// `event: gap`: nothing is held of what stood between the two.
void append_gap(std::string& out, event_id after, event_id before);

}  // namespace svc::output
