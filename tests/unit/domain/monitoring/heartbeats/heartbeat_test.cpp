// The conclusions from signals of scheduled work, and from their absence.
#include "played_pings.hpp"

using namespace svc;
using namespace svc::heartbeats;
using namespace std::chrono_literals;

namespace {

constexpr char hourly[] = R"({"schedule":{"everySeconds":3600},"graceSeconds":300})";
constexpr char at_each_hour[] = R"({"schedule":{"cron":"0 * * * *"},"graceSeconds":300,"earlySeconds":60})";
constexpr char start_codes[] = R"({"schedule":{"cron":"0 * * * *"},"graceSeconds":1800,"startGraceSeconds":300})";
constexpr char bounded[] =
    R"({"schedule":{"cron":"0 * * * *"},"graceSeconds":1800,"maxDurationSeconds":600,"earlySeconds":60})";
constexpr char patient[] = R"({"schedule":{"cron":"* * * * *"},"graceSeconds":900,"earlySeconds":0})";

std::string local_due(heartbeat_config const& config, std::string const& source, int times) {
  auto time = *parse_rfc3339(source);
  std::string out;
  for (int i = 0; i < times; ++i) {
    time = *config.due_after(time, time);
    out += (i > 0 ? " " : "") + to_rfc3339(time).substr(0, 16);
  }
  return out;
}

}  // namespace

TEST_CASE("beats and their absence") {
  struct {
    char const* name;
    char const* config;
    char const* events;  ///< minutes after the monitor started, which is a full hour
    char const* said;
  } const cases[] = {
      {"each beat in time", hourly, "60 0; 120 0; 184 0", "60 up, 120 up, 184 up"},
      {"in the last moment of the grace", hourly, "64 0; 129 -", "64 up, 129 heartbeat_missed"},
      {"never: told once for each due time", hourly, "200 -",
       "65 heartbeat_missed, 125 heartbeat_missed, 185 heartbeat_missed"},
      {"a period counts from the last beat", hourly, "20 0; 84 -; 85 -", "20 up, 85 heartbeat_missed"},
      {"a late one is well, and begins the period", hourly, "80 0; 144 -; 145 -",
       "65 heartbeat_missed, 80 up, 145 heartbeat_missed"},
      {"a failure counts at once and for its due time", hourly, "60 fail; 124 -", "60 heartbeat_failed"},
      {"so does an exit code", hourly, "60 3; 124 -; 125 0", "60 heartbeat_failed, 125 heartbeat_missed, 125 up"},
      {"a log line is no beat", hourly, "60 log; 65 -", "65 heartbeat_missed"},
      {"a start is none either", hourly, "60 start; 65 -", "65 heartbeat_missed"},
      {"of cron: early enough counts for the due time", at_each_hour, "59 0; 119 0; 184 -", "59 up, 119 up"},
      {"of cron: too early does not", at_each_hour, "58 0; 65 -", "58 up, 65 heartbeat_missed"},
      {"of cron: a late one does not count for the next", at_each_hour, "118 0; 125 -",
       "65 heartbeat_missed, 118 up, 125 heartbeat_missed"},
      {"of cron: an early failure counts for its due time", at_each_hour, "59 1; 124 -", "59 heartbeat_failed"},
      {"a grace longer than the period", patient, "16 -; 17 0; 32 -",
       "16 heartbeat_missed, 17 heartbeat_missed, 17 up"},
      {"a start in time", start_codes, "62 start; 70 0", "70 up"},
      {"no start", start_codes, "64 -; 65 -; 90 -", "65 heartbeat_not_started"},
      {"no start: told once for the due time", start_codes, "95 -; 124 start; 130 0",
       "65 heartbeat_not_started, 130 up"},
      {"a late start that ends well", start_codes, "66 start; 80 0", "65 heartbeat_not_started, 80 up"},
      {"a beat without a start is none missing", start_codes, "61 0; 120 -", "61 up"},
      {"a start a little early", start_codes, "59 start; 66 -; 70 0", "70 up"},
      {"a start much too early", start_codes, "30 start; 40 0; 65 -", "40 up, 65 heartbeat_not_started"},
      {"a start without an end", start_codes, "60 start; 89 -; 90 -", "90 heartbeat_missed"},
      {"a run too long", bounded, "60 start 1; 69 -; 70 -; 100 -", "70 ran_too_long"},
      {"that ends well after all", bounded, "60 start 1; 75 0 1", "70 ran_too_long, 75 up"},
      {"a start told again begins its clock anew", bounded, "60 start 1; 65 start 1; 74 -; 75 -", "75 ran_too_long"},
      {"a failure too", bounded, "60 start 1; 61 fail 1; 100 -", "61 heartbeat_failed"},
      {"two runs side by side", bounded, "60 start 1; 62 start 2; 64 0 1; 72 -", "64 up, 72 ran_too_long"},
      {"an end of another run ends none", bounded, "60 start 1; 61 0 2; 70 -", "61 up, 70 ran_too_long"},
      {"an end without an id ends the run without one", bounded, "60 start; 61 0; 100 -", "61 up"},
  };
  for (auto const& each : cases) {
    CAPTURE(each.name);
    CHECK(played_pings(each.config).play(each.events) == each.said);
  }
}

TEST_CASE("due times of cron follow the clocks of their zone") {
  auto const daily = config_of(R"({"schedule":{"cron":"30 2 * * *","timeZone":"Europe/Berlin"}})");
  // On 29 March the local time is skipped: the job is due at the end of the gap, 01:00 UTC. On 25 October the local
  // time occurs twice: the job is due once.
  CHECK(local_due(daily, "2026-03-28T00:00:00Z", 3) == "2026-03-28T01:30 2026-03-29T01:00 2026-03-30T00:30");
  CHECK(local_due(daily, "2026-10-24T00:00:00Z", 3) == "2026-10-24T00:30 2026-10-25T00:30 2026-10-26T01:30");
  auto const each_hour = config_of(R"({"schedule":{"cron":"0 * * * *","timeZone":"America/New_York"}})");
  CHECK(local_due(each_hour, "2026-11-01T04:30:00Z", 3) == "2026-11-01T05:00 2026-11-01T06:00 2026-11-01T07:00");
}

TEST_CASE("a daily beat is in time over a day of 23 and of 25 hours") {
  struct {
    char const* began;
    char const* events;
    char const* said;
  } const cases[] = {
      // 02:30 in Berlin: 1470 minutes after 01:00 UTC of the day before, the gap's end; a day later at 00:30 UTC.
      {"2026-03-28T01:45:00Z", "1395 0; 2805 0; 2810 -", "1395 up, 2805 up"},
      {"2026-03-28T01:45:00Z", "1400 -", "1400 heartbeat_missed"},
      {"2026-10-24T00:45:00Z", "1425 0; 2925 0; 2930 -", "1425 up, 2925 up"},
      {"2026-10-24T00:45:00Z", "1425 0; 2930 -", "1425 up, 2930 heartbeat_missed"},
  };
  for (auto const& each : cases) {
    CAPTURE(each.began);
    played_pings pings(R"({"schedule":{"cron":"30 2 * * *","timeZone":"Europe/Berlin"},"graceSeconds":300})",
                       *parse_rfc3339(each.began));
    CHECK(pings.play(each.events) == each.said);
  }
}

TEST_CASE("a signal that nobody could receive is not judged until it could be repeated") {
  struct {
    char const* name;
    char const* config;
    char const* events;
    long first, last;  ///< no instance listened
    char const* said;
  } const cases[] = {
      {"a deadline in it is put off by period and grace, ten minutes at most", hourly, "109 -; 110 -", 60, 100,
       "110 heartbeat_missed"},
      {"so is one so soon after it", hourly, "71 -; 72 -", 58, 62, "72 heartbeat_missed"},
      {"not one that is later anyway", hourly, "64 -; 65 -", 40, 50, "65 heartbeat_missed"},
      {"a beat after it settles what was due in it", hourly, "105 0; 164 -", 55, 100, "105 up"},
      {"all that was due in it is judged once", R"({"schedule":{"everySeconds":60},"graceSeconds":60})",
       "61 -; 62 -; 63 -", 1, 60, "62 heartbeat_missed, 63 heartbeat_missed"},
      {"a short period without a grace has the time for a beat",
       R"({"schedule":{"everySeconds":120},"graceSeconds":0})", "61 0; 62 -; 63 -", 1, 60,
       "61 up, 63 heartbeat_missed"},
      {"a run's end may be lost too", bounded, "60 start 1; 79 -; 80 0 1", 65, 75, "80 up"},
  };
  for (auto const& each : cases) {
    CAPTURE(each.name);
    played_pings pings(each.config);
    pings.blind = blind_window{pings.at(each.first), pings.at(each.last)};
    pings.play(each.events);
    CHECK(pings.said == each.said);
  }
}

TEST_CASE("runs are bounded: the oldest is forgotten") {
  played_pings pings(bounded);
  for (std::uint8_t run = 1; run <= most_runs + 1; ++run) pings.signal_at(60, "start", run);
  CHECK(pings.state.runs.size() == most_runs);
  CHECK(pings.state.runs.front().id.bytes[15] == 2);
  pings.signal_at(61, "0", 2);
  CHECK(pings.state.runs.size() == most_runs - 1);
  CHECK(pings.state.last_duration == std::chrono::milliseconds(60'000));
}

TEST_CASE("evidence covers the time until more is known") {
  played_pings pings(hourly);
  auto const good = take(pings.settings, pings.state, {}, {}, pings.at(60));
  CHECK(good->covers == 3600s);
  CHECK_FALSE(good->took);
  auto const bad = take(pings.settings, pings.state, {signal_kind::failure, 7}, {}, pings.at(120));
  CHECK(bad->covers == 3900s);
  CHECK(bad->failure->message == "The work ended with exit code 7.");
  CHECK(deadline_of(pings.settings, pings.state) == pings.at(185));
  CHECK(evaluate(pings.settings, pings.state, {}, pings.at(185))->covers == 3600s);
}

TEST_CASE("a plan forgets due times and running work, but not received signals") {
  played_pings pings(start_codes);
  pings.signal_at(60, "start", 1);
  plan(pings.settings, pings.state, pings.at(70));
  CHECK(pings.state.due_at == pings.at(120));
  CHECK(pings.state.runs.empty());
  CHECK(pings.state.last_ping_at == pings.at(60));
}
