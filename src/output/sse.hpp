#pragma once

#include "svc/domain/run_event.hpp"

#include <string>

namespace svc::output {

// Server-sent events (WHATWG HTML 9.2). Data is one line of JSON, so no text can end an event early.

void append_sse(std::string& out, run_event const& one);
/// `event: gap`: nothing is held of what stood between the two.
void append_gap(std::string& out, event_id after, event_id before);

}  // namespace svc::output
