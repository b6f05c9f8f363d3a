// Any bytes are a place in a list or not; a place that is written reads back the same.
#include "check.hpp"
#include "svc/domain/page.hpp"

#include <cstdint>

using namespace svc;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const text = text_of(data, size);
  for (auto const* order : {"", "name"}) {
    auto const key = read_cursor(order, text);
    if (key) check(read_cursor(order, write_cursor(order, *key)) == key, "what is written reads back");
  }
  return 0;
}
