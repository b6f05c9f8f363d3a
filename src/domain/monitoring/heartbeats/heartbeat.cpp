#include "svc/domain/monitoring/heartbeats/heartbeat.hpp"

#include "svc/core/numbers.hpp"

#include <algorithm>
#include <string>

namespace svc::heartbeats {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::chrono::minutes longest_hold{10};

/// Settles the due times up to `moment`.
void settle(heartbeat_config const& config, heartbeat_state& state, timestamp moment) {
  if (state.due_at && *state.due_at <= moment) state.due_at = config.due_after(moment, *state.due_at);
}

/// A missing signal.
struct lateness {
  checks::code code;
  timestamp time;           ///< when the signal counts as too late
  microseconds allowed;     ///< time between the due time, or the start of the run, and `time`
  open_run* run = nullptr;  ///< the run, only for `ran_too_long`
};

void keep_earlier(std::optional<lateness>& first, lateness const& lateness) {
  if (!first || lateness.time < first->time) first = lateness;
}

bool has_started(heartbeat_config const& config, heartbeat_state const& state) {
  bool const running = std::ranges::any_of(state.runs, [](open_run const& each) { return !each.too_long; });
  if (config.every) return running;
  return running || (state.started_at && *state.started_at + config.early >= *state.due_at);
}

std::optional<lateness> first_lateness(heartbeat_config const& config, heartbeat_state& state) {
  std::optional<lateness> out;
  if (state.due_at && config.start_grace && *config.start_grace < config.grace && !has_started(config, state))
    keep_earlier(out,
                 {checks::code::heartbeat_not_started, *state.due_at + *config.start_grace, *config.start_grace});
  if (state.due_at) keep_earlier(out, {checks::code::heartbeat_missed, *state.due_at + config.grace, config.grace});
  if (!config.longest_run) return out;
  for (auto& each : state.runs) {
    if (!each.too_long)
      keep_earlier(out,
                   {checks::code::ran_too_long, each.started_at + *config.longest_run, *config.longest_run, &each});
  }
  return out;
}

/// Returns the time between two pings, counted from the due time.
microseconds period_of(heartbeat_config const& config, heartbeat_state const& state) {
  if (config.every) return *config.every;
  auto const next = state.due_at ? config.due_after(*state.due_at, *state.due_at) : std::nullopt;
  return next ? *next - *state.due_at : microseconds(longest_hold);
}

timestamp held(heartbeat_config const& config, heartbeat_state const& state, std::optional<blind_window> const& blind,
               timestamp time) {
  if (!blind || time < blind->start) return time;
  microseconds const hold = std::min<microseconds>(period_of(config, state) + config.grace, longest_hold);
  return std::max(time, blind->end + hold);
}

seconds until(std::optional<timestamp> const& then, timestamp now) {
  constexpr seconds least{1};
  return then ? std::max(least, std::chrono::duration_cast<seconds>(*then - now)) : least;
}

/// Ends the run and returns its duration, or `std::nullopt` if its start was not signalled.
std::optional<milliseconds> end_run(heartbeat_state& state, uuid run, timestamp now) {
  auto const found = std::ranges::find(state.runs, run, &open_run::id);
  if (found == state.runs.end()) return std::nullopt;
  auto const took = std::chrono::duration_cast<milliseconds>(now - found->started_at);
  state.runs.erase(found);
  return std::max(took, milliseconds(0));
}

void begin_run(heartbeat_state& state, uuid run, timestamp now) {
  std::erase_if(state.runs, [&](open_run const& each) { return each.id == run; });
  state.runs.push_back({.id = run, .started_at = now});
  if (state.runs.size() > most_runs) state.runs.erase(state.runs.begin());
  state.started_at = now;
}

checks::failure failure_of(signal const& signal) {
  using checks::code;
  if (!signal.exit_code) return checks::failure(code::heartbeat_failed);
  return {code::heartbeat_failed, "The work ended with exit code " + std::to_string(*signal.exit_code) + "."};
}

}  // namespace

void plan(heartbeat_config const& config, heartbeat_state& state, timestamp now) {
  state.due_at = config.due_after(now, now);
  state.started_at.reset();
  state.runs.clear();
}

std::optional<heartbeat_finding> take(heartbeat_config const& config, heartbeat_state& state, signal const& signal,
                                      uuid run, timestamp now) {
  state.last_ping_at = now;
  if (signal.kind == signal_kind::log) return std::nullopt;
  if (signal.kind == signal_kind::start) {
    begin_run(state, run, now);
    return std::nullopt;
  }
  heartbeat_finding out{.time = now, .took = end_run(state, run, now)};
  if (out.took) state.last_duration = out.took;
  if (config.every) {
    state.due_at = now + *config.every;
  } else {
    settle(config, state, now + config.early);
  }
  if (signal.kind == signal_kind::failure) out.failure = failure_of(signal);
  out.covers = until(out.failure ? deadline_of(config, state) : state.due_at, now);
  return out;
}

std::optional<timestamp> deadline_of(heartbeat_config const& config, heartbeat_state const& state) {
  return deadline_after(config, state, std::nullopt);
}

std::optional<timestamp> deadline_after(heartbeat_config const& config, heartbeat_state const& state,
                                        std::optional<blind_window> const& blind) {
  auto copy = state;
  auto const first = first_lateness(config, copy);
  return first ? std::optional(held(config, state, blind, first->time)) : std::nullopt;
}

std::optional<heartbeat_finding> evaluate(heartbeat_config const& config, heartbeat_state& state,
                                          std::optional<blind_window> const& blind, timestamp now) {
  auto const first = first_lateness(config, state);
  if (!first) return std::nullopt;
  auto const time = held(config, state, blind, first->time);
  if (time > now) return std::nullopt;
  if (first->run != nullptr) {
    first->run->too_long = true;
    settle(config, state, first->run->started_at + config.early);
  } else {
    settle(config, state, time + -first->allowed);
  }
  return heartbeat_finding{checks::failure(first->code), time, std::nullopt, until(deadline_of(config, state), time)};
}

std::optional<signal> parse_signal(std::string_view text) {
  if (text.empty() || text == "0") return signal{};
  if (text == "fail") return signal{.kind = signal_kind::failure};
  if (text == "start") return signal{.kind = signal_kind::start};
  if (text == "log") return signal{.kind = signal_kind::log};
  if (text.size() > 3 || text.front() < '1' || text.front() > '9') return std::nullopt;
  auto const code = parse_number<int>(text);
  if (!code || *code > 255) return std::nullopt;
  return signal{signal_kind::failure, static_cast<std::uint8_t>(*code)};
}

std::string_view name_of(signal_kind kind) {
  switch (kind) {
    case signal_kind::success:
      return "success";
    case signal_kind::failure:
      return "fail";
    case signal_kind::start:
      return "start";
    case signal_kind::log:
      return "log";
  }
  return {};
}

}  // namespace svc::heartbeats
