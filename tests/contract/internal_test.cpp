// Tests the contract of runners against the running service: each operation, each error in its x-errors, and the
// common errors.
#include "contract/answer_check.hpp"
#include "contract/provoker.hpp"
#include "integration/system/runner.hpp"
#include "svc/domain/token.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <set>
#include <thread>

namespace svc::test {
namespace {

namespace json = boost::json;

/// One instance with a listener for runners, and claimed runs.
class floor {
 public:
  floor()
      : service_(stage_.dev(), both_kinds,
                 {patient_redis, "SVC_WORKERS=1", "SVC_HTTP_IN_FLIGHT=2", generous_reads,
                  "SVC_LIMITS_RUNNER_LIMIT=1000000", "SVC_LIMITS_CLAIM_LIMIT=1000000"}),
        secret_(make_token()),
        agent_(url(), stage_.ca(), secret_) {
    enrolled_ = agent_.enroll();
  }

  std::string url() const { return "https://" + service_.address(1); }
  std::string make_token() {
    auto const made =
        stage_.admin({"create-runner", "--project", stage_.main().project, "--name", "r" + std::to_string(++names_)});
    id_ = std::string(made.at("id").as_string());
    return std::string(made.at("key").as_string());
  }
  std::string revoked() {
    auto out = make_token();
    stage_.admin({"revoke-runner", id_});
    return out;
  }
  /// Triggers and claims a run; returns its claim.
  json::value hold() {
    stage_.must(202, {"POST", "/api/jobs/" + stage_.main().ids.at("jobs") + "/trigger", stage_.main().token});
    return claims_of(agent_.claim(10)).at(0);
  }
  /// Returns a request that succeeds, with the claim that it refers to.
  request good(http::operation const& op) {
    json::object body = contract_.body_schema(op).at("examples").at(0).as_object();
    request out{op.method, op.path, secret_};
    if (body.contains("executorId")) body["executorId"] = agent_.id();
    if (body.contains("claimId")) {
      auto const claim = hold();
      body["claimId"] = claim.at("claimId");
      if (op.id == "give_scripts")
        body["tests"] = json::array(1, claim.at("tests").at(0).at("id"));
      else if (body.contains("tests"))
        body["tests"] = json::array();
      auto const position = out.target.find("{id}");
      out.target.replace(position, 4, std::string(claim.at("runId").as_string()));
    }
    if (body.contains("runs")) {
      auto const claim = hold();
      auto& run = body["runs"].as_array().at(0).as_object();
      run["runId"] = claim.at("runId");
      run["claimId"] = claim.at("claimId");
    }
    out.body = json::serialize(body);
    return out;
  }
  support::answer send(request const& request) { return contract_fixture::send(client_, request); }
  void failpoints(std::string const& spec) {
    support::https_client admin(service_.admin_url(), {});
    if (admin.request("POST", "/debug/failpoints", {}, spec).status != 200)
      throw std::runtime_error("the contract tests need a build with SVC_FAILPOINTS");
  }
  served_contract& contract() { return contract_; }
  contract_fixture& house() { return stage_; }
  answer const& enrolled() const { return enrolled_; }

 private:
  contract_fixture stage_;
  configured_service service_;
  served_contract contract_{std::string(embedded::internal_json)};
  int names_ = 0;
  std::string id_, secret_;
  runner_client agent_;
  support::https_client client_{url(), stage_.ca()};
  answer enrolled_;
};

using spoiler = std::function<void(floor& f, request& r)>;

void set_member(request& r, std::string_view name, json::value value) {
  auto body = json::parse(r.body).as_object();
  body[name] = std::move(value);
  r.body = json::serialize(body);
}

/// Returns the changes that turn the good request into one with this error.
std::map<std::string, std::vector<spoiler>> const& spoilers() {
  static std::map<std::string, std::vector<spoiler>> const all{
      {"malformed_request",
       {[](floor&, request& r) { r.headers.emplace_back("Authorization", "Bearer " + r.token); }}},
      {"token_required", {[](floor&, request& r) { r.token.clear(); }}},
      {"invalid_token",
       {[](floor&, request& r) { r.token = std::string(mint_runner_token().key.reveal()); },
        [](floor&, request& r) { r.token.back() = r.token.back() == 'a' ? 'b' : 'a'; },
        [](floor& f, request& r) { r.token = f.house().main().token; },
        [](floor& f, request& r) { r.token = f.house().main().trigger_key; }}},
      {"token_revoked", {[](floor& f, request& r) { r.token = f.revoked(); }}},
      {"validation_failed",
       {[](floor&, request& r) { r.body = "{}"; }, [](floor&, request& r) { r.body.clear(); },
        [](floor&, request& r) { r.body = "[]"; }, [](floor&, request& r) { set_member(r, "unknown", 1); },
        [](floor&, request& r) { r.target += "?unknown=1"; }}},
      {"malformed_json", {[](floor&, request& r) { r.body = "{"; }}},
      {"unsupported_media_type", {[](floor&, request& r) { r.media = "text/plain"; }}},
      {"unsupported_content_coding",
       {[](floor&, request& r) { r.headers.emplace_back("Content-Encoding", "gzip"); }}},
      {"body_too_large", {[](floor&, request& r) { r.body += std::string(5UL * 1024 * 1024, ' '); }}},
      {"not_found",
       {[](floor&, request& r) { set_member(r, "executorId", "01934f2e-0000-7000-8000-000000000000"); }}},
      {"claim_lost",
       {[](floor&, request& r) { set_member(r, "claimId", "01934f2e-0000-7000-8000-000000000000"); },
        [](floor& f, request& r) {
          f.house().sql().run(
              "UPDATE runs SET status = 'error', completed_at = now(), lease_until = NULL WHERE id = $1",
              {r.target.substr(r.target.find("runs/") + 5, 36)});
        }}},
  };
  return all;
}

attempt uncounted(support::answer got) {
  return {std::move(got), false};
}

/// A bad credential is found before the request is counted.
attempt counted_unless_refused(support::answer got, std::string_view code) {
  constexpr std::array refusals{"malformed_request", "token_required", "invalid_token", "token_revoked"};
  return {std::move(got), std::ranges::find(refusals, code) == refusals.end()};
}

TEST_CASE("the contract of runners: each operation succeeds, and gives each of its errors, as the document says") {
  floor f;
  CHECK(f.enrolled().status == 200);
  for (auto const& op : f.contract().operations()) {
    CAPTURE(op.id);
    CHECK(check_success(f.contract(), op, {f.send(f.good(op))}, op.success) == "");
    std::set<std::string> left(op.errors.begin(), op.errors.end());
    for (auto const& [code, all] : spoilers()) {
      if (left.erase(code) == 0) continue;
      CAPTURE(code);
      for (auto const& spoil : all) {
        auto r = f.good(op);
        spoil(f, r);
        CHECK(check_error(f.contract(), op, counted_unless_refused(f.send(r), code), code) == "");
      }
    }
    auto const r = f.good(op);
    f.failpoints("internal.before_handler=throw*1");
    auto const gone = f.send(r);
    CHECK(check_error(f.contract(), op, {gone}, "unavailable") == "");
    CHECK(gone.header("retry-after"));
    left.erase("unavailable");
    left.erase("overloaded");
    left.erase("rate_limited");
    CHECK(left.empty());
  }
}

TEST_CASE("the contract of runners: a token whose window is full learns when to retry") {
  floor f;
  configured_service narrow(f.house().dev(), both_kinds,
                            {patient_redis, generous_reads, "SVC_LIMITS_RUNNER_LIMIT=1"});
  support::https_client client("https://" + narrow.address(1), f.house().ca());
  for (auto const& op : f.contract().operations()) {
    CAPTURE(op.id);
    auto const r = f.good(op);
    contract_fixture::send(client, r);
    CHECK(check_error(f.contract(), op, {contract_fixture::send(client, r)}, "rate_limited") == "");
  }
}

/// Sends the request on a separate connection; the answer does not matter.
std::jthread beside(floor& f, request const& r) {
  return std::jthread([&f, r] {
    support::https_client client(f.url(), f.house().ca());
    contract_fixture::send(client, r);
  });
}

TEST_CASE("the contract of runners: one request more than a worker accepts is refused") {
  floor f;
  for (auto const& op : f.contract().operations()) {
    CAPTURE(op.id);
    auto const r = f.good(op);
    support::answer got;
    for (int round = 0; round < 40 && got.status != 503; ++round) {
      f.failpoints("internal.before_handler=delay:300*2");
      auto const jthread = beside(f, r), two = beside(f, r);
      for (auto const end = steady::now() + milliseconds(250); got.status != 503 && steady::now() < end;)
        got = f.send({"POST", "/internal/v1/nothing", r.token});
      if (got.status == 503) got = f.send(r);
    }
    CHECK(check_error(f.contract(), op, uncounted(got), "overloaded") == "");
  }
}

TEST_CASE("the contract of runners: waiting claims take nobody's place") {
  floor f;
  request waiting;
  for (auto const& op : f.contract().operations())
    if (op.id == "claim_runs") waiting = f.good(op);
  auto const working = waiting;
  set_member(waiting, "waitSeconds", 3);
  set_member(waiting, "labels", {"k6"});
  std::vector<std::jthread> idle;
  for (int i = 0; i < 6; ++i) idle.push_back(beside(f, waiting));
  int served = 0;
  for (auto const end = steady::now() + std::chrono::seconds(2); steady::now() < end;)
    if (f.send(working).status == 200) ++served;
  CHECK(served > 0);
}

TEST_CASE("the contract of runners: strangers learn nothing about paths; a known token learns the mistake") {
  floor f;
  auto const good = f.good(f.contract().operations().front());
  struct {
    std::string method, target;
    bool known;
    int status;
    std::string code;
  } const cases[] = {
      {"POST", "/internal/v1/nothing", false, 401, "token_required"},
      {"POST", "/internal/v1/nothing", true, 404, "route_not_found"},
      {"GET", "/internal/v1/claim", true, 405, "method_not_allowed"},
      {"GET", "/api/jobs", true, 404, "route_not_found"},
      {"GET", "/livez", true, 404, "route_not_found"},
      {"POST", "/internal/v1/runs/nonsense/heartbeat", true, 400, "validation_failed"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.method + " " + c.target);
    auto const got = f.send({c.method, c.target, c.known ? good.token : std::string()});
    CHECK(got.status == c.status);
    CHECK(code_of(got) == c.code);
    CHECK(got.header("x-request-id"));
    CHECK(got.header("cache-control") == "no-store");
  }
}

}  // namespace
}  // namespace svc::test
