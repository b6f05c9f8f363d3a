// Maintenance windows and dependencies of monitors over the API of two instances.
#include "integration/system/overload/resources.hpp"

#include "svc/core/time.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <vector>

namespace svc::test {
namespace {

using std::chrono::minutes;

std::string const windows_path = "/api/maintenance-windows";

std::string time_in(minutes distance) {
  return to_rfc3339(system_now() + distance);
}

/// A body of a window from and until these times after now; `target` is a member such as `"all":true`.
std::string once_body(std::string const& target, minutes start, minutes end) {
  return R"({"name":"new router",)" + target + R"(,"startsAt":")" + time_in(start) + R"(","endsAt":")" +
         time_in(end) + "\"}";
}

std::string list_member(std::string const& name, std::string const& id) {
  return "\"" + name + "\":[\"" + id + "\"]";
}

/// Creates a paused monitor.
std::string make_idle_monitor(api_client& owner, std::string const& name, std::string const& more = "") {
  auto const made = owner.post("/api/monitors", R"({"name":")" + name + R"(","type":"website",)" +
                                                    R"("target":"https://a.test/","enabled":false)" + more + "}");
  CAPTURE(made.body);
  CHECK(made.status == 201);
  return id_of(made);
}

/// The first wrong member that an answer names.
std::string first_fault(answer const& refused) {
  CAPTURE(refused.body);
  CHECK(code_of(refused) == "validation_failed");
  return text_of(body_of(refused), "/details/0/field");
}

TEST_CASE("a window is created, shown with its monitor, changed under conditions, ended and deleted") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);
  auto reader = fleet.client(1, tenant.token);
  auto const monitor = make_idle_monitor(owner, "shop");
  auto const made = owner.post(windows_path, once_body(list_member("monitorIds", monitor), minutes(-1), minutes(60)));
  CAPTURE(made.body);
  REQUIRE(made.status == 201);
  auto const path = windows_path + "/" + id_of(made);
  CHECK(made.header("location") == path);
  auto const shown = reader.get(path);
  CHECK(body_of(shown) == body_of(made));
  CHECK(text_of(body_of(shown), "/state") == "active");
  CHECK(body_of(shown).at("monitorCount") == 1);
  CHECK(body_of(shown).at("next").is_null());
  CHECK(body_of(reader.get(windows_path + "?state=active&monitorId=" + monitor)).at("data").at(0) == body_of(shown));
  CHECK(body_of(reader.get(windows_path + "?state=scheduled")).at("data") == boost::json::array());
  CHECK(body_of(reader.get(windows_path + "?monitorId=" + nobody)).at("data") == boost::json::array());
  auto const watched = body_of(reader.get("/api/monitors/" + monitor));
  CHECK(text_of(watched, "/maintenance/id") == id_of(made));
  CHECK(text_of(watched, "/maintenance/name") == "new router");
  CHECK(text_of(watched, "/maintenance/until") == text_of(body_of(shown), "/current/endsAt"));
  CHECK(body_of(reader.get("/api/monitors")).at("data").at(0).at("maintenance") == watched.at("maintenance"));

  auto const version = shown.header("etag").value();
  CHECK(owner.call("PATCH", path, R"({"name":"router"})", {{"If-Match", version}}).status == 200);
  CHECK(owner.call("PATCH", path, R"({"name":"late"})", {{"If-Match", version}}).status == 412);
  CHECK(owner.call("POST", path + "/end", "", {{"If-Match", version}}).status == 412);
  CHECK(first_fault(owner.patch(path, R"({"startsAt":")" + time_in(minutes(-5)) + "\"}")) == "/startsAt");
  auto const ended = owner.post(path + "/end", "");
  CHECK(ended.status == 200);
  CHECK(text_of(body_of(ended), "/state") == "finished");
  CHECK(body_of(ended).at("current").is_null());
  CHECK(body_of(reader.get("/api/monitors/" + monitor)).at("maintenance").is_null());
  CHECK(code_of(owner.post(path + "/end", "")) == "window_not_active");
  CHECK(code_of(owner.patch(path, R"({"name":"over"})")) == "window_over");
  CHECK(owner.del(path).status == 204);
  CHECK(code_of(reader.get(path)) == "not_found");
}

TEST_CASE("a recurring window shows its next start in its zone and counts the monitors of its tags") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);
  auto const monitor = make_idle_monitor(owner, "shop");
  auto const tag = id_of(owner.post("/api/tags", R"({"name":"db"})"));
  auto const made = owner.post(windows_path, R"({"name":"weekly",)" + list_member("tagIds", tag) +
                                                 R"(,"cron":"30 3 * * sun","timeZone":"Asia/Kolkata",)" +
                                                 R"("durationMinutes":90})");
  CAPTURE(made.body);
  REQUIRE(made.status == 201);
  auto const path = windows_path + "/" + id_of(made);
  CHECK(text_of(body_of(made), "/state") == "scheduled");
  auto const local = text_of(body_of(made), "/next/startsAtLocal");
  CHECK(local.substr(local.find('T')) == "T03:30:00.000+05:30");
  CHECK(parse_rfc3339(local) == parse_rfc3339(text_of(body_of(made), "/next/startsAt")));
  CHECK(body_of(made).at("monitorCount") == 0);
  CHECK(owner.call("PUT", "/api/monitors/" + monitor + "/tags", R"({"tags":[{"id":")" + tag + R"("}]})").status ==
        200);
  CHECK(body_of(owner.get(path)).at("monitorCount") == 1);
  CHECK(body_of(owner.get(windows_path + "?monitorId=" + monitor)).at("data").as_array().size() == 1);
  CHECK(code_of(owner.post(path + "/end", "")) == "window_not_active");
  auto const wide = body_of(owner.patch(path, R"({"all":true,"durationMinutes":120})"));
  CHECK(wide.at("all") == true);
  CHECK(wide.at("tagIds").is_null());
  CHECK(text_of(wide, "/next/startsAt") == text_of(body_of(made), "/next/startsAt"));
  CHECK(parse_rfc3339(text_of(wide, "/next/endsAt")).value() -
            parse_rfc3339(text_of(wide, "/next/startsAt")).value() ==
        minutes(120));
}

TEST_CASE("windows with impossible rules or unknown targets are refused with the wrong member") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant(), other = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);
  auto stranger = fleet.client(1, other.token);
  auto const foreign = make_idle_monitor(stranger, "theirs");
  std::string const recurring = R"({"name":"w","all":true,"durationMinutes":60,)";
  struct {
    std::string name, body, field;
  } const cases[] = {
      {"no target", R"({"name":"w","cron":"0 3 * * *","durationMinutes":60})", "/monitorIds"},
      {"ends before its start", once_body(R"("all":true)", minutes(60), minutes(30)), "/endsAt"},
      {"ended already", once_body(R"("all":true)", minutes(-60), minutes(-30)), "/endsAt"},
      {"longer than 35 days", once_body(R"("all":true)", minutes(0), minutes(35 * 1440 + 1)), "/endsAt"},
      {"starts too close", recurring + R"("cron":"*/30 * * * *"})", "/cron"},
      {"starts closer than it lasts", R"({"name":"w","all":true,"durationMinutes":90,"cron":"0 * * * *"})", "/cron"},
      {"no such zone", recurring + R"("cron":"0 3 * * *","timeZone":"No/Where"})", "/timeZone"},
      {"an unknown monitor", once_body(list_member("monitorIds", std::string(nobody)), minutes(1), minutes(2)),
       "/monitorIds/0"},
      {"another project's monitor", once_body(list_member("monitorIds", foreign), minutes(1), minutes(2)),
       "/monitorIds/0"},
      {"an unknown tag", once_body(list_member("tagIds", std::string(nobody)), minutes(1), minutes(2)), "/tagIds/0"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK(first_fault(owner.post(windows_path, c.body)) == c.field);
  }
  auto const theirs = id_of(stranger.post(windows_path, once_body(R"("all":true)", minutes(1), minutes(2))));
  CHECK(code_of(owner.get(windows_path + "/" + theirs)) == "not_found");
  CHECK(code_of(owner.del(windows_path + "/" + theirs)) == "not_found");
  CHECK(body_of(owner.get(windows_path)).at("pagination").at("total") == 0);
}

TEST_CASE("one request starts maintenance of a monitor now") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);
  auto const monitor = make_idle_monitor(owner, "shop");
  auto const path = "/api/monitors/" + monitor + "/maintenance";
  auto const made = owner.post(path, R"({"minutes":120,"description":"database upgrade"})");
  CAPTURE(made.body);
  REQUIRE(made.status == 201);
  auto const window = body_of(made);
  CHECK(made.header("location") == windows_path + "/" + id_of(made));
  CHECK(text_of(window, "/state") == "active");
  CHECK(text_of(window, "/description") == "database upgrade");
  CHECK(text_of(window, "/name").find("shop") != std::string::npos);
  CHECK(text_of(window, "/monitorIds/0") == monitor);
  auto const lasts =
      parse_rfc3339(text_of(window, "/endsAt")).value() - parse_rfc3339(text_of(window, "/startsAt")).value();
  CHECK(lasts == minutes(120));
  // The start has microseconds, which the answer does not show.
  auto const renamed = owner.patch(windows_path + "/" + id_of(made), R"({"name":"shop, once more"})");
  CHECK_MESSAGE(renamed.status == 200, renamed.body);
  auto const longer = to_rfc3339(parse_rfc3339(text_of(window, "/endsAt")).value() + minutes(30));
  auto const extended = owner.patch(windows_path + "/" + id_of(made), R"({"endsAt":")" + longer + R"("})");
  CAPTURE(extended.body);
  REQUIRE(extended.status == 200);
  CHECK(text_of(body_of(extended), "/current/endsAt") == longer);
  CHECK(text_of(body_of(extended), "/startsAt") == text_of(window, "/startsAt"));
  CHECK(code_of(owner.post("/api/monitors/" + std::string(nobody) + "/maintenance", R"({"minutes":1})")) ==
        "not_found");
  CHECK(owner.del("/api/monitors/" + monitor).status == 204);
  CHECK(code_of(owner.post(path, R"({"minutes":1})")) == "not_found");
}

TEST_CASE("windows count for the usage while they are unfinished, and each change is audited") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);
  auto const used = [&] { return body_of(owner.get("/api/usage")).at("maintenanceWindows"); };
  CHECK(used() == boost::json::value{{"used", 0}, {"limit", 100}});
  auto const path =
      windows_path + "/" + id_of(owner.post(windows_path, once_body(R"("all":true)", minutes(-1), minutes(60))));
  CHECK(used().at("used") == 1);
  CHECK(owner.patch(path, R"({"description":"d"})").status == 200);
  CHECK(owner.post(path + "/end", "").status == 200);
  CHECK(used().at("used") == 0);
  CHECK(owner.del(path).status == 204);
  std::vector<std::string> actions;
  for (auto const& entry : body_of(owner.get("/api/audit?limit=100")).at("data").as_array()) {
    if (text_of(entry, "/resource") == "maintenance_window") actions.push_back(text_of(entry, "/action"));
  }
  CHECK(actions == std::vector<std::string>{"maintenance_window.deleted", "maintenance_window.ended",
                                            "maintenance_window.updated", "maintenance_window.created"});
}

TEST_CASE("dependencies of monitors form no cycle, and a deleted parent is ignored until it is restored") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);
  auto reader = fleet.client(1, tenant.token);
  auto const router = make_idle_monitor(owner, "router");
  auto const shop = make_idle_monitor(owner, "shop", "," + list_member("dependsOn", router));
  auto const cart = make_idle_monitor(owner, "cart");
  auto const depends = [](std::string const& parent) { return "{" + list_member("dependsOn", parent) + "}"; };
  auto const parents = [&] { return body_of(reader.get("/api/monitors/" + shop)).at("dependsOn").as_array(); };
  CHECK(parents().size() == 1);
  CHECK(owner.patch("/api/monitors/" + cart, depends(shop)).status == 200);
  CHECK(code_of(owner.patch("/api/monitors/" + router, depends(router))) == "dependency_cycle");
  CHECK(code_of(owner.patch("/api/monitors/" + router, depends(shop))) == "dependency_cycle");
  CHECK(code_of(owner.patch("/api/monitors/" + router, depends(cart))) == "dependency_cycle");
  CHECK(first_fault(owner.patch("/api/monitors/" + router, depends(std::string(nobody)))) == "/dependsOn/0");
  // Other edits keep the dependencies.
  CHECK(owner.patch("/api/monitors/" + shop, R"({"description":"d"})").status == 200);
  CHECK(parents().size() == 1);
  CHECK(owner.del("/api/monitors/" + router).status == 204);
  CHECK(parents().empty());
  CHECK(owner.patch("/api/monitors/" + shop, R"({"description":"e"})").status == 200);
  CHECK(owner.post("/api/monitors/" + router + "/restore", "").status == 200);
  CHECK(parents().size() == 1);
  CHECK(owner.patch("/api/monitors/" + shop, R"({"dependsOn":[]})").status == 200);
  CHECK(parents().empty());
  CHECK(owner.patch("/api/monitors/" + router, depends(cart)).status == 200);
}

}  // namespace
}  // namespace svc::test
