#include "monitoring/checks/probe.hpp"

#include <algorithm>

namespace svc::checks {

namespace {

/// By the location's servers, or by that of the monitor, which is then part of what is checked.
task<egress::lookup> look_up(std::string name, dns_config const& how, attempt_of one, probe_tools with) {
  if (!how.server) co_return co_await with.names.query(std::move(name), how.type, one.until);
  egress::resolver own(with.io, {.servers = {*how.server}, .may_be_ill = false});
  co_return co_await own.query(std::move(name), how.type, one.until);
}

bool was_answered(egress::lookup const& got) {
  return got.why == egress::failure::none || got.why == egress::failure::dns_not_found ||
         got.why == egress::failure::dns_failed;
}

/// How the code that came compares with the one that is expected; nothing if it is that.
std::optional<checks::failure> fault_of(egress::lookup const& got, dns_config const& how) {
  using checks::code;
  bool const expected = was_answered(got) && got.answer.rcode == how.rcode;
  // An answer without records is one only where no records are expected.
  if (expected && (got.why != egress::failure::dns_not_found || how.rcode != egress::rcode_none)) return std::nullopt;
  if (was_answered(got) && how.rcode != egress::rcode_none)
    return checks::failure(code::dns_mismatch, "DNS answered " + egress::name_of_rcode(got.answer.rcode) +
                                                   ", expected was " + egress::name_of_rcode(how.rcode) + ".");
  return checks::failure(egress::result_code_of(got.why).value_or(code::internal));
}

}  // namespace

task<checks::result_of_check> probe_dns(dns_config const& how, attempt_of one, probe_tools with) {
  filler fill(one.values);
  auto const text = fill.fill(one.what.target);
  if (fill.fault()) co_return failed_with(*fill.fault(), fill);
  auto const name = egress::parse_dns_name(text);
  if (!name) co_return failed_with(checks::failure(checks::code::target_invalid, name.error().message), fill);
  if (how.server && !with.judge.allows(how.server->at))
    co_return failed_with(egress::failure::address_blocked, {}, fill);
  if (how.server && one.gate) {
    auto const let = co_await one.gate->enter(how.server->at, how.server->port, one.until);
    if (!let) co_return failed_with(egress::failure::cancelled, {}, fill);
    one.until = let->until;
  }
  auto const begin = steady::now();
  auto const owner = working_for();
  auto const got = co_await look_up(*name, how, one, with);
  work_for(owner);
  checks::answer answer;
  answer.response_time_ms = in_ms(std::chrono::duration_cast<microseconds>(steady::now() - begin));
  for (auto const& record : got.answer.records) answer.dns_answers.push_back(record.text);
  std::ranges::sort(answer.dns_answers);

  checks::result_of_check out;
  out.known.error = fault_of(got, how);
  if (!out.known.error) {
    co_await judge_in_turn(with, checks::most_steps_of(how.assertions, answer), [&] {
      checks::judging shared({});
      checks::apply_assertions(how.assertions, answer, shared, fill.patterns(), out);
    });
  }
  if (out.known.error) {
    auto const assertion = out.known.assertion;
    out = failed_with(*out.known.error, fill);
    out.known.assertion = assertion;
  }
  out.response_time_ms = answer.response_time_ms;
  out.known.phases = checks::timings{.dns_ms = answer.response_time_ms};
  if (was_answered(got)) out.known.dns = {egress::name_of_rcode(got.answer.rcode), std::move(answer.dns_answers)};
  co_return out;
}

}  // namespace svc::checks
