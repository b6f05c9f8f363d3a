#include "api/pages.hpp"
#include "unit/api/contract.hpp"
#include "unit/api/object.hpp"

#include <doctest/doctest.h>

#include <string>

namespace svc::api {
namespace {

using test::object;

timestamp const incident_now = parse_rfc3339("2026-11-20T10:00:00Z").value();
std::string const affected_id = "01934f2e-a002-7d3e-9b1f-5a2c8e4d6f70";

result<pages::new_incident> incident_of(std::string const& members) {
  auto const body = object(R"({"name":"Checkout fails","status":"investigating","body":"b")" +
                           (members.empty() ? "" : "," + members) + "}");
  CHECK(test::faults(test::check("CreateIncidentRequest", body)) == "");
  return read_incident(body);
}

std::string affected(std::string const& id) {
  return R"({"id":")" + id + R"(","status":"partial_outage"})";
}

TEST_CASE("valid and invalid incidents, beyond the schema") {
  std::string const capital = "01934F2E-a002-7d3e-9b1f-5a2c8e4d6f70";
  struct {
    std::string name, members, wrong;
  } const cases[] = {
      {"only what is required", "", ""},
      {"with a start", R"("startedAt":"2026-11-20T10:00:00Z")", ""},
      {"a component", R"("components":[)" + affected(affected_id) + "]", ""},
      {"the same component", R"("components":[)" + affected(affected_id) + "," + affected(capital) + "]",
       "/components/1/id"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK(test::faults(incident_of(c.members)) == c.wrong);
  }
  auto const hidden = object(R"({"name":"a\u202eb","status":"investigating","body":"b"})");
  CHECK(test::faults(read_incident(hidden)) == "/name");
}

TEST_CASE("an incident is read with its first update and its defaults") {
  auto const plain = incident_of("").value();
  CHECK(plain.effect == pages::impact::minor);
  CHECK_FALSE(plain.started_at);
  CHECK(plain.first.status == pages::post_status::investigating);
  CHECK(plain.first.body == "b");
  CHECK(plain.first.notify);
  auto const silent =
      incident_of(R"("impact":"none","notify":false,"components":[)" + affected(affected_id) + "]").value();
  CHECK(silent.effect == pages::impact::none);
  CHECK_FALSE(silent.first.notify);
  CHECK(silent.components.at(0).status == pages::component_status::partial_outage);
}

TEST_CASE("an incident with status scheduled is refused with a hint to maintenance windows") {
  auto const body = object(R"({"name":"n","status":"scheduled","body":"b"})");
  auto const checked = test::check("CreateIncidentRequest", body);
  REQUIRE(test::faults(checked) == "/status");
  CHECK(checked.error().details.at(0).message.find("maintenance window") != std::string::npos);
}

TEST_CASE("a patch of an incident keeps an old start and the other settings") {
  pages::incident const stored{
      .id = uuid::generate_v7(),
      .set = {.name = "Checkout fails",
              .effect = pages::impact::major,
              .components = {{.id = uuid::generate_v7()}},
              .started_at = timestamp{incident_now.micros - 100 * 86'400'000'000 + 1}}};  // with a microsecond
  auto const patched_by = [&](std::string const& patch) { return patch_incident(stored, object(patch)); };
  auto const renamed = patched_by(R"({"name":"n"})").value();
  CHECK(renamed.name == "n");
  CHECK(renamed.effect == pages::impact::major);
  CHECK(renamed.started_at == stored.set.started_at);
  CHECK(renamed.components.size() == 1);
  CHECK(patched_by(R"({"components":[]})")->components.empty());
  CHECK(patched_by(R"({"startedAt":")" + to_rfc3339(stored.set.started_at) + "\"}")->started_at ==
        stored.set.started_at);
  CHECK(patched_by(R"({"startedAt":"2026-11-20T10:00:00Z"})")->started_at == incident_now);
  CHECK(test::faults(patched_by(R"({"name":"a\u202eb"})")) == "/name");
}

TEST_CASE("an update is read with its defaults, and a correction changes only what it names") {
  CHECK(read_post(object(R"({"body":"b","status":"postmortem"})")).status == pages::post_status::postmortem);
  auto const note = read_post(object(R"({"body":"b","displayAt":null})"));
  CHECK(note.status == pages::post_status::note);
  CHECK(note.notify);
  CHECK_FALSE(note.display_at);
  CHECK(read_post(object(R"({"body":"b","displayAt":"2026-11-20T10:00:00Z"})")).display_at == incident_now);
  auto const text = read_correction(object(R"({"body":"c"})"));
  CHECK(text.body == "c");
  CHECK_FALSE(text.display_at);
  auto const time = read_correction(object(R"({"displayAt":"2026-11-20T10:00:00Z"})"));
  CHECK_FALSE(time.body);
  CHECK(time.display_at == incident_now);
}

pages::stored_post stored_update() {
  return {.id = uuid::generate_v7(), .body = "b", .display_at = incident_now, .created_at = incident_now};
}

TEST_CASE("an incident is shown with its updates; a post-mortem leaves it resolved") {
  pages::incident incident{.id = uuid::generate_v7(),
                           .page = uuid::generate_v7(),
                           .set = {.name = "n", .components = {{.id = uuid::generate_v7()}}},
                           .status = pages::post_status::postmortem,
                           .resolved_at = incident_now,
                           .automatic = true,
                           .outage = uuid::generate_v7(),
                           .posts = {stored_update(), stored_update()}};
  incident.posts.at(0).status = pages::post_status::postmortem;
  auto const shown = test::shown(incident_json, incident);
  CHECK(test::faults(test::check("Incident", shown)) == "");
  CHECK(shown.at("status") == "resolved");
  CHECK(shown.at("updates").as_array().size() == 2);
  CHECK(shown.at("updates").at(0).at("status") == "postmortem");
  CHECK(shown.at("outageId") == boost::json::value(incident.outage->to_string()));
}

TEST_CASE("updates are shown as the contract says, and a correction changes their version") {
  auto post = stored_update();
  auto const parent = uuid::generate_v7();
  auto const in_incident =
      object(http::written([&](http::json_text& out) { incident_post_json(out, parent, post); }));
  CHECK(test::faults(test::check("IncidentUpdate", in_incident)) == "");
  CHECK(in_incident.at("editedAt").is_null());
  CHECK(in_incident.at("updatedAt") == in_incident.at("createdAt"));
  CHECK(pages::version_of(post) == 1);
  post.status = pages::post_status::ended_early;
  post.body.clear();
  post.automatic = true;
  post.occurrence = uuid::generate_v7();
  post.edited_at = timestamp{incident_now.micros + 1'000'000};
  auto const in_window = object(http::written([&](http::json_text& out) { window_post_json(out, parent, post); }));
  CHECK(test::faults(test::check("WindowUpdate", in_window)) == "");
  CHECK(in_window.at("windowId") == boost::json::value(parent.to_string()));
  CHECK(in_window.at("updatedAt") == "2026-11-20T10:00:01.000Z");
  CHECK(pages::version_of(post) == post.edited_at->micros);
}

TEST_CASE("a subscriber is shown with the address that only editors see") {
  pages::subscriber subscriber{.id = uuid::generate_v7(), .email = "ada@example.com", .created_at = incident_now};
  auto const parent = uuid::generate_v7();
  auto const shown = object(http::written([&](http::json_text& out) { subscriber_json(out, parent, subscriber); }));
  CHECK(test::faults(test::check("StatusPageSubscriber", shown)) == "");
  CHECK(shown.at("status") == "pending");
  CHECK(shown.at("confirmedAt").is_null());
  CHECK(shown.at("email") == "ada@example.com");
}

}  // namespace
}  // namespace svc::api
