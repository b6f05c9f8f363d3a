// The alerts that follow from the ends of a job's runs.
#include "svc/domain/monitoring/alerting/run_alerts.hpp"

#include "unit/domain/monitoring/alerting/played.hpp"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <string_view>

namespace svc::alerting {
namespace {

run_end end_of(char text) {
  return static_cast<run_end>(std::string_view("pfet").find(text));
}

std::string text_of_run(std::vector<run_alert> const& alerts) {
  constexpr std::array<char const*, 4> names{"failed", "timeout", "success", "recovered"};
  std::string out;
  for (auto const& each : alerts) {
    out += (out.empty() ? "" : " ") + std::string(names.at(static_cast<std::size_t>(each.type))) + ">" +
           std::to_string(each.id.bytes[15]);
    if (each.suppressed) out += "!";
  }
  return out;
}

/// Returns the alerts of runs that end one after the other: p passed, f failed, e error, t timed out.
std::string alerts_about(job_alert_settings const& settings, std::string_view ends) {
  std::string out;
  run_streak streak;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    auto made = count_run(settings, std::move(streak), end_of(ends[i]));
    streak = std::move(made.after);
    out += (i == 0 ? "" : ", ") + text_of_run(made.alerts);
  }
  return out;
}

TEST_CASE("failures, passes, timeouts and recoveries of a job by its thresholds") {
  struct {
    char const* name;
    job_alert_settings settings;
    char const* ends;
    std::string reported;
  } const cases[] = {
      {"as it is set when nothing is said", {}, "pfetfp", ", failed>1, failed>1, timeout>1, failed>1, "},
      {"recovery, once", {.on_recovery = true}, "pfpp", ", failed>1, recovered>1, "},
      {"recovery of a timeout", {.on_recovery = true}, "tp", "timeout>1, recovered>1"},
      {"from the third failure in a row on", {.failure_threshold = 3}, "ffpffff", ", , , , , failed>1, failed>1"},
      {"errors and timeouts are failures", {.on_timeout = false, .failure_threshold = 3}, "etf", ", , failed>1"},
      {"a timeout knows no threshold", {.failure_threshold = 3}, "ft", ", timeout>1"},
      {"an take_back failure has no recovery",
       {.on_recovery = true, .failure_threshold = 2},
       "fpffp",
       ", , , failed>1, recovered>1"},
      {"no failures", {.on_failure = false, .on_recovery = true}, "fep", ", , "},
      {"no timeouts", {.on_timeout = false, .on_recovery = true}, "tp", ", "},
      {"passes, from the second in a row on",
       {.on_success = true, .recovery_threshold = 2},
       "ppfpp",
       ", success>1, failed>1, , success>1"},
      {"a pass is a recovery and a success",
       {.on_success = true, .on_recovery = true},
       "fp",
       "failed>1, recovered>1 success>1"},
  };
  for (auto c : cases) {
    CAPTURE(c.name);
    c.settings.providers = {{.id = id_of(1)}};
    CHECK(alerts_about(c.settings, c.ends) == c.reported);
  }
}

TEST_CASE("each provider of a job is notified, and those that were notified also learn of the end") {
  provider const provider{.id = id_of(1)}, off{.id = id_of(2), .disabled = true},
      pager{.id = id_of(3), .resolves = true};
  // A provider that was notified of an incident is always notified of its end. A provider with only recorded alerts
  // is not.
  CHECK(alerts_about({.providers = {provider, off, pager}}, "ffp") ==
        "failed>1 failed>2! failed>3, failed>1 failed>2! failed>3, recovered>3");
  CHECK(alerts_about({.on_recovery = true, .providers = {provider, off, pager}}, "fp") ==
        "failed>1 failed>2! failed>3, recovered>1 recovered>3");
  // The job has another provider meanwhile, and the notified one was disabled.
  auto const failed = count_run({.providers = {provider}}, {}, run_end::failed);
  run_streak reported = failed.after;
  reported.notified.front().disabled = true;
  auto const passed = count_run({.on_recovery = true, .providers = {pager}}, reported, run_end::passed);
  CHECK(text_of_run(passed.alerts) == "recovered>1!");
  CHECK(passed.after.notified.empty());
  CHECK(alerts_about({.on_success = true, .on_recovery = true}, "fp") == ", ");
}

/// Computes the same from all ends so far.
std::string alerts_by_definition(job_alert_settings const& settings, std::string_view ends) {
  bool const passed = ends.back() == 'p';
  auto const run_of_ends = [&](std::string_view text) {
    auto const other = passed ? text.find_last_not_of('p') : text.find_last_of('p');
    return static_cast<std::int64_t>(other == std::string_view::npos ? text.size() : text.size() - other - 1);
  };
  auto const in_a_row = run_of_ends(ends);
  if (ends.back() == 't') return settings.on_timeout ? "timeout>1" : "";
  if (!passed) return settings.on_failure && in_a_row >= settings.failure_threshold ? "failed>1" : "";
  bool reported = false;
  std::int64_t failures = 0;
  for (auto const each : ends.substr(0, ends.size() - 1)) {
    if (each == 'p') failures = 0, reported = false;
    if (each == 'p') continue;
    ++failures;
    reported = reported ||
               (each == 't' ? settings.on_timeout : settings.on_failure && failures >= settings.failure_threshold);
  }
  std::string out = reported && settings.on_recovery ? "recovered>1" : "";
  if (settings.on_success && in_a_row >= settings.recovery_threshold)
    out += (out.empty() ? "" : " ") + std::string("success>1");
  return out;
}

TEST_CASE("all sequences of six results under all settings notify as their definition says") {
  std::int64_t compared = 0;
  for (int set = 0; set < 16 * 9; ++set) {
    job_alert_settings const settings{.on_failure = (set & 1) != 0,
                                      .on_success = (set & 2) != 0,
                                      .on_timeout = (set & 4) != 0,
                                      .on_recovery = (set & 8) != 0,
                                      .failure_threshold = 1 + set / 16 % 3,
                                      .recovery_threshold = 1 + set / 48,
                                      .providers = {{.id = id_of(1)}}};
    for (int code = 0; code < 4096; ++code) {
      std::string ends;
      run_streak streak;
      for (int i = 0; i < 6; ++i) {
        ends += "pfet"[code >> (2 * i) & 3];
        auto made = count_run(settings, std::move(streak), end_of(ends.back()));
        streak = std::move(made.after);
        if (text_of_run(made.alerts) == alerts_by_definition(settings, ends)) continue;
        CAPTURE(set);
        CAPTURE(ends);
        REQUIRE(text_of_run(made.alerts) == alerts_by_definition(settings, ends));
      }
      ++compared;
    }
  }
  CHECK(compared == 144 * 4096);
}

}  // namespace
}  // namespace svc::alerting
