#include "monitoring/checks/check_meter.hpp"

#include "svc/core/log.hpp"

namespace svc::checks {
namespace {

constexpr std::array<char const*, 6> phase_names{"dns", "connect", "tls", "first_byte", "transfer", "all"};
constexpr char const* own_index = "local";

void observe_ms(svc::histogram const& histogram, std::optional<std::uint32_t> const& ms) {
  if (ms) histogram.observe(*ms / 1000.0);
}

}  // namespace

check_meter::check_meter(metrics& counters, check_state& state) : state_(state) {
  for (std::size_t t = 0; t < types; ++t) {
    std::string const type(check_types[t].name);
    for (std::size_t s = 0; s < checks::status_count; ++s) {
      std::string const status(checks::name_of(static_cast<checks::status>(s)));
      ended_[t][s] = counters.make_counter("svc_checks_total", "Completed checks, by result",
                                           {{"type", type}, {"status", status}, {"location", own_index}});
    }
    for (std::size_t p = 0; p < phases; ++p) {
      took_[t][p] = counters.make_histogram("svc_check_seconds", "Time of the last attempt of checks, by phase",
                                            {{"type", type}, {"phase", phase_names[p]}});
    }
  }
  impaired_ = counters.make_gauge(
      "svc_location_impaired",
      "1 while failures do not count, because no connectivity probe (checks.canaries) of this location answers",
      {{"location", own_index}});
  blocked_ = counters.make_counter("svc_outgoing_blocked_total", "Connections to addresses that are not open",
                                   {{"for", "check"}});
}

void check_meter::ended(check_type const& type, checks::result_of_check const& result) {
  auto const t = index_of(type);
  ended_[t][static_cast<std::size_t>(result.ended)].add();
  if (auto const& phases_of = result.known.phases) {
    std::size_t p = 0;
    for (auto const* each : {&phases_of->dns_ms, &phases_of->connect_ms, &phases_of->tls_ms,
                             &phases_of->first_byte_ms, &phases_of->transfer_ms})
      observe_ms(took_[t][p++], *each);
  }
  observe_ms(took_[t][phases - 1], result.response_time_ms);
  if (result.known.error && result.known.error->which == checks::code::address_blocked) blocked_.add();
  note_location(result);
}

/// Each change is logged once, whichever worker sees it. Connectivity probes are asked only after failures, so only a
/// failure that they confirm shows that this location works: some targets answer even while the connectivity probes
/// do not.
void check_meter::note_location(checks::result_of_check const& result) {
  bool const ill = result.known.error && result.known.error->which == checks::code::location_impaired;
  if (!ill && checks::conclusion_of(result.ended) != checks::conclusion::bad) return;
  if (state_.impaired.exchange(ill) == ill) return;
  impaired_.set(ill ? 1 : 0);
  if (ill) {
    log::warn(
        "failures of checks do not count: no connectivity probe (checks.canaries) answers, so this location is "
        "offline");
  } else {
    log::info("failures of checks count again");
  }
}

}  // namespace svc::checks
