#include "svc/monitoring/checks/engine.hpp"

#include "monitoring/checks/attempts.hpp"
#include "monitoring/checks/check_types.hpp"
#include "monitoring/checks/connectivity_probes.hpp"
#include "svc/core/async.hpp"
#include "svc/domain/monitoring/checks/certificate_warning.hpp"

#include <boost/asio/this_coro.hpp>

#ifdef SVC_NOOP_CHECKS
#include <cstdlib>
#endif

namespace svc::checks {

namespace {

#ifdef SVC_NOOP_CHECKS
/// For measuring the work around a check (bench/checks.sh): attempts end well without connecting to anything.
bool connects_to_nothing() {
  static bool const condition = std::getenv("BENCH_NOOP_CHECKS") != nullptr;
  return condition;
}

/// As of an https check at once, with times that differ as those of a target do.
result_of_check made_up_result(std::uint32_t number) {
  result_of_check out;
  std::uint32_t const jitter = number * 2'654'435'761U >> 28;
  timings const took{jitter & 1, 2 + (jitter & 3), 5 + (jitter & 7), 20 + jitter, jitter & 1};
  out.known.status_code = 200;
  out.known.phases = took;
  out.response_time_ms = *took.dns_ms + *took.connect_ms + *took.tls_ms + *took.first_byte_ms + *took.transfer_ms;
  return out;
}
#endif

/// Notes a slow answer of a type whose own assertions do not.
void note_slowness(check_config const& config, result_of_check& found) {
  if (found.ended == status::up && config.degraded_after_ms && found.response_time_ms > config.degraded_after_ms)
    found.degraded = true;
}

std::optional<std::uint32_t> threshold_of(check_config const& config, check_outcome const& check) {
  auto const days = config.settings->warning_days();
  auto const& shown = check.result.known.tls;
  if (days.empty() || !shown) return std::nullopt;
  return passed_threshold(*shown, days, check.started);
}

}  // namespace

class engine::implementation {
 public:
  implementation(asio::io_context& io, engine_settings settings, work_scheduler* shares)
      : io_(io),
        shares_(shares),
        policy_(settings.policy),
        connectivity_probes_(std::make_shared<connectivity_probes>(io, settings)),
        names_(io, std::move(settings.names)),
        http_(io, names_, policy_, settings.trust, {.user_agent = std::move(settings.user_agent), .shares = shares}),
        streams_(io, names_, policy_, settings.trust, shares),
        datagrams_(io, names_, policy_),
        pings_(io, names_, policy_) {}

  bool can_ping() const { return pings_.available(); }

  task<result_of_check> make_attempt(check_attempt attempt) {
#ifdef SVC_NOOP_CHECKS
    if (connects_to_nothing()) co_return made_up_result(++made_up_);
#endif
    auto out = co_await attempt.config.settings->probe(
        attempt, {io_, names_, *policy_, http_, streams_, datagrams_, pings_, shares_});
    note_slowness(attempt.config, out);
    co_return out;
  }

  /// A failure does not count if this location cannot reach the internet.
  task<result_of_check> confirmed(result_of_check result) {
    if (conclusion_of(result.ended) != conclusion::bad || co_await connectivity_probes_->answer()) co_return result;
    result_of_check out;
    out.known.error = failure(code::location_impaired);
    out.ended = row_of(out.known.error->which).gives;
    co_return out;
  }

  asio::io_context& io() { return io_; }

 private:
  asio::io_context& io_;
  work_scheduler* const shares_;
  std::shared_ptr<egress::address_policy const> policy_;
  std::shared_ptr<connectivity_probes> connectivity_probes_;
  egress::resolver names_;
  egress::http_client http_;
  egress::stream_client streams_;
  egress::datagram_client datagrams_;
  egress::pinger pings_;
#ifdef SVC_NOOP_CHECKS
  std::uint32_t made_up_ = 0;
#endif
};

engine::engine(asio::io_context& io, engine_settings settings, work_scheduler* shares)
    : impl_(std::make_unique<implementation>(io, std::move(settings), shares)) {}

engine::~engine() = default;

bool engine::can(check_type const& type) const {
  return !type.needs_icmp || impl_->can_ping();
}

task<std::optional<check_outcome>> engine::run(std::shared_ptr<check_config const> config,
                                               std::shared_ptr<check_values const> values, check_limits until,
                                               std::shared_ptr<check_gate> gate) {
  check_outcome out{.started = system_now()};
  auto const owner = working_for();
  attempts all(config->retries);
  steady_timer pause(impl_->io());
  for (;;) {
    auto began = steady::now();
    auto const age = all.count() == 0 ? config->address_age : milliseconds(0);
    auto result =
        co_await impl_->make_attempt({*config, *values, out.started, age, until.end.within(config->timeout), gate});
    if (is_cancelled(co_await asio::this_coro::cancellation_state)) co_return std::nullopt;
    if (gate && gate->refused()) co_return std::nullopt;
    if (gate) {
      auto const waited = gate->take_wait();
      until.put_off(waited);
      began += waited;
    }
    all.add(std::move(result));
    auto const delay = all.next();
    auto const now = steady::now();
    if (!delay || now + *delay >= until.last_retry.at()) break;
    if (gate && *delay > now - began) gate->leave();
    pause.expires_after(*delay);
    co_await pause.async_wait(awaiting);
    work_for(owner);
    if (is_cancelled(co_await asio::this_coro::cancellation_state)) co_return std::nullopt;
  }
  if (gate) gate->leave();
  out.attempts = all.count();
  out.result = co_await impl_->confirmed(all.result());
  work_for(owner);
  if (is_cancelled(co_await asio::this_coro::cancellation_state)) co_return std::nullopt;
  out.certificate_threshold = threshold_of(*config, out);
  co_return out;
}

}  // namespace svc::checks
