#include "store/runs/job_plan.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

using namespace svc;
using namespace svc::store;

namespace {

constexpr char const* declared = R"([{"name":"BRANCH"},{"name":"URL","required":true},
  {"name":"DEPTH","required":true,"default":"1"},{"name":"LEVEL","required":false,"default":"\"low\""},
  {"name":"EMPTY","required":true,"default":""},{"name":"NONE","default":null}])";

job_plan planned(char const* parameters) {
  job_plan out{.key = {}, .version = 1, .enabled = true, .parameters = read_declared(parameters), .test_count = 1};
  return out;
}

std::string fields(error const& failure) {
  std::string out;
  for (auto const& error : failure.details) out += (out.empty() ? "" : " ") + error.field;
  return out;
}

shared_plan kept(std::uint8_t job, std::int64_t version, std::size_t bytes = 100) {
  auto made = std::make_shared<job_plan>();
  made->key.job.bytes[0] = job;
  made->version = version;
  made->name = std::string(bytes, 'n');
  return made;
}

}  // namespace

TEST_CASE("the parameters of a run follow from the job's plan and the request") {
  struct {
    char const* name;
    char const* given;
    char const* merged;  ///< null: refused
    char const* fields;
  } const cases[] = {
      {"the required one", R"({"URL":"u"})", R"({"DEPTH":"1","LEVEL":"\"low\"","EMPTY":"","URL":"u"})", ""},
      {"given instead of the default", R"({"DEPTH":"2","URL":""})",
       R"({"DEPTH":"2","LEVEL":"\"low\"","EMPTY":"","URL":""})", ""},
      {"none", "{}", nullptr, "/parameters/URL"},
      {"undeclared and missing", R"({"b":"","A":"","BRANCH":"m"})", nullptr,
       "/parameters/A /parameters/b /parameters/URL"},
      {"undeclared", R"({"URL":"u","url":"u"})", nullptr, "/parameters/url"},
      {"names that need an escape", R"({"URL":"u","a\"b\u00e9":""})", nullptr, "/parameters/a\"b\xc3\xa9"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto const done = plan_run(planned(declared), c.given);
    CHECK(done.has_value() == (c.merged != nullptr));
    if (done)
      CHECK(*done == c.merged);
    else
      CHECK(done.error().code == errc::validation_failed);
    CHECK(fields(done ? error() : done.error()) == c.fields);
  }
  CHECK(*plan_run(planned("[]"), "{}") == "{}");
  for (auto const* broken : {"", "{", "[]", "null", "{} {}"}) {
    CAPTURE(broken);
    CHECK_THROWS_AS(plan_run(planned(declared), broken), std::logic_error);
  }
}

TEST_CASE("a job that cannot run says why, before its parameters are looked at") {
  struct {
    char const* name;
    void (*change)(job_plan&);
    errc expected;
  } const cases[] = {
      {"no such job", [](job_plan& p) { p.version = 0, p.enabled = false, p.test_count = 0; }, errc::not_found},
      {"disabled", [](job_plan& p) { p.enabled = false, p.test_count = 0; }, errc::job_disabled},
      {"no tests", [](job_plan& p) { p.test_count = 0; }, errc::job_has_no_tests},
      {"parameters", [](job_plan&) {}, errc::validation_failed},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    job_plan plan = planned(declared);
    c.change(plan);
    auto const done = plan_run(plan, R"({"X":""})");
    REQUIRE_FALSE(done.has_value());
    CHECK(done.error().code == c.expected);
  }
}

TEST_CASE("plans are kept until they are stale or others need their room") {
  plan_cache cache(4 * kept(1, 1)->size());
  for (std::uint8_t job = 1; job <= 4; ++job) cache.keep(kept(job, 1));
  auto const first = cache.find(kept(1, 1)->key);
  REQUIRE(first);
  cache.keep(kept(5, 1));
  CHECK_FALSE(cache.find(kept(2, 1)->key));
  CHECK(cache.find(first->key) == first);
  cache.keep(kept(1, 2));
  CHECK(cache.find(first->key)->version == 2);
  cache.remove(*first);
  CHECK(cache.find(first->key));
  cache.remove(*cache.find(first->key));
  CHECK_FALSE(cache.find(first->key));
  cache.keep(kept(6, 0));
  CHECK_FALSE(cache.find(kept(6, 0)->key));
  cache.keep(kept(7, 1, 10'000));
  CHECK(cache.bytes() == 0);
}
