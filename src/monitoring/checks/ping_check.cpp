#include "monitoring/checks/probe.hpp"

namespace svc::checks {

namespace {

using checks::code;

double ms_of(microseconds of) {
  return static_cast<double>(of.count()) / 1000;
}

checks::ping_facts facts_of(egress::ping_answer const& got) {
  checks::ping_facts out{.sent = got.sent, .received = got.received};
  if (got.received > 0) {
    out.min_ms = ms_of(got.least);
    out.max_ms = ms_of(got.most);
  }
  return out;
}

std::optional<checks::failure> fault_of_ping(ping_config const& how, egress::ping_answer const& got) {
  if (got.why != egress::failure::none) return checks::failure(*egress::result_code_of(got.why));
  if (got.received == 0) return checks::failure(code::ping_no_reply);
  if (facts_of(got).loss_percent() > how.most_loss_percent) return checks::failure(code::ping_loss);
  return std::nullopt;
}

}  // namespace

task<checks::result_of_check> probe_ping(ping_config const& how, attempt_of one, probe_tools with) {
  filler fill(one.values);
  auto host = host_of(one.what, fill);
  if (host.fault) co_return *host.fault;
  auto const got = co_await with.pings.ping({.at = std::move(*host.at),
                                             .family = how.family,
                                             .count = how.count,
                                             .interval = how.interval,
                                             .payload = how.payload,
                                             .address_age = one.address_age,
                                             .gate = one.gate},
                                            one.until);
  if (!got) co_return failed_with(checks::failure(code::capability_missing), fill);
  if (got->why == egress::failure::cancelled) co_return failed_with(got->why, {}, fill);
  auto const fault = fault_of_ping(how, *got);
  auto out = fault ? failed_with(*fault, fill) : checks::result_of_check();
  if (got->received > 0) out.response_time_ms = in_ms(got->sum / static_cast<int>(got->received));
  out.known.phases = checks::timings{.dns_ms = phase_ms(got->dns)};
  if (got->sent > 0) out.known.ping = facts_of(*got);
  if (!got->address.empty()) out.known.ip_address = got->address;
  co_return out;
}

}  // namespace svc::checks
