// Every operation does what it promises, with each of its documented bodies, each in a new project.
#include "contract/contract_fixture.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <set>

namespace svc::test {
namespace {

/// A `Location` that can be read leads to the new resource.
void follow(contract_fixture& s, contract_tenant const& tenant, std::string const& location) {
  CAPTURE(location);
  REQUIRE(location.starts_with("/api/"));
  auto const got = s.send({"GET", location, tenant.token});
  // Trigger keys and updates can only be read in their lists.
  bool const listed = location.find("/trigger-keys/") != location.npos || location.find("/updates/") != location.npos;
  CHECK(got.status == (listed ? 405 : 200));
}

void play(contract_fixture& s, http::operation const& op, contract_tenant const& tenant, std::string const& body) {
  auto r = s.good(op, tenant);
  r.body = body;
  auto const done = s.ask(op, r);
  CHECK(check_success(s.contract(), op, done, op.success) == "");
  if (auto const location = done.got.header("Location")) follow(s, tenant, *location);
}

/// A conditional GET, and its HEAD.
void play_again(contract_fixture& s, http::operation const& op, contract_tenant const& tenant) {
  s.end_outages();
  auto r = s.good(op, tenant);
  auto const first = s.send(r);
  r.method = "HEAD";
  auto const head = s.send(r);
  CHECK(head.status == first.status);
  CHECK(head.header("Content-Length") == first.header("Content-Length"));
  if (s.contract().response(op, 304) == nullptr) return;
  REQUIRE(first.header("ETag"));
  r.method = "GET";
  r.headers = {{"If-None-Match", *first.header("ETag")}};
  CHECK(check_success(s.contract(), op, s.ask(op, r), 304) == "");
}

/// A trigger that queues nothing: it joins a queued run, or it is a retry and learns of its first run, which may have
/// ended or have been deleted.
void play_known_runs(contract_fixture& s, http::operation const& op) {
  struct {
    std::string name;
    std::string query, body;
    support::header_list headers;
    unsigned status;
    bool replayed;
    std::string first;
  } const steps[] = {
      {"makes", "", R"({"dedupKey":"d"})", {{"Idempotency-Key", "k"}}, 202, false, ""},
      {"joins", "", R"({"dedupKey":"d"})", {}, 200, false, ""},
      {"retries", "", R"({"dedupKey":"d"})", {{"Idempotency-Key", "k"}}, 202, true, ""},
      {"waits in vain", "?wait=1", R"({"dedupKey":"d"})", {{"Idempotency-Key", "k"}}, 202, true, ""},
      {"waits for what has ended", "?wait=1", R"({"dedupKey":"d"})", {{"Idempotency-Key", "k"}}, 200, true, "cancel"},
      {"asks for what is deleted", "?wait=1", R"({"dedupKey":"d"})", {{"Idempotency-Key", "k"}}, 202, true, "delete"},
  };
  auto const tenant = s.make_tenant();
  std::optional<std::string> run;
  for (auto const& step : steps) {
    CAPTURE(step.name);
    if (step.first == "cancel") s.must(202, {"POST", run.value() + "/cancel", tenant.token});
    if (step.first == "delete") s.must(204, {"DELETE", run.value(), tenant.token});
    auto r = s.good(op, tenant);
    r.target += step.query;
    r.body = step.body;
    r.headers = step.headers;
    auto const done = s.ask(op, r);
    CHECK(check_success(s.contract(), op, done, step.status) == "");
    CHECK(done.got.header("Idempotent-Replayed").has_value() == step.replayed);
    if (!run) run = done.got.header("Location");
    CHECK(done.got.header("Location") == run);
  }
}

/// The answer to a client that has had the last event says not to reconnect.
void play_seen(contract_fixture& s, http::operation const& op) {
  auto r = s.good(op);
  r.headers = {{"Last-Event-ID", "0-1"}};
  CHECK(check_success(s.contract(), op, s.ask(op, r), 204) == "");
}

/// A check that is waited for.
void play_awaited(contract_fixture& s, http::operation const& op) {
  auto r = s.good(op);
  r.target += "?wait=50";
  CHECK(check_success(s.contract(), op, s.ask(op, r), 200) == "");
}

void play_all(contract_fixture& s, http::operation const& op) {
  CAPTURE(op.id);
  std::set<unsigned> expected{op.success};
  if (op.method == "GET" && s.contract().response(op, 304) != nullptr) expected.insert(304);
  if (op.id == "trigger_job") {
    play_known_runs(s, op);
    expected.insert(200);
  }
  if (op.id == "stream_run") {
    play_seen(s, op);
    expected.insert(204);
  }
  if (op.id == "check_monitor") {
    play_awaited(s, op);
    expected.insert(200);
  }
  for (auto const status : s.contract().statuses(op)) {
    CAPTURE(status);
    CHECK((status >= 400 || expected.contains(status)));
  }
  for (std::size_t i = 0; i < s.documented_bodies(op, s.main()).size(); ++i) {
    auto const tenant = s.make_tenant();
    auto const body = s.documented_bodies(op, tenant)[i];
    CAPTURE(body);
    CHECK(body.empty() != (op.body_limit > 0));
    play(s, op, tenant, body);
  }
  if (op.method == "GET") play_again(s, op, s.main());
}

void play_problem(contract_fixture& s, http::operation const& op) {
  CAPTURE(op.id);
  auto r = s.good(op);
  r.target += "?nonsense=1";
  r.headers = {{"Accept", "application/problem+json"}, {"Idempotency-Key", "k"}};
  auto const attempt = s.ask(op, r);
  CHECK(attempt.got.header("Content-Type") == "application/problem+json");
  auto const code = boost::json::parse(attempt.got.body).at("code").as_string();
  CHECK(check_error(s.contract(), op, attempt, code) == "");
}

void check_examples(served_contract& contract) {
  for (auto const& [name, schema] : contract.schemas()) {
    auto const* const examples = schema.as_object().if_contains("examples");
    if (examples == nullptr) continue;
    for (auto const& example : examples->as_array()) {
      CAPTURE(std::string(name));
      CHECK(contract.faults(schema, example) == "");
    }
  }
}

// One case, so that one service serves it all: starting it takes longer than each of the three parts.
TEST_CASE("operations succeed with each documented body; examples fit; problem+json is sent on request") {
  contract_fixture s;
  check_examples(s.contract());
  for (auto const& op : s.contract().operations()) {
    play_all(s, op);
    play_problem(s, op);
  }
}

}  // namespace
}  // namespace svc::test
