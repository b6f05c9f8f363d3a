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

/// Settles what is due until `moment`.
void settle(heartbeat_config const& how, heartbeat_state& of, timestamp moment) {
  if (of.due_at && *of.due_at <= moment) of.due_at = how.due_after(moment, *of.due_at);
}

/// What has not come.
struct lateness {
  checks::code what;
  timestamp at;             ///< when it is too late
  microseconds allowed;     ///< so long after it was due, or the run began
  open_run* run = nullptr;  ///< of `ran_too_long`
};

void keep_earlier(std::optional<lateness>& first, lateness const& one) {
  if (!first || one.at < first->at) first = one;
}

bool has_started(heartbeat_config const& how, heartbeat_state const& of) {
  bool const running = std::ranges::any_of(of.runs, [](open_run const& each) { return !each.too_long; });
  if (how.every) return running;
  return running || (of.started_at && *of.started_at + how.early >= *of.due_at);
}

std::optional<lateness> first_lateness(heartbeat_config const& how, heartbeat_state& of) {
  std::optional<lateness> out;
  if (of.due_at && how.start_grace && *how.start_grace < how.grace && !has_started(how, of))
    keep_earlier(out, {checks::code::heartbeat_not_started, *of.due_at + *how.start_grace, *how.start_grace});
  if (of.due_at) keep_earlier(out, {checks::code::heartbeat_missed, *of.due_at + how.grace, how.grace});
  if (!how.longest_run) return out;
  for (auto& each : of.runs) {
    if (!each.too_long)
      keep_earlier(out, {checks::code::ran_too_long, each.started_at + *how.longest_run, *how.longest_run, &each});
  }
  return out;
}

/// Between two beats, as it is from the due time on.
microseconds period_of(heartbeat_config const& how, heartbeat_state const& of) {
  if (how.every) return *how.every;
  auto const next = of.due_at ? how.due_after(*of.due_at, *of.due_at) : std::nullopt;
  return next ? *next - *of.due_at : microseconds(longest_hold);
}

timestamp held(heartbeat_config const& how, heartbeat_state const& of, std::optional<deaf_time> const& deaf,
               timestamp at) {
  if (!deaf || at < deaf->from) return at;
  microseconds const hold = std::min<microseconds>(period_of(how, of) + how.grace, longest_hold);
  return std::max(at, deaf->to + hold);
}

seconds until(std::optional<timestamp> const& then, timestamp now) {
  constexpr seconds least{1};
  return then ? std::max(least, std::chrono::duration_cast<seconds>(*then - now)) : least;
}

/// Ends the run, if its start was told.
std::optional<milliseconds> end_run(heartbeat_state& of, uuid run, timestamp now) {
  auto const found = std::ranges::find(of.runs, run, &open_run::id);
  if (found == of.runs.end()) return std::nullopt;
  auto const took = std::chrono::duration_cast<milliseconds>(now - found->started_at);
  of.runs.erase(found);
  return std::max(took, milliseconds(0));
}

void begin_run(heartbeat_state& of, uuid run, timestamp now) {
  std::erase_if(of.runs, [&](open_run const& each) { return each.id == run; });
  of.runs.push_back({.id = run, .started_at = now});
  if (of.runs.size() > most_runs) of.runs.erase(of.runs.begin());
  of.started_at = now;
}

checks::failure failure_of(signal const& what) {
  using checks::code;
  if (!what.exit_code) return checks::failure(code::heartbeat_failed);
  return {code::heartbeat_failed, "The work ended with exit code " + std::to_string(*what.exit_code) + "."};
}

}  // namespace

void plan(heartbeat_config const& how, heartbeat_state& of, timestamp now) {
  of.due_at = how.due_after(now, now);
  of.started_at.reset();
  of.runs.clear();
}

std::optional<beat_evidence> take(heartbeat_config const& how, heartbeat_state& of, signal const& what, uuid run,
                                  timestamp now) {
  of.last_beat_at = now;
  if (what.kind == signal_kind::log) return std::nullopt;
  if (what.kind == signal_kind::start) {
    begin_run(of, run, now);
    return std::nullopt;
  }
  beat_evidence out{.at = now, .took = end_run(of, run, now)};
  if (out.took) of.last_duration = out.took;
  if (how.every) {
    of.due_at = now + *how.every;
  } else {
    settle(how, of, now + how.early);
  }
  if (what.kind == signal_kind::failure) out.why = failure_of(what);
  out.covers = until(out.why ? deadline_of(how, of) : of.due_at, now);
  return out;
}

std::optional<timestamp> deadline_of(heartbeat_config const& how, heartbeat_state const& of) {
  return deadline_after(how, of, std::nullopt);
}

std::optional<timestamp> deadline_after(heartbeat_config const& how, heartbeat_state const& of,
                                        std::optional<deaf_time> const& deaf) {
  auto copy = of;
  auto const first = first_lateness(how, copy);
  return first ? std::optional(held(how, of, deaf, first->at)) : std::nullopt;
}

std::optional<beat_evidence> judge(heartbeat_config const& how, heartbeat_state& of,
                                   std::optional<deaf_time> const& deaf, timestamp now) {
  auto const first = first_lateness(how, of);
  if (!first) return std::nullopt;
  auto const at = held(how, of, deaf, first->at);
  if (at > now) return std::nullopt;
  if (first->run != nullptr) {
    first->run->too_long = true;
    settle(how, of, first->run->started_at + how.early);
  } else {
    settle(how, of, at + -first->allowed);
  }
  return beat_evidence{checks::failure(first->what), at, std::nullopt, until(deadline_of(how, of), at)};
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

std::string_view name_of(signal_kind of) {
  switch (of) {
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
