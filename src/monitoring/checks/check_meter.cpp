#include "monitoring/checks/check_meter.hpp"

#include "svc/core/log.hpp"

namespace svc::app {
namespace {

constexpr std::array<char const*, 5> type_names{"http_request", "website", "ping_host", "port_check", "dns"};
constexpr std::array<char const*, 6> phase_names{"dns", "connect", "tls", "first_byte", "transfer", "all"};
constexpr std::array<char const*, watch::missed_count> missed_names{"still_running", "overloaded", "nobody_watched",
                                                                    "values_unread", "target_busy"};
constexpr char const* own_place = "local";

void observe_ms(histogram const& to, std::optional<std::uint32_t> const& ms) {
  if (ms) to.observe(*ms / 1000.0);
}

}  // namespace

check_meter::check_meter(metrics& counters, check_state& state, int index)
    : state_(state), index_(static_cast<std::size_t>(index)) {
  labels const worker{{"worker", std::to_string(index)}};
  for (std::size_t t = 0; t < types; ++t) {
    for (std::size_t s = 0; s < checks::status_count; ++s) {
      std::string const status(checks::name_of(static_cast<checks::status>(s)));
      ended_[t][s] = counters.make_counter("svc_checks_total", "Checks that have ended, by what they found",
                                           {{"type", type_names[t]}, {"status", status}, {"location", own_place}});
    }
    for (std::size_t p = 0; p < phases; ++p) {
      took_[t][p] = counters.make_histogram("svc_check_seconds", "Time of the last attempt of checks, by phase",
                                            {{"type", type_names[t]}, {"phase", phase_names[p]}});
    }
  }
  for (std::size_t m = 0; m < watch::missed_count; ++m) {
    missed_[m] =
        counters.make_counter("svc_checks_missed_total", "Due times of monitors that went by without a check",
                              {{"worker", std::to_string(index)}, {"reason", missed_names[m]}});
  }
  times_.lag = counters.make_histogram("svc_check_lag_seconds", "Time from when a check was due to its start");
  times_.flush = counters.make_histogram("svc_check_flush_seconds", "Time of bringing results into PostgreSQL");
  in_flight_ = counters.make_gauge("svc_checks_in_flight", "Checks in progress", worker);
  shards_ = counters.make_gauge("svc_check_shards", "Of the 64 parts of all monitors, those checked here", worker);
  plan_bytes_ =
      counters.make_gauge("svc_check_plan_bytes",
                          "Memory that compiled configurations of monitors may take, with their searches", worker);
  impaired_ = counters.make_gauge("svc_location_impaired",
                                  "1 while failures do not count, because no canary of this place answers",
                                  {{"location", own_place}});
  blocked_ = counters.make_counter("svc_outgoing_blocked_total", "Connections to addresses that are not open",
                                   {{"for", "check"}});
}

void check_meter::ended(probes::check_type type, checks::result_of_check const& with) {
  auto const t = static_cast<std::size_t>(type);
  ended_[t][static_cast<std::size_t>(with.ended)].add();
  if (auto const& phases_of = with.known.phases) {
    std::size_t p = 0;
    for (auto const* each : {&phases_of->dns_ms, &phases_of->connect_ms, &phases_of->tls_ms,
                             &phases_of->first_byte_ms, &phases_of->transfer_ms})
      observe_ms(took_[t][p++], *each);
  }
  observe_ms(took_[t][phases - 1], with.response_time_ms);
  if (with.known.error && with.known.error->which == checks::code::address_blocked) blocked_.add();
  note_place(with);
}

/// Each change is told once, whichever worker sees it. Canaries are asked only about failures, so only one that they
/// confirmed says that this place is well: some targets answer also while the canaries do not.
void check_meter::note_place(checks::result_of_check const& of) {
  bool const ill = of.known.error && of.known.error->which == checks::code::location_impaired;
  if (!ill && checks::evidence_of(of.ended) != checks::evidence::bad) return;
  if (state_.impaired.exchange(ill) == ill) return;
  impaired_.set(ill ? 1 : 0);
  if (ill) {
    log::warn("failures of checks do not count: no canary answers, so this place does not reach the outside");
  } else {
    log::info("failures of checks count again");
  }
}

void check_meter::show(watch::check_holder::statistics const& now, std::size_t plan_bytes) {
  in_flight_.set(static_cast<double>(now.running));
  plan_bytes_.set(static_cast<double>(plan_bytes));
  shards_.set(static_cast<double>(now.shards));
  for (std::size_t m = 0; m < watch::missed_count; ++m) missed_[m].raise_to(static_cast<double>(now.missed[m]));
  state_.overdue_ms[index_] = now.overdue.count();
}

}  // namespace svc::app
