// The first byte chooses the family and whether an IPv4 header comes first; the rest is a packet. What is taken for
// an echo lies inside of it, and an echo that is written is read again.
#include "check.hpp"
#include "egress/icmp/echo.hpp"
#include "svc/core/bytes.hpp"

#include <algorithm>

using namespace svc;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size == 0) return 0;
  bool const v4 = (data[0] & 1U) != 0, with_ip = (data[0] & 2U) != 0;
  std::span<std::uint8_t const> const packet(data + 1, size - 1);
  auto const echo = egress::read_echo(packet, v4, with_ip);
  if (!echo) return 0;
  check(echo->payload.size() + 8 <= packet.size(), "the payload lies in the packet");
  auto const written = egress::echo_request(v4, echo->id, echo->sequence, echo->payload);
  auto const again = egress::read_echo(as_bytes(written), v4, false);
  check(again && !again->reply && again->id == echo->id && again->sequence == echo->sequence, "the same echo");
  check(std::ranges::equal(again->payload, echo->payload), "the same payload");
  return 0;
}
