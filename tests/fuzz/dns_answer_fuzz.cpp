// Any bytes are an answer or not. The first byte chooses what was asked for. What an assertion and a result make of
// the records is bounded and valid.
#include "check.hpp"
#include "egress/dns/message.hpp"
#include "svc/core/utf8.hpp"
#include "svc/domain/monitoring/checks/assertion.hpp"
#include "svc/domain/monitoring/checks/pattern.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

using namespace svc;
using namespace svc::egress;

namespace {

/// As a check of DNS uses the answer.
void use(dns_answer const& dns_answer) {
  checks::answer answer;
  for (auto const& record : dns_answer.records) answer.dns_answers.push_back(record.text);
  std::ranges::sort(answer.dns_answers);
  std::vector<field_error> wrong;
  auto const all = checks::make_assertions({{.source = checks::source::dns_answer,
                                             .comparison = checks::comparison::matches,
                                             .expected = std::string("^10 mail")}},
                                           checks::unlimited_pattern_size, wrong);
  checks::result_of_check out;
  checks::assertion_context shared({});
  checks::apply_assertions(all, answer, shared, nullptr, out);
  if (out.known.error) out.ended = checks::status::down;
  out.known.dns = {name_of_rcode(dns_answer.rcode), answer.dns_answers};
  auto const text = checks::details_json(out);
  check(text.size() <= checks::longest_details, "bounded");
  check(is_utf8(text), "UTF-8");
}

}  // namespace

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
  for (auto const& record : answer->records) {
    bool const of_address = type == record_type::a || type == record_type::aaaa;
    check(record.address.has_value() == of_address, "addresses are of A and AAAA");
    check(record.ttl >= answer->ttl, "the least TTL holds");
  }
  use(*answer);
  return 0;
}
