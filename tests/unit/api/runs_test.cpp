#include "api/resources.hpp"
#include "unit/api/object.hpp"

#include <doctest/doctest.h>

namespace svc::api {
namespace {

TEST_CASE("a run shows its duration once it has ended") {
  run made;
  made.status = "queued";
  made.parameters = R"({"BRANCH":"main"})";
  CHECK(test::shown(run_json, made).at("durationMs").is_null());
  CHECK(test::shown(run_json, made).at("parameters").at("BRANCH") == "main");
  CHECK(test::shown(run_json, made).at("jobId").is_null());
  made.completed_at = timestamp{5'000'000};
  CHECK(test::shown(run_json, made).at("durationMs").is_null());
  made.started_at = timestamp{3'000'000};
  CHECK(test::shown(run_json, made).at("durationMs") == 2000);
  CHECK(test::shown(run_json, made).size() == 20);
  made.deleted = true;
  CHECK(test::shown(run_json, made).at("deleted") == true);
}

TEST_CASE("a run's status has its duration, never a negative one") {
  run_progress progress{
      .id = {}, .status = "passed", .started_at = timestamp{3'000'000}, .completed_at = timestamp{5'000'000}};
  CHECK(test::shown(run_status_json, progress).at("durationMs") == 2000);
  progress.started_at = timestamp{6'000'000};
  CHECK(test::shown(run_status_json, progress).at("durationMs") == 0);
  progress.completed_at.reset();
  CHECK(test::shown(run_status_json, progress).at("durationMs").is_null());
  CHECK(test::shown(run_status_json, progress).size() == 7);
}

}  // namespace
}  // namespace svc::api
