// Any bytes are an event id, stored events, or neither; what is read is written again unchanged.
#include "check.hpp"
#include "svc/domain/run_event.hpp"

#include <cstdint>

using namespace svc;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const text = text_of(data, size);
  if (auto const id = event_id::parse(text)) check(id->to_string() == text, "an id is written as it was read");
  std::string_view rest = text;
  std::string again;
  while (auto const event = next_stored(rest)) append_stored(again, *event);
  check(std::string_view(text).substr(0, again.size()) == again, "events are written as they were read");
  check(again.size() + rest.size() == text.size(), "nothing is passed over");
  return 0;
}
