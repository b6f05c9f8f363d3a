// The type `ping_host`.
#include "monitoring/checks/config_members.hpp"

namespace svc::checks {

namespace {

using checks::code;

struct ping_settings final : type_settings {
  task<checks::result_of_check> probe(check_attempt attempt, probe_tools tools) const override;
  /// The last request of an attempt has as much time as there is between two.
  std::optional<std::string> shortest_timeout(milliseconds timeout) const override {
    if (interval * count <= timeout) return std::nullopt;
    return "count times intervalMs, " + std::to_string((interval * count).count()) + " ms";
  }

  unsigned count = 3;
  milliseconds interval{200};
  std::size_t payload = 56;
  unsigned most_loss_percent = 99;
  egress::ip_family family = egress::ip_family::any;
};

double fraction_ms(microseconds time) {
  return static_cast<double>(time.count()) / 1000;
}

checks::ping_facts facts_of(egress::ping_answer const& got) {
  checks::ping_facts out{.sent = got.sent, .received = got.received};
  if (got.received > 0) {
    out.min_ms = fraction_ms(got.least);
    out.max_ms = fraction_ms(got.most);
  }
  return out;
}

std::optional<checks::failure> fault_of_ping(ping_settings const& settings, egress::ping_answer const& got) {
  if (got.error != egress::failure::none) return checks::failure(*egress::result_code_of(got.error));
  if (got.received == 0) return checks::failure(code::ping_no_reply);
  if (facts_of(got).loss_percent() > settings.most_loss_percent) return checks::failure(code::ping_loss);
  return std::nullopt;
}

task<checks::result_of_check> ping_settings::probe(check_attempt attempt, probe_tools tools) const {
  filler fill(attempt.values);
  auto host = host_of(attempt.config, fill);
  if (host.fault) co_return *host.fault;
  auto const got = co_await tools.pings.ping({.host = std::move(*host.address),
                                              .family = family,
                                              .count = count,
                                              .interval = interval,
                                              .payload = payload,
                                              .address_age = attempt.address_age,
                                              .gate = attempt.gate},
                                             attempt.end);
  if (!got) co_return failed_with(checks::failure(code::capability_missing), fill);
  if (got->error == egress::failure::cancelled) co_return failed_with(got->error, {}, fill);
  auto const fault = fault_of_ping(*this, *got);
  auto out = fault ? failed_with(*fault, fill) : checks::result_of_check();
  if (got->received > 0) out.response_time_ms = in_ms(got->sum / static_cast<int>(got->received));
  out.known.phases = checks::timings{.dns_ms = phase_ms(got->dns)};
  if (got->sent > 0) out.known.ping = facts_of(*got);
  if (!got->address.empty()) out.known.ip_address = got->address;
  co_return out;
}

}  // namespace

std::shared_ptr<type_settings const> parse_ping(settings_source const& source) {
  auto& config = source.config;
  auto out = std::make_shared<ping_settings>();
  out->count = static_cast<unsigned>(config.number_or("count", 1, 10, out->count));
  out->interval = milliseconds(config.number_or("intervalMs", 200, 1000, out->interval.count()));
  out->payload = static_cast<std::size_t>(config.number_or("payloadBytes", 0, 1400, 56));
  out->most_loss_percent = static_cast<unsigned>(config.number_or("maxLossPercent", 0, 99, out->most_loss_percent));
  out->family = family_of(config);
  return out;
}

}  // namespace svc::checks
