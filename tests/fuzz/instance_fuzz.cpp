// Any bytes are an instance or none; what is read is written so that it is read again.
#include "check.hpp"
#include "svc/domain/instance.hpp"

#include <cstdint>

using namespace svc;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const text = text_of(data, size);
  auto const identity = read_instance(text);
  if (!identity) return 0;
  auto const again = read_instance(to_text(*identity));
  check(again.has_value() && *again == *identity, "an instance is read as it was written");
  return 0;
}
