// Maintenance windows on the command line: moments, and bodies that options make.
#include "cli/commands/arguments.hpp"
#include "cli/commands/resource.hpp"

#include <doctest/doctest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <cstdlib>
#include <ctime>

namespace svc::cli {
namespace {

/// Makes Central European Time the local time while it lives, without the database of time zones.
class central_europe {
 public:
  central_europe() {
    if (auto const* const zone = std::getenv("TZ")) before_ = zone;
    ::setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
    ::tzset();
  }
  ~central_europe() {
    before_ ? ::setenv("TZ", before_->c_str(), 1) : ::unsetenv("TZ");
    ::tzset();
  }
  central_europe(central_europe const&) = delete;
  central_europe& operator=(central_europe const&) = delete;

 private:
  std::optional<std::string> before_{};
};

/// Returns the body of a creation as it is sent.
std::string created_window(std::string const& given) {
  context cx;
  auto body = boost::json::parse(given).as_object();
  window_resource().prepare(cx, body, {});
  return boost::json::serialize(body);
}

std::string refused_window(std::string const& given) {
  try {
    created_window(given);
  } catch (failure const& f) {
    CHECK(f.exit() == exit_code::usage);
    return f.what();
  }
  return {};
}

}  // namespace

TEST_CASE("planned work starts at a time from now, at a local time, or at a moment of RFC 3339") {
  central_europe const zone;
  auto const now = *parse_rfc3339("2026-11-23T12:00:00Z");  // 13:00 of the local time
  struct {
    char const* text;
    char const* expected;
  } const cases[] = {
      {"now", "2026-11-23T12:00:00.000Z"},
      {"2h", "2026-11-23T14:00:00.000Z"},
      {"+90m", "2026-11-23T13:30:00.000Z"},
      {"2w", "2026-12-07T12:00:00.000Z"},
      {"22:00", "2026-11-23T21:00:00.000Z"},
      {"13:00", "2026-11-24T12:00:00.000Z"},
      {"12:59", "2026-11-24T11:59:00.000Z"},
      {"today 22:00", "2026-11-23T21:00:00.000Z"},
      {"tomorrow", "2026-11-23T23:00:00.000Z"},
      {"tomorrow 22:00", "2026-11-24T21:00:00.000Z"},
      {"2026-12-01", "2026-11-30T23:00:00.000Z"},
      {"2026-12-01 22:00", "2026-12-01T21:00:00.000Z"},
      {"2026-12-01T22:00", "2026-12-01T21:00:00.000Z"},
      {"2027-07-01 22:00", "2027-07-01T20:00:00.000Z"},
      {"2028-02-29 00:00", "2028-02-28T23:00:00.000Z"},
      {"2026-12-01T22:00:00+01:00", "2026-12-01T22:00:00+01:00"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.text);
    CHECK(planned_moment_of(c.text, now) == c.expected);
  }
  // The clocks skip 02:30 on the 28th of March 2027.
  for (auto const* const wrong :
       {"", "soon", "25:00", "22:60", "2:00", "-2h", "2", "2026-02-30", "2026-02-30 10:00", "2026-13-01",
        "2026-12-00", "2027-03-28 02:30", "tomorrow at 10", "2026-12-01 2200", "yesterday"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(planned_moment_of(wrong, now), failure);
  }
}

TEST_CASE("a window that does not recur gets an end from its length, and starts now unless a start is given") {
  CHECK(created_window(R"({"all":true,"startsAt":"2026-12-01T22:00:00Z","durationMinutes":90})") ==
        R"({"all":true,"startsAt":"2026-12-01T22:00:00Z","endsAt":"2026-12-01T23:30:00.000Z"})");
  constexpr auto both = R"({"all":true,"startsAt":"2026-12-01T22:00:00Z","endsAt":"2026-12-01T23:00:00Z"})";
  CHECK(created_window(both) == both);
  constexpr auto weekly = R"({"all":true,"cron":"0 3 * * sun","durationMinutes":90})";
  CHECK(created_window(weekly) == weekly);

  auto const before = system_now();
  auto const made = boost::json::parse(created_window(R"({"all":true,"durationMinutes":30})")).as_object();
  CHECK_FALSE(made.contains("durationMinutes"));
  auto const start = parse_rfc3339(text_of_member(made, "startsAt")),
             end = parse_rfc3339(text_of_member(made, "endsAt"));
  REQUIRE(start);
  REQUIRE(end);
  CHECK(*end - *start == std::chrono::minutes(30));
  CHECK(*start - before >= std::chrono::milliseconds(-1));
  CHECK(*start - before < std::chrono::seconds(60));
}

TEST_CASE("a window without monitors or end, or with two kinds of them, is refused before anything is sent") {
  CHECK(refused_window(R"({"durationMinutes":30})") == "The window would cover no monitor.");
  CHECK(refused_window(R"({"monitorIds":null,"durationMinutes":30})") == "The window would cover no monitor.");
  CHECK(refused_window(R"({"all":true,"tagIds":["x"],"durationMinutes":30})") ==
        "--monitor, --tag and --all-monitors exclude each other.");
  CHECK(refused_window(R"({"all":false,"tagIds":["x"],"durationMinutes":30})").empty());
  CHECK(refused_window(R"({"all":true})") == "The window has no end.");
  CHECK(refused_window(R"({"all":true,"cron":"0 3 * * *"})") == "The window has no end.");
  CHECK(refused_window(R"({"all":true,"endsAt":"2026-12-01T22:00:00Z","durationMinutes":30})") ==
        "--end and --for exclude each other.");
}

TEST_CASE("a window is shown with the occurrence that lasts or comes next, and its rule in words") {
  auto window = boost::json::parse(R"({"startsAt":null,"endsAt":null,"cron":"0 3 * * sun","timeZone":"Europe/Berlin",
    "durationMinutes":90,"current":null,"next":{"startsAt":"2026-11-22T02:00:00.000Z",
    "endsAt":"2026-11-22T03:30:00.000Z"}})")
                    .as_object();
  window_resource().adapt(window);
  CHECK(text_of_member(window, "startsAt") == "2026-11-22T02:00:00.000Z");
  CHECK(text_of_member(window, "endsAt") == "2026-11-22T03:30:00.000Z");
  CHECK(text_of_member(window, "schedule") == "0 3 * * sun in Europe/Berlin");
  CHECK(window.at("lasts") == boost::json::value(5400));
  window["current"] = {{"startsAt", "2026-11-15T02:00:00.000Z"}, {"endsAt", "2026-11-15T03:30:00.000Z"}};
  window_resource().adapt(window);
  CHECK(text_of_member(window, "startsAt") == "2026-11-15T02:00:00.000Z");
}

TEST_CASE("a monitor is shown with its maintenance in words, and cleared dependencies are an empty list") {
  auto monitor = boost::json::parse(R"({"type":"website","maintenance":{"id":"1","name":"upgrade",
    "until":"2026-11-20T12:00:00.000Z"}})")
                     .as_object();
  monitor_resource().adapt(monitor);
  CHECK(text_of_member(monitor, "maintenance") ==
        "upgrade, until " + local_time(*parse_rfc3339("2026-11-20T12:00:00Z")));
  monitor["maintenance"] = nullptr;
  monitor_resource().adapt(monitor);
  CHECK(monitor.at("maintenance").is_null());

  context cx;
  auto change = boost::json::parse(R"({"dependsOn":null})").as_object();
  monitor_resource().prepare(cx, change, "01934f2e-8888-7d3e-9b1f-5a2c8e4d6f70");
  CHECK(boost::json::serialize(change) == R"({"dependsOn":[]})");
}

}  // namespace svc::cli
