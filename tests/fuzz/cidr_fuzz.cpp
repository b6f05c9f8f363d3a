// Any bytes are a range or not; a range contains its own network, and its text parses to the same range.
#include "check.hpp"
#include "svc/core/ip_address.hpp"

#include <cstdint>

using namespace svc;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const text = text_of(data, size);
  auto const range = cidr::parse(text);
  static_cast<void>(ip_address::parse(text));
  if (!range) return 0;
  auto const written = range->to_string();
  check(cidr::parse(written) == range, "what is written reads back");
  auto const network = ip_address::parse(written.substr(0, written.find('/')));
  check(network && range->contains(*network), "a range holds its network");
  return 0;
}
