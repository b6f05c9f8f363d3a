#include "api/resources.hpp"
#include "unit/api/contract.hpp"
#include "unit/api/object.hpp"

#include <doctest/doctest.h>

#include <set>

namespace svc::api {
namespace {

std::string const id_a = "01934f2e-7c1a-7d3e-9b1f-5a2c8e4d6f70";
std::string const id_b = "01934f2e-7c1a-7d3e-9b1f-5a2c8e4d6f71";

using test::object;

std::string list_of(std::size_t count, std::string const& element) {
  std::string out = "[";
  for (std::size_t i = 0; i < count; ++i) out += (i == 0 ? "" : ",") + element;
  return out + "]";
}

TEST_CASE("valid and invalid jobs") {
  struct {
    std::string member;
    std::string wrong;
  } const cases[] = {
      {R"("description":null)", ""},
      {R"("description":")" + std::string(2000, 'x') + "\"", ""},
      {R"("description":")" + std::string(2001, 'x') + "\"", "/description"},
      {R"("jobType":"k6")", ""},
      {R"("jobType":"bash")", "/jobType"},
      {R"("tests":[{"id":")" + id_a + R"("}])", ""},
      {R"("tests":[{"id":"x"},{}])", "/tests/0/id /tests/1/id"},
      {R"("tests":)" + list_of(101, R"({"id":")" + id_a + "\"}"), "/tests"},
      {R"("cronSchedule":"0 6 * * mon-fri")", ""},
      {R"("cronSchedule":"5/15 * * * *")", ""},
      {R"("cronSchedule":null)", ""},
      {R"("cronSchedule":"0 6 * *")", "/cronSchedule"},
      {R"("cronSchedule":"")", "/cronSchedule"},
      {R"("timeZone":"Europe/Berlin")", ""},
      {R"("timeZone":"Europe/ Berlin")", "/timeZone"},
      {R"("enabled":"yes")", "/enabled"},
      {R"("timeoutSeconds":1)", ""},
      {R"("timeoutSeconds":86400)", ""},
      {R"("timeoutSeconds":0)", "/timeoutSeconds"},
      {R"("timeoutSeconds":86401)", "/timeoutSeconds"},
      {R"("timeoutSeconds":1.5)", "/timeoutSeconds"},
      {R"("maxConcurrentRuns":null)", ""},
      {R"("maxConcurrentRuns":0)", "/maxConcurrentRuns"},
      {R"("parameters":[{"name":"A_1","required":true,"default":null}])", ""},
      {R"("parameters":[{"name":"a"}])", "/parameters/0/name"},
      {R"("parameters":[{"name":"1A"}])", "/parameters/0/name"},
      {R"("parameters":[{"name":")" + std::string(64, 'A') + R"("}])", ""},
      {R"("parameters":[{"name":")" + std::string(65, 'A') + R"("}])", "/parameters/0/name"},
      {R"("parameters":["A"])", "/parameters/0"},
      {R"("parameters":[{"name":"A","secret":true}])", "/parameters/0/secret"},
      {R"("alertConfig":{})", ""},
      {R"("alertConfig":null)", ""},
      {R"("alertConfig":{"failureThreshold":0})", "/alertConfig/failureThreshold"},
      {R"("alertConfig":{"notificationProviders":[")" + id_a + "\",\"" + id_a + "\"]}",
       "/alertConfig/notificationProviders/1"},
      {R"("alertConfig":{"notificationProviders":["x"]})", "/alertConfig/notificationProviders/0"},
      {R"("alertConfig":{"loud":true})", "/alertConfig/loud"},
      {R"("colour":"red")", "/colour"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.member);
    auto const body = object(R"({"name":"nightly",)" + c.member + "}");
    auto const allowed = test::check("CreateJob", body);
    CHECK(test::faults(allowed) == c.wrong);
    if (allowed) CHECK(read_job(body).has_value());
  }
}

TEST_CASE("names count code points") {
  std::string umlauts;
  for (int i = 0; i < 255; ++i) umlauts += "\u00e4";
  CHECK(test::faults(test::check("CreateJob", object(R"({"name":")" + umlauts + "\"}"))).empty());
  CHECK(test::faults(test::check("CreateJob", object(R"({"name":")" + umlauts + "x\"}"))) == "/name");
  CHECK(test::faults(test::check("CreateJob", object(R"({"name":""})"))) == "/name");
  CHECK(test::faults(test::check("CreateJob", object(R"({"name":null})"))) == "/name");
  CHECK(test::faults(test::check("CreateJob", {})) == "/name");
}

TEST_CASE("absent members have their defaults") {
  auto const made =
      read_job(object(R"({"name":"nightly","parameters":[{"name":"A"}],"alertConfig":{"enabled":true}})"));
  REQUIRE(made.has_value());
  CHECK(made->job_type == "playwright");
  CHECK(made->time_zone == "UTC");
  CHECK(made->enabled);
  CHECK(made->timeout_seconds == 3600);
  CHECK_FALSE(made->max_concurrent_runs);
  CHECK(boost::json::parse(made->parameters) == boost::json::parse(R"([{"name":"A","required":false}])"));
  CHECK(boost::json::parse(*made->alert_config) ==
        boost::json::parse(R"({"enabled":true,"notificationProviders":[],"alertOnFailure":true,"alertOnSuccess":false,
                               "alertOnTimeout":true,"alertOnRecovery":false,"failureThreshold":1,"recoveryThreshold":1,"customMessage":""})"));
}

TEST_CASE("the defaults are those of the contract") {
  auto const document = boost::json::parse(embedded::openapi_json);
  job least;
  least.set = *read_job(object(R"({"name":"n","alertConfig":{}})"));
  auto const made = test::shown(job_json, least);
  for (std::string const spot : {"CreateJob", "AlertConfig"}) {
    auto const shown = spot == "CreateJob" ? boost::json::value(made) : made.at("alertConfig");
    for (auto const& [name, schema] : document.at("components").at("schemas").at(spot).at("properties").as_object()) {
      CAPTURE(std::string(name));
      if (auto const* const otherwise = schema.as_object().if_contains("default"))
        CHECK(shown.at(name) == *otherwise);
    }
  }
}

job stored() {
  job made;
  made.id = *uuid::parse(id_a);
  made.set = *read_job(object(R"({"name":"nightly","description":"d","jobType":"command","cronSchedule":"0 3 * * *",
                                  "parameters":[{"name":"A","default":"x"}],
                                  "alertConfig":{"enabled":true,"failureThreshold":3}})"));
  made.set.tests = {*uuid::parse(id_b)};
  return made;
}

TEST_CASE("a patch changes what it names") {
  auto const patched =
      patch_job(test::contract(), stored(), object(R"({"name":"daily","alertConfig":{"failureThreshold":5}})"));
  REQUIRE(patched.has_value());
  CHECK(patched->name == "daily");
  CHECK(patched->description == "d");
  CHECK(patched->tests == stored().set.tests);
  auto const alerts = boost::json::parse(*patched->alert_config);
  CHECK(alerts.at("failureThreshold") == 5);
  CHECK(alerts.at("enabled") == true);

  auto const cleared =
      patch_job(test::contract(), stored(), object(R"({"description":null,"cronSchedule":null,"alertConfig":null})"));
  REQUIRE(cleared.has_value());
  CHECK_FALSE(cleared->description);
  CHECK_FALSE(cleared->cron_schedule);
  CHECK_FALSE(cleared->alert_config);

  CHECK(test::faults(patch_job(test::contract(), stored(), object(R"({"name":null})"))) == "/name");
  CHECK(test::faults(patch_job(test::contract(), stored(), object(R"({"timeZone":"Europe/Atlantis"})"))) ==
        "/timeZone");
}

TEST_CASE("the read model") {
  job made = stored();
  CHECK(test::shown(job_json, made).at("status") == "pending");
  CHECK(test::shown(job_json, made).at("lastRun").is_null());
  CHECK(test::shown(job_json, made).at("lastRunAt").is_null());
  CHECK(test::shown(job_json, made).at("testCount") == 1);
  CHECK(test::shown(job_json, made).at("tests") == boost::json::parse(R"([{"id":")" + id_b + "\"}]"));
  made.last = last_run{*uuid::parse(id_b), "failed", {1'000'000}, timestamp{2'000'000}, timestamp{3'500'999}};
  auto const json = test::shown(job_json, made);
  CHECK(json.at("status") == "failed");
  CHECK(json.at("lastRunAt") == "1970-01-01T00:00:01.000Z");
  CHECK(json.at("lastRun") ==
        boost::json::parse(R"({"id":")" + id_b + R"(","status":"failed","startedAt":"1970-01-01T00:00:02.000Z",
                               "completedAt":"1970-01-01T00:00:03.500Z","durationMs":1500})"));
}

TEST_CASE("the tag of a job distinguishes states that its version does not count") {
  std::vector<job> states(6, stored());
  states[1].next_run_at = timestamp{9'000'000};
  states[2].last = last_run{*uuid::parse(id_b), "queued", {1'000'000}, {}, {}};
  states[3].last = last_run{*uuid::parse(id_b), "running", {1'000'000}, timestamp{2'000'000}, {}};
  states[4].last = last_run{*uuid::parse(id_b), "passed", {1'000'000}, timestamp{2'000'000}, timestamp{3'000'000}};
  states[5].last = last_run{*uuid::parse(id_a), "passed", {1'000'000}, timestamp{2'000'000}, timestamp{3'000'000}};
  std::set<std::string> tags;
  for (auto const& job : states) tags.insert(test::tag_of(job_json, job));
  CHECK(tags.size() == states.size());
}

}  // namespace
}  // namespace svc::api
