// An instance whose clock is five minutes ahead or behind (support/shifted_clock.cpp): what is decided by time
// follows the stores'.
#include "faults.hpp"
#include "integration/system/jobs.hpp"
#include "integration/system/runner.hpp"

#include <cstdlib>
#include <ctime>

namespace svc::test {
namespace {

constexpr int seconds_apart = 300, admitted_in_all = 20;
/// HTTP dates have whole seconds.
constexpr long long least_apart = seconds_apart - 5, same_within = 2;

std::vector<std::string> clock_apart(int seconds) {
  return {std::string("LD_PRELOAD=") + SVC_SHIFTED_CLOCK, "TEST_CLOCK_OFFSET=" + std::to_string(seconds),
          "SVC_WORKERS=1"};
}

std::time_t date_of(answer const& got) {
  std::tm parts{};
  ::strptime(got.header("date").value().c_str(), "%a, %d %b %Y %H:%M:%S", &parts);
  return ::timegm(&parts);
}

/// One whose clock is right, and one whose clock is not.
struct two_clocks {
  explicit two_clocks(int apart) : other(right.beside(clock_apart(apart))) {}

  api_client at(bool wrong, std::string const& token) const {
    return {wrong ? other->url() : right.url(0), right.text("caFile"), token};
  }

  fleet right{1, {"SVC_WORKERS=1"}};
  std::unique_ptr<second_service> other;
  tenant owner = right.make_tenant();
};

void check_limit(two_clocks const& clocks, std::string const& job) {
  auto client = clocks.at(false, clocks.owner.token);
  auto const key = make_key(client, job, "shared", R"("rateLimit":{"limit":20,"windowSeconds":60})").key;
  std::array<api_client, 2> callers{clocks.at(false, key), clocks.at(true, key)};
  int admitted = 0;
  for (int i = 0; i < 2 * admitted_in_all; ++i) {
    std::array<answer, 2> const got{callers[0].post(trigger_path(job)), callers[1].post(trigger_path(job))};
    for (auto const& entry : got) admitted += entry.status == 202 ? 1 : 0;
    CHECK(std::abs(got[0].number("x-ratelimit-reset") - got[1].number("x-ratelimit-reset")) <= same_within);
  }
  CHECK(admitted == admitted_in_all);
}

/// By the database's clock on both, whatever is left of it by an instance's own.
void check_expiry(two_clocks const& clocks) {
  auto client = clocks.at(false, clocks.owner.token);
  for (auto const& [expires, status] : {std::pair{"+ interval '100 seconds'", 200}, {"- interval '1 second'", 401}}) {
    CAPTURE(expires);
    auto const made =
        body_of(client.post("/api/cli-tokens", std::string(R"({"name":")") + std::to_string(status) + "\"}"));
    clocks.right.sql("UPDATE tokens SET expires_at = now() " + std::string(expires) + " WHERE id = '" +
                     text_of(made, "/token/id") + "'");
    for (bool const wrong : {true, false}) {
      CAPTURE(wrong);
      auto user = clocks.at(wrong, text_of(made, "/token/key"));
      for (int times = 0; times < 2; ++times) CHECK(user.get("/api/auth/whoami").status == status);
    }
  }
}

void check_revocation(two_clocks const& clocks) {
  for (bool const wrong : {true, false}) {
    CAPTURE(wrong);
    auto client = clocks.at(wrong, clocks.owner.token);
    auto const made = body_of(client.post("/api/cli-tokens", wrong ? R"({"name":"a"})" : R"({"name":"b"})"));
    auto elsewhere = clocks.at(!wrong, text_of(made, "/token/key"));
    CHECK(elsewhere.get("/api/auth/whoami").status == 200);
    CHECK(client.del("/api/cli-tokens/" + text_of(made, "/token/id")).status == 204);
    CHECK(elsewhere.get("/api/auth/whoami").status == 401);
  }
}

/// A key is one run, and lists are in the order of the triggers, whichever instance took them.
void check_runs_of(two_clocks const& clocks, std::string const& job) {
  std::vector<std::string> made;
  for (int i = 0; i < 6; ++i) {
    header_list const key{{"Idempotency-Key", "k" + std::to_string(i)}};
    auto client = clocks.at(i % 2 == 0, clocks.owner.token), again = clocks.at(i % 2 != 0, clocks.owner.token);
    made.push_back(text_of(body_of(client.call("POST", trigger_path(job), {}, key)), "/data/runId"));
    CHECK(text_of(body_of(again.call("POST", trigger_path(job), {}, key)), "/data/runId") == made.back());
  }
  for (bool const wrong : {true, false}) {
    std::vector<std::string> listed;
    auto const page = body_of(clocks.at(wrong, clocks.owner.token).get("/api/runs?limit=6&jobId=" + job));
    for (auto const& run : page.at("data").as_array()) listed.insert(listed.begin(), text_of(run, "/id"));
    CHECK(listed == made);
  }
}

TEST_CASE("an instance whose clock is five minutes wrong decides as the others do") {
  for (int const apart : {seconds_apart, -seconds_apart}) {
    CAPTURE(apart);
    two_clocks const clocks(apart);
    auto client = clocks.at(false, clocks.owner.token);
    auto const seen =
        date_of(clocks.at(true, {}).get("/api/health")) - date_of(clocks.at(false, {}).get("/api/health"));
    REQUIRE((apart > 0 ? seen : -seen) >= least_apart);
    auto const job = make_job(client);
    check_limit(clocks, job);
    check_expiry(clocks);
    check_revocation(clocks);
    check_runs_of(clocks, make_job(client));
  }
}

}  // namespace
}  // namespace svc::test
