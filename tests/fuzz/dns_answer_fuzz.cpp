// Any bytes are an answer or not. The first byte chooses what was asked for.
#include "check.hpp"
#include "outgoing/dns/message.hpp"

#include <array>
#include <cstdint>
#include <span>

using namespace svc::outgoing;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  constexpr std::array types{record_type::a,   record_type::aaaa, record_type::cname, record_type::mx,
                             record_type::ns,  record_type::txt,  record_type::srv,   record_type::caa,
                             record_type::soa, record_type::ptr};
  if (size == 0) return 0;
  auto const type = types[data[0] % types.size()];
  auto const answer = read_dns_answer(std::span(data, size).subspan(1), "a.example", type);
  if (!answer) return 0;
  check(answer->rcode < 16, "a result code has four bits");
  check(answer->records.size() <= size / 11, "each record has its bytes");
  for (auto const& one : answer->records) {
    bool const of_address = type == record_type::a || type == record_type::aaaa;
    check(one.address.has_value() == of_address, "addresses are of A and AAAA");
    check(one.ttl >= answer->ttl, "the least TTL holds");
  }
  return 0;
}
