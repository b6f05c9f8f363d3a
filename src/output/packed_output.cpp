#include "output/packed_output.hpp"

namespace svc::output {

void packed_output::add(std::vector<run_event> const& events) {
  std::string page;
  for (auto const& event : events) {
    out.incomplete = out.incomplete || !last.precedes(event.id);
    out.lines += event.is_line() ? 1 : 0;
    complete = event.kind == event_kind::complete;
    last = event.id;
    append_stored(page, event);
  }
  out.size += static_cast<std::int64_t>(page.size());
  text.add(page);
}

void packed_output::finish(uuid run) {
  auto const content = text.finish();
  out.run = run;
  out.content.assign(content.begin(), content.end());
}

}  // namespace svc::output
