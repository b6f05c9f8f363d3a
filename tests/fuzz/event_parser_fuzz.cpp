// Any bytes are server-sent events or nothing, and the same ones wherever they are cut: the first byte says where.
#include "check.hpp"
#include "cli/events/event_parser.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

using namespace svc::cli;

namespace {

std::vector<std::string> events_of(std::string_view text, std::size_t piece) {
  std::vector<std::string> out;
  event_parser parser;
  while (!text.empty()) {
    auto const size = std::min(piece, text.size());
    bool const fits = parser.feed(text.substr(0, size), [&](event&& e) {
      check(e.type.find_first_of("\r\n") == std::string::npos, "a type is part of a line");
      check(e.id.find_first_of(std::string_view("\r\n\0", 3)) == std::string::npos, "an id is part of a line");
      out.push_back(e.id + "\n" + e.type + "\n" + e.data);
    });
    check(fits, "what is shorter than the limit fits");
    text.remove_prefix(size);
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) return 0;
  auto const text = text_of(data + 1, size - 1);
  check(events_of(text, 1U + data[0] % 64U) == events_of(text, size), "a cut changes nothing");
  return 0;
}
