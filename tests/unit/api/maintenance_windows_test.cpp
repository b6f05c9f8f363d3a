#include "api/resources.hpp"
#include "unit/api/contract.hpp"
#include "unit/api/object.hpp"

#include <doctest/doctest.h>

#include <string>

namespace svc::api {
namespace {

using test::object;

constexpr char const* window_target_id = "01934f2e-7777-7d3e-9b1f-5a2c8e4d6f70";
constexpr char const* window_target_capital_id = "01934F2E-7777-7d3e-9b1f-5a2c8e4d6f70";
std::string const window_once = R"("startsAt":"2026-11-20T10:00:00Z","endsAt":"2026-11-20T11:30:00+01:00")";
std::string const window_weekly = R"("cron":"0 3 * * sun","durationMinutes":90)";

boost::json::object window_body(std::string const& members) {
  return object(R"({"name":"w",)" + members + "}");
}

result<windows::window_settings> window_of(std::string const& members) {
  auto const body = window_body(members);
  if (auto const fits = test::check("CreateMaintenanceWindowRequest", body); !fits) return fits.error();
  return read_window(body);
}

TEST_CASE("valid and invalid maintenance windows, beyond the schema") {
  std::string const id = std::string("\"") + window_target_id + "\"";
  struct {
    std::string name, members, wrong;
  } const cases[] = {
      {"all once", R"("all":true,)" + window_once, ""},
      {"monitors weekly", R"("monitorIds":[)" + id + "]," + window_weekly, ""},
      {"tags, others null", R"("tagIds":[)" + id + R"(],"monitorIds":null,"all":false,"cron":null,)" + window_once,
       ""},
      {"all of a recurrence",
       R"("all":true,"timeZone":"Europe/Berlin","from":"2026-11-20T10:00:00Z","until":null,)" + window_weekly, ""},
      {"no target", window_once, "/monitorIds"},
      {"all is false", R"("all":false,)" + window_once, "/monitorIds"},
      {"two targets", R"("all":true,"tagIds":[)" + id + "]," + window_once, "/all"},
      {"three targets", R"("all":true,"tagIds":[)" + id + R"(],"monitorIds":[)" + id + "]," + window_once,
       "/tagIds /all"},
      {"no monitor", R"("monitorIds":[],)" + window_once, "/monitorIds"},
      {"no tag", R"("tagIds":[],)" + window_once, "/tagIds"},
      {"one monitor twice", R"("monitorIds":[)" + id + ",\"" + window_target_capital_id + "\"]," + window_once,
       "/monitorIds/1"},
      {"no rule", R"("all":true)", "/startsAt /endsAt"},
      {"no end", R"("all":true,"startsAt":"2026-11-20T10:00:00Z")", "/endsAt"},
      {"no start", R"("all":true,"endsAt":"2026-11-20T10:00:00Z")", "/startsAt"},
      {"no duration", R"("all":true,"cron":"0 3 * * sun")", "/durationMinutes"},
      {"both rules", R"("all":true,)" + window_once + "," + window_weekly, "/startsAt /endsAt"},
      {"zone without cron", R"("all":true,"timeZone":"UTC","from":"2026-11-20T10:00:00Z",)" + window_once,
       "/timeZone /from"},
      {"shown on a page", R"("all":true,"statusPageIds":[)" + id + R"(],"componentIds":[)" + id + "]," + window_once,
       ""},
      {"one page twice",
       R"("all":true,"statusPageIds":[)" + id + ",\"" + window_target_capital_id + "\"]," + window_once,
       "/statusPageIds/1"},
      {"components without a page", R"("all":true,"componentIds":[)" + id + "]," + window_once, "/componentIds"},
      {"hidden title", R"("all":true,"announcement":{"title":"a\u202eb","body":"b"},)" + window_once,
       "/announcement/title"},
      {"hidden character", R"("all":true,"name":"a\u202eb",)" + window_once, "/name"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto const body =
        object(std::string("{") + (c.members.find("\"name\"") == std::string::npos ? R"("name":"w",)" : "") +
               c.members + "}");
    auto const fits = test::check("CreateMaintenanceWindowRequest", body);
    CHECK(test::faults(fits) == "");
    CHECK(test::faults(read_window(body)) == c.wrong);
  }
}

TEST_CASE("a maintenance window is read with its defaults") {
  auto const single = window_of(R"("all":true,)" + window_once).value();
  CHECK(single.targets.all);
  CHECK(single.exclude_from_uptime);
  CHECK_FALSE(single.recurring.has_value());
  CHECK(to_rfc3339(single.once->ends_at) == "2026-11-20T10:30:00.000Z");
  auto const recurring = window_of(R"("all":true,"excludeFromUptime":false,)" + window_weekly).value();
  CHECK_FALSE(recurring.exclude_from_uptime);
  CHECK_FALSE(recurring.once.has_value());
  CHECK(recurring.recurring->time_zone == "UTC");
  CHECK(recurring.recurring->duration == std::chrono::minutes(90));
}

windows::window stored_window(std::string const& members) {
  return {.id = uuid::generate_v7(), .set = window_of(members).value()};
}

TEST_CASE("a patch of a maintenance window replaces the target or rule that it names another form of") {
  std::string const id = std::string("\"") + window_target_id + "\"";
  auto const recurring = stored_window(R"("monitorIds":[)" + id +
                                       R"(],"description":"d","until":"2026-11-21T00:00:00Z",)" + window_weekly);
  auto const single = stored_window(R"("all":true,)" + window_once);
  struct {
    std::string name;
    windows::window const& stored;
    std::string patch, wrong;
  } const cases[] = {
      {"name", recurring, R"({"name":"other"})", ""},
      {"all instead of monitors", recurring, R"({"all":true})", ""},
      {"tags instead of all", single, R"({"tagIds":[)" + id + "]}", ""},
      {"two targets", recurring, R"({"all":true,"tagIds":[)" + id + "]}", "/all"},
      {"no target left", recurring, R"({"monitorIds":null})", "/monitorIds"},
      {"not all any more", single, R"({"all":false})", "/monitorIds"},
      {"once instead of weekly", recurring, "{" + window_once + "}", ""},
      {"half of the other rule", recurring, R"({"startsAt":"2026-11-20T10:00:00Z"})", "/endsAt"},
      {"weekly instead of once", single, "{" + window_weekly + "}", ""},
      {"zone of a single window", single, R"({"timeZone":"UTC"})", "/timeZone"},
      {"longer", recurring, R"({"durationMinutes":120})", ""},
      {"components without pages", recurring, R"({"componentIds":[)" + id + "]}", "/componentIds"},
      {"pages", recurring, R"({"statusPageIds":[)" + id + R"(],"announceHours":0})", ""},
      {"half an announcement", recurring, R"({"announcement":{"title":"t"}})", "/announcement/body"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK(test::faults(patch_window(test::contract(), c.stored, object(c.patch))) == c.wrong);
  }
  auto const moved = patch_window(test::contract(), recurring, object("{" + window_once + "}")).value();
  CHECK(moved.once.has_value());
  CHECK_FALSE(moved.recurring.has_value());
  CHECK(moved.targets == recurring.set.targets);
  auto const endless =
      patch_window(test::contract(), recurring, object(R"({"until":null,"description":null})")).value();
  CHECK_FALSE(endless.recurring->until.has_value());
  CHECK_FALSE(endless.description.has_value());
  CHECK(endless.recurring->cron == "0 3 * * sun");
}

TEST_CASE("a patch keeps the microseconds of stored times, which answers do not show") {
  auto const patched_by = [](windows::window const& window, std::string const& patch) {
    return patch_window(test::contract(), window, object(patch)).value();
  };
  auto single = stored_window(R"("all":true,)" + window_once);
  single.set.once->starts_at.micros += 123'456;
  single.set.once->ends_at.micros += 123'456;
  CHECK(patched_by(single, R"({"name":"n"})").once == single.set.once);
  auto const longer = patched_by(single, R"({"endsAt":"2026-11-20T12:00:00.5Z"})");
  CHECK(longer.once->starts_at == single.set.once->starts_at);
  CHECK(longer.once->ends_at == parse_rfc3339("2026-11-20T12:00:00.5Z").value());
  CHECK(patched_by(single, R"({"startsAt":"2026-11-20T10:00:00.123Z"})").once == single.set.once);
  auto const weekly = stored_window(
      R"("all":true,"from":"2026-11-20T10:00:00.000001Z","until":"2027-11-20T10:00:00.000001Z",)" + window_weekly);
  CHECK(patched_by(weekly, R"({"name":"n"})").recurring == weekly.set.recurring);
}

TEST_CASE("a window is read and shown with its pages and its announcement") {
  auto const silent = stored_window(R"("all":true,)" + window_once);
  CHECK(silent.set.shown == windows::window_publication{});
  auto const plain = test::shown(window_json, silent);
  CHECK(plain.at("statusPageIds").as_array().empty());
  CHECK(plain.at("announcement").is_null());
  CHECK(plain.at("announceHours") == 72);
  CHECK(plain.at("notify") == true);
  auto const announced =
      stored_window(std::string(R"("all":true,"statusPageIds":[")") + window_target_id + R"("],"componentIds":[")" +
                    window_target_id +
                    R"("],"announcement":{"title":"t","body":"b"},"announceHours":24,"notify":false,)" + window_once);
  auto const shown = test::shown(window_json, announced);
  CHECK(test::faults(test::check("MaintenanceWindow", shown)) == "");
  CHECK(shown.at("statusPageIds") == boost::json::value(boost::json::array{window_target_id}));
  CHECK(shown.at("announcement") == boost::json::value({{"title", "t"}, {"body", "b"}}));
  auto const patched = patch_window(test::contract(), announced, object(R"({"announcement":null,"notify":true})"));
  REQUIRE(patched.has_value());
  CHECK_FALSE(patched->shown.announcement);
  CHECK(patched->shown.notify);
  CHECK(patched->shown.announced_before == std::chrono::hours(24));
  CHECK(patched->shown.components == announced.set.shown.components);
}

TEST_CASE("a window whose monitors were all deleted can still be renamed") {
  auto window = stored_window(R"("all":true,)" + window_once);
  window.set.targets = {};
  auto const renamed = patch_window(test::contract(), window, object(R"({"name":"n"})"));
  REQUIRE(renamed.has_value());
  CHECK(renamed->targets == windows::window_targets{});
  CHECK(test::shown(window_json, window).at("monitorIds").as_array().empty());
}

TEST_CASE("a maintenance window is shown with its occurrences in its zone") {
  auto window = stored_window(R"("all":true,"timeZone":"Europe/Berlin",)" + window_weekly);
  auto const start = parse_rfc3339("2026-11-22T02:00:00Z").value();
  window.next = windows::occurrence{.id = window.id, .starts_at = start, .ends_at = start + std::chrono::minutes(90)};
  auto const shown = test::shown(window_json, window);
  CHECK(test::faults(test::check("MaintenanceWindow", shown)) == "");
  CHECK(shown.at("next").at("startsAtLocal") == "2026-11-22T03:00:00.000+01:00");
  CHECK(shown.at("next").at("endsAt") == "2026-11-22T03:30:00.000Z");
  CHECK(shown.at("current").is_null());
  CHECK(shown.at("startsAt").is_null());
  CHECK(shown.at("monitorIds").is_null());
  CHECK(shown.at("state") == "scheduled");
  auto const single = test::shown(window_json, stored_window(R"("all":true,)" + window_once));
  CHECK(test::faults(test::check("MaintenanceWindow", single)) == "");
  CHECK(single.at("timeZone").is_null());
  CHECK(single.at("startsAt") == "2026-11-20T10:00:00.000Z");
}

}  // namespace
}  // namespace svc::api
