// The type `dns`.
#include "monitoring/checks/config_members.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace svc::checks {

namespace {

using egress::record_type;
constexpr std::array<std::pair<std::string_view, record_type>, 10> record_types{{{"A", record_type::a},
                                                                                 {"AAAA", record_type::aaaa},
                                                                                 {"CNAME", record_type::cname},
                                                                                 {"MX", record_type::mx},
                                                                                 {"NS", record_type::ns},
                                                                                 {"TXT", record_type::txt},
                                                                                 {"SRV", record_type::srv},
                                                                                 {"CAA", record_type::caa},
                                                                                 {"SOA", record_type::soa},
                                                                                 {"PTR", record_type::ptr}}};

struct dns_settings final : type_settings {
  task<checks::result_of_check> probe(check_attempt attempt, probe_tools tools) const override;
  void visit_patterns(std::function<void(re2::RE2 const&)> const& visit) const override {
    visit_patterns_of(assertions, visit);
  }

  egress::record_type type{};
  std::optional<egress::nameserver_address> server{};  ///< empty: the location's servers
  unsigned rcode = egress::rcode_none;
  std::vector<checks::assertion> assertions{};
};

/// Asks the location's servers, or the monitor's server. The latter is part of the target.
task<egress::lookup> look_up(std::string name, dns_settings const& settings, deadline end, probe_tools tools) {
  if (!settings.server) co_return co_await tools.names.query(std::move(name), settings.type, end);
  egress::resolver own(tools.io, {.servers = {*settings.server}, .may_be_ill = false});
  co_return co_await own.query(std::move(name), settings.type, end);
}

bool was_answered(egress::lookup const& got) {
  return got.error == egress::failure::none || got.error == egress::failure::dns_not_found ||
         got.error == egress::failure::dns_failed;
}

/// Compares the result code with the expected one; returns `std::nullopt` if they match.
std::optional<checks::failure> fault_of(egress::lookup const& got, dns_settings const& settings) {
  using checks::code;
  bool const expected = was_answered(got) && got.answer.rcode == settings.rcode;
  // An answer without records is expected only if the expected code is not NOERROR.
  if (expected && (got.error != egress::failure::dns_not_found || settings.rcode != egress::rcode_none))
    return std::nullopt;
  if (was_answered(got) && settings.rcode != egress::rcode_none)
    return checks::failure(code::dns_mismatch, "DNS answered " + egress::name_of_rcode(got.answer.rcode) +
                                                   ", expected was " + egress::name_of_rcode(settings.rcode) + ".");
  return checks::failure(egress::result_code_of(got.error).value_or(code::internal));
}

task<checks::result_of_check> dns_settings::probe(check_attempt attempt, probe_tools tools) const {
  filler fill(attempt.values);
  auto const text = fill.fill(attempt.config.target);
  if (fill.fault()) co_return failed_with(*fill.fault(), fill);
  auto const name = egress::parse_dns_name(text);
  if (!name) co_return failed_with(checks::failure(checks::code::target_invalid, name.error().message), fill);
  if (server && !tools.address_rules.allows(server->address))
    co_return failed_with(egress::failure::address_blocked, {}, fill);
  if (server && attempt.gate) {
    auto const admitted = co_await attempt.gate->enter(server->address, server->port, attempt.end);
    if (!admitted) co_return failed_with(egress::failure::cancelled, {}, fill);
    attempt.end = admitted->until;
  }
  auto const begin = steady::now();
  auto const owner = working_for();
  auto const got = co_await look_up(*name, *this, attempt.end, tools);
  work_for(owner);
  checks::answer answer;
  answer.response_time_ms = in_ms(std::chrono::duration_cast<microseconds>(steady::now() - begin));
  for (auto const& record : got.answer.records) answer.dns_answers.push_back(record.text);
  std::ranges::sort(answer.dns_answers);

  checks::result_of_check out;
  out.known.error = fault_of(got, *this);
  if (!out.known.error) {
    co_await evaluate_in_turn(tools, checks::most_steps_of(assertions, answer), [&] {
      checks::assertion_context shared({});
      checks::apply_assertions(assertions, answer, shared, fill.patterns(), out);
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

}  // namespace

std::shared_ptr<type_settings const> parse_dns(settings_source const& source) {
  auto& config = source.config;
  auto out = std::make_shared<dns_settings>();
  auto const type = config.text("recordType", 16);
  auto const found = std::ranges::find(record_types, type.value_or(""), &decltype(record_types)::value_type::first);
  if (found != record_types.end())
    out->type = found->second;
  else
    config.refuse("recordType", "must be one of A, AAAA, CNAME, MX, NS, TXT, SRV, CAA, SOA, PTR");
  if (auto const text = config.text("resolver", 64)) {
    out->server = egress::parse_nameserver(*text);
    if (!out->server)
      config.refuse("resolver", "must be an address with or without a port, as in 192.0.2.1:53 or [2001:db8::1]:53");
    else if (source.address_rules != nullptr && !source.address_rules->allows(out->server->address))
      config.refuse("resolver",
                    "must not be an address that is closed to checks; the operator opens networks with "
                    "outgoing_allow_cidrs");
  }
  auto const rcode = config.text("expectedRcode", 16);
  if (auto const number = egress::rcode_named(rcode.value_or("NOERROR")))
    out->rcode = *number;
  else
    config.refuse("expectedRcode", "must be one of NOERROR, FORMERR, SERVFAIL, NXDOMAIN, NOTIMP, REFUSED");
  auto settings = assertions_of(config);
  for (std::size_t i = 0; i < settings.size(); ++i)
    if (settings[i].source != checks::source::dns_answer && settings[i].source != checks::source::response_time_ms)
      config.refuse("assertions/" + std::to_string(i) + "/source", "must be dnsAnswer or responseTimeMs");
  std::vector<field_error> wrong;
  out->assertions = checks::make_assertions(std::move(settings), source.most_pattern_size, wrong);
  for (auto& each : wrong) config.wrong().push_back({"/config" + each.field, std::move(each.message)});
  return out;
}

}  // namespace svc::checks
