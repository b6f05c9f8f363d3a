#include "output/event_batch.hpp"

#include "output/sse.hpp"

namespace svc::output {

batch_ptr make_batch(event_id after, std::vector<run_event> const& events) {
  auto made = std::make_shared<event_batch>();
  made->after = after;
  made->events.reserve(events.size());
  for (auto const& one : events) {
    if (!made->events.empty() && !made->events.back().id.precedes(one.id))
      append_gap(made->text, made->events.back().id, one.id);
    append_sse(made->text, one);
    made->events.push_back({one.id, made->text.size(), one.kind == event_kind::complete});
  }
  return made;
}

}  // namespace svc::output
