// Incidents, updates of windows, and subscribers over the API of two instances.
#include "integration/system/pages/page_requests.hpp"

#include "svc/core/time.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <vector>

namespace svc::test {
namespace {

std::string incident_body(std::string const& status, std::string const& more = "") {
  return R"({"name":"Checkout fails","status":")" + status + R"(","body":"We look for the cause.")" + more + "}";
}

std::string update_body(std::string const& status, std::string const& more = "") {
  return R"({"status":")" + status + R"(","body":"more")" + more + "}";
}

std::string make_incident(api_client& owner, std::string const& page, std::string const& more = "") {
  auto const made = owner.post(page + "/incidents", incident_body("investigating", more));
  CAPTURE(made.body);
  return page + "/incidents/" + id_of(made);
}

std::string moment(std::chrono::minutes distance) {
  return to_rfc3339(system_now() + distance);
}

TEST_CASE("updates give an incident its status: resolved, with a post-mortem, and open again") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);
  auto reader = fleet.client(1, tenant.token);
  auto const page = make_page(owner);
  auto const component = make_component(owner, page);
  auto const path = make_incident(
      owner, page, R"(,"impact":"major","components":[{"id":")" + component + R"(","status":"partial_outage"}])");
  CHECK(text_of(body_of(reader.get(page + "/components/" + component)), "/status") == "partial_outage");
  CHECK(refused_member(owner.post(path + "/updates", update_body("postmortem"))) == "/status");
  auto const status = [&] { return text_of(body_of(reader.get(path)), "/status"); };
  CHECK(owner.post(path + "/updates", update_body("identified")).status == 201);
  CHECK(status() == "identified");
  CHECK(owner.post(path + "/updates", update_body("resolved")).status == 201);
  CHECK(status() == "resolved");
  CHECK_FALSE(body_of(reader.get(path)).at("resolvedAt").is_null());
  CHECK(text_of(body_of(reader.get(page + "/components/" + component)), "/status") == "operational");
  CHECK(owner.post(path + "/updates", update_body("postmortem")).status == 201);
  CHECK(status() == "resolved");
  CHECK(owner.post(path + "/updates", update_body("monitoring")).status == 201);
  CHECK(status() == "monitoring");
  auto const shown = body_of(reader.get(path));
  CHECK(shown.at("resolvedAt").is_null());
  CHECK(shown.at("updates").as_array().size() == 5);
  CHECK(text_of(shown, "/updates/0/status") == "monitoring");
  CHECK(text_of(shown, "/updates/4/body") == "We look for the cause.");
  auto const listed = body_of(reader.get(page + "/incidents?status=monitoring")).at("data");
  CHECK(text_of(listed, "/0/updates/0/status") == "monitoring");
  CHECK(listed.as_array().at(0).at("updates").as_array().size() == 1);
  CHECK(body_of(reader.get(page + "/incidents?status=resolved")).at("data").as_array().empty());
}

TEST_CASE("an incident is changed under conditions and deleted with its updates; each step is audited") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);
  auto const page = make_page(owner);
  auto const path = make_incident(owner, page);
  auto const version = owner.get(path).header("etag").value();
  CHECK(owner.call("PATCH", path, R"({"impact":"critical"})", {{"If-Match", version}}).status == 200);
  CHECK(owner.call("PATCH", path, R"({"impact":"none"})", {{"If-Match", version}}).status == 412);
  CHECK(text_of(body_of(owner.get(path)), "/impact") == "critical");
  CHECK(refused_member(owner.patch(path, R"({"components":[{"id":")" + nobody + R"(","status":"operational"}]})")) ==
        "/components/0/id");
  CHECK(refused_member(owner.patch(path, R"({"startedAt":")" + moment(std::chrono::minutes(5)) + "\"}")) ==
        "/startedAt");
  CHECK(owner.del(path).status == 204);
  CHECK(code_of(owner.get(path)) == "not_found");
  CHECK(code_of(owner.get(path + "/updates")) == "not_found");
  CHECK(audited_actions(owner, {"incident"}) ==
        std::vector<std::string>{"incident.created", "incident.updated", "incident.deleted"});
}

TEST_CASE("a correction keeps an update's id, marks it as edited and needs the version that was read") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);
  auto const page = make_page(owner);
  auto const path = make_incident(owner, page) + "/updates";
  auto const made = owner.post(path, update_body("identified", R"(,"displayAt":"2026-01-01T00:00:00Z")"));
  CAPTURE(made.body);
  auto const update = path + "/" + id_of(made);
  CHECK(body_of(made).at("editedAt").is_null());
  auto const version = made.header("etag").value();
  auto const corrected = owner.call("PATCH", update, R"({"body":"better"})", {{"If-Match", version}});
  CAPTURE(corrected.body);
  REQUIRE(corrected.status == 200);
  CHECK(text_of(body_of(corrected), "/id") == text_of(body_of(made), "/id"));
  CHECK(text_of(body_of(corrected), "/body") == "better");
  CHECK(text_of(body_of(corrected), "/displayAt") == "2026-01-01T00:00:00.000Z");
  CHECK_FALSE(body_of(corrected).at("editedAt").is_null());
  CHECK(code_of(owner.call("PATCH", update, R"({"body":"late"})", {{"If-Match", version}})) == "precondition_failed");
  CHECK(refused_member(owner.patch(update, R"({"displayAt":")" + moment(std::chrono::minutes(5)) + "\"}")) ==
        "/displayAt");
  CHECK(code_of(owner.patch(path + "/" + nobody, R"({"body":"b"})")) == "not_found");
}

TEST_CASE("an incident has at most 100 updates, and a page at most 50 open incidents") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);
  auto const page = make_page(owner);
  auto const path = make_incident(owner, page) + "/updates";
  for (int i = 1; i < 100; ++i) CHECK(owner.post(path, update_body("identified")).status == 201);
  CHECK(code_of(owner.post(path, update_body("identified"))) == "post_limit_reached");
  for (int i = 1; i < 50; ++i) make_incident(owner, page);
  CHECK(code_of(owner.post(page + "/incidents", incident_body("investigating"))) == "incident_limit_reached");
  auto const over = owner.post(page + "/incidents", incident_body("resolved"));
  CAPTURE(over.body);
  REQUIRE(over.status == 201);
  auto const reopened = owner.post(page + "/incidents/" + id_of(over) + "/updates", update_body("identified"));
  CHECK(code_of(reopened) == "incident_limit_reached");
}

TEST_CASE("a published page notifies of 20 posts an hour; silent posts are not limited") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);
  auto const page = make_page(owner, R"(,"status":"published")");
  auto const path = make_incident(owner, page) + "/updates";
  for (int i = 1; i < 20; ++i) CHECK(owner.post(path, update_body("identified")).status == 201);
  CHECK(code_of(owner.post(path, update_body("identified"))) == "post_limit_reached");
  CHECK(owner.post(path, update_body("identified", R"(,"notify":false)")).status == 201);
}

TEST_CASE("an incident with status scheduled is refused with a hint to maintenance windows") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);
  auto const refused = owner.post(make_page(owner) + "/incidents", incident_body("scheduled"));
  CHECK(refused_member(refused) == "/status");
  CHECK(text_of(body_of(refused), "/details/0/message").find("maintenance window") != std::string::npos);
}

TEST_CASE("a window names its pages and components, and its updates and its early end are posts") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);
  auto reader = fleet.client(1, tenant.token);
  auto const page = make_page(owner), page_id = page.substr(pages_path.size() + 1);
  auto const component = make_component(owner, page);
  std::string const windows = "/api/maintenance-windows";
  auto const body = [&](std::string const& more) {
    return R"({"name":"upgrade","all":true,"startsAt":")" + moment(std::chrono::minutes(-1)) + R"(","endsAt":")" +
           moment(std::chrono::minutes(60)) + "\"" + more + "}";
  };
  CHECK(refused_member(owner.post(windows, body(R"(,"statusPageIds":[")" + nobody + "\"]"))) == "/statusPageIds/0");
  CHECK(refused_member(owner.post(windows, body(R"(,"statusPageIds":[")" + page_id + R"("],"componentIds":[")" +
                                                nobody + "\"]"))) == "/componentIds/0");
  auto const made =
      owner.post(windows, body(R"(,"statusPageIds":[")" + page_id + R"("],"componentIds":[")" + component +
                               R"("],"announcement":{"title":"Upgrade","body":"Read-only."},"announceHours":24)"));
  CAPTURE(made.body);
  auto const path = windows + "/" + id_of(made);
  auto const shown = body_of(reader.get(path));
  CHECK(text_of(shown, "/statusPageIds/0") == page_id);
  CHECK(text_of(shown, "/announcement/title") == "Upgrade");
  CHECK(shown.at("announceHours") == 24);
  CHECK(text_of(body_of(reader.get(page + "/components/" + component)), "/status") == "under_maintenance");

  auto const note = owner.post(path + "/updates", R"({"body":"It takes longer."})");
  CAPTURE(note.body);
  auto const note_id = id_of(note);
  CHECK(text_of(body_of(note), "/occurrenceId") == text_of(shown, "/current/id"));
  CHECK(text_of(body_of(note), "/status") == "note");
  CHECK(text_of(body_of(owner.patch(path + "/updates/" + note_id, R"({"body":"An hour."})")), "/body") == "An hour.");
  CHECK(owner.post(path + "/end", "").status == 200);
  auto const posts = body_of(reader.get(path + "/updates")).at("data");
  REQUIRE(posts.as_array().size() == 2);
  CHECK(text_of(posts, "/0/status") == "ended_early");
  CHECK(posts.at(0).at("automatic") == true);
  CHECK(text_of(posts, "/1/id") == note_id);
  CHECK(text_of(body_of(reader.get(page + "/components/" + component)), "/status") == "operational");
}

TEST_CASE("editors see and delete subscribers, and no address is in the audit trail") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);
  auto const page = make_page(owner, R"(,"allowSubscribers":true)"), page_id = page.substr(pages_path.size() + 1);
  auto const id = fleet.word(
      "INSERT INTO page_subscribers (id, project_id, page_id, email, digest, state, confirmed_at) SELECT"
      " gen_random_uuid(), project_id, id, 'ada@example.com', sha256('ada@example.com'), 'active', now()"
      " FROM status_pages WHERE id = '" +
      page_id + "' RETURNING id");
  auto const listed = body_of(owner.get(page + "/subscribers"));
  CHECK(text_of(listed, "/data/0/email") == "ada@example.com");
  CHECK(text_of(listed, "/data/0/status") == "active");
  CHECK(owner.del(page + "/subscribers/" + id).status == 204);
  CHECK(code_of(owner.del(page + "/subscribers/" + id)) == "not_found");
  CHECK(body_of(owner.get(page + "/subscribers")).at("pagination").at("total") == 0);
  CHECK(audited_actions(owner, {"subscriber"}) == std::vector<std::string>{"subscriber.removed"});
  CHECK(owner.get("/api/audit?limit=100").body.find("ada@example.com") == std::string::npos);
}

}  // namespace
}  // namespace svc::test
