#include "runner_api/claim_json.hpp"

#include <doctest/doctest.h>
#include <boost/json.hpp>

using namespace svc;

namespace {

boost::json::value json_of(store::claim_batch const& batch) {
  return boost::json::parse(runner_api::claims_json(batch, std::chrono::seconds(30)));
}

}  // namespace

TEST_CASE("claims as JSON: nothing, a job's run, a single test's run") {
  CHECK(json_of({}) == boost::json::parse(R"({"claims":[]})"));

  auto const project = uuid::generate_v7(), job = uuid::generate_v7();
  claimed_run const full{.run = uuid::generate_v7(),
                         .claim = uuid::generate_v7(),
                         .attempt = 2,
                         .project = project,
                         .job = job,
                         .job_name = "night \"ly\"",
                         .job_type = "command",
                         .timeout_seconds = 60,
                         .parameters = R"({"A":"b"})",
                         .tests = R"([{"id":"x","title":"t","type":"command","script":"echo \"1\"\n"}])",
                         .queued_at = {1'763'633'472'345'678},
                         .trace_parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"};
  claimed_run const bare{.run = uuid::generate_v7(),
                         .claim = uuid::generate_v7(),
                         .project = uuid::generate_v7(),
                         .job_type = "k6",
                         .timeout_seconds = 1};
  store::claim_batch batch;
  batch.runs = {full, bare};
  batch.variables[project] = {{"PLAIN", secret_string("v"), false}, {"SECRET", secret_string("\x01\"\\"), true}};
  auto const made = json_of(batch).at("claims").as_array();
  REQUIRE(made.size() == 2);
  CHECK(made[0] == boost::json::value{{"runId", full.run.to_string()},
                                      {"claimId", full.claim.to_string()},
                                      {"attempt", 2},
                                      {"projectId", project.to_string()},
                                      {"jobId", job.to_string()},
                                      {"jobName", "night \"ly\""},
                                      {"jobType", "command"},
                                      {"queuedAt", "2025-11-20T10:11:12.345Z"},
                                      {"traceParent", *full.trace_parent},
                                      {"timeoutSeconds", 60},
                                      {"leaseSeconds", 30},
                                      {"parameters", {{"A", "b"}}},
                                      {"variables",
                                       {{{"key", "PLAIN"}, {"value", "v"}, {"isSecret", false}},
                                        {{"key", "SECRET"}, {"value", "\x01\"\\"}, {"isSecret", true}}}},
                                      {"tests", boost::json::parse(full.tests)}});
  CHECK_FALSE(made[1].as_object().contains("jobId"));
  CHECK_FALSE(made[1].as_object().contains("jobName"));
  CHECK_FALSE(made[1].as_object().contains("traceParent"));
  // Nothing was printed before a first attempt.
  CHECK(made[1].at("wholeOutputBytes").as_int64() == 65'536);
  CHECK(made[1].at("variables").as_array().empty());
  CHECK(made[1].at("tests").as_array().empty());
}
