// Tests the right by which a stream is sent: how soon the stream ends with it, the cost of its proof, and its
// possible proofs. Long form: TEST_STREAM_OUTAGE=20 build/dev/bin/integration_output -tc="streams outlast
// PostgreSQL*"
#include "stream_fixture.hpp"

#include <csignal>

namespace svc::test {
namespace {

/// Instance 0 asks at each heartbeat, the other one rarely: a stream that ends there in time ends because of the
/// message.
struct watched_house {
  theatre t{1, {"SVC_OUTPUT_HEARTBEAT=100ms"}};
  std::unique_ptr<second_service> calm = t.house.beside({"SVC_OUTPUT_HEARTBEAT=1m", "SVC_REDIS_DEADLINE=50ms"});
  std::string run = t.make_run();
  long printed = 0;

  watched_house() { t.claim(run); }
  void print(long more) {
    t.print(run, printed + 1, printed + more);
    printed += more;
  }
  api_client at_calm(std::string token) { return {calm->url(), t.house.text("caFile"), std::move(token)}; }
};

watched_house& scene() {
  static watched_house shared;
  return shared;
}

struct made_token {
  std::string id, key;
};

made_token make_token() {
  static int made_before = 0;
  auto const body = R"({"name":"viewer )" + std::to_string(++made_before) + "\"}";
  auto const made = body_of(scene().t.house.client(0, scene().t.token).post("/api/cli-tokens", body));
  return {text_of(made, "/token/id"), text_of(made, "/token/key")};
}

std::function<bool(viewer const&)> has_beaten(long pings) {
  return [pings](viewer const& viewer) { return viewer.pings >= pings; };
}

/// Reads until all viewers have that many more heartbeats.
bool ping_again(audience& all, long times) {
  for (auto const& viewer : all.all()) viewer->drop_pings();
  return all.read_until(has_beaten(times));
}

/// Returns how often the service has read tokens from PostgreSQL.
std::string auth_reads() {
  return scene().t.house.sql(
      "SELECT coalesce(sum(s.calls), 0) FROM pg_stat_statements s JOIN pg_roles r ON r.oid = s.userid"
      " WHERE r.rolname = 'svc_app' AND s.query LIKE '%FROM token_secrets WHERE digest =%'")[0][0];
}

TEST_CASE("a token's streams end within a second of the answer that ends it, on any instance; others continue") {
  auto& s = scene();
  struct {
    std::string_view method, body;
    bool elsewhere;  ///< another instance makes the change
  } const changes[] = {{"DELETE", "", true},
                       {"DELETE", "", false},
                       {"PATCH", R"({"enabled":false})", true},
                       {"PATCH", R"({"enabled":false})", false}};
  for (auto const& c : changes) {
    CAPTURE(c.method);
    CAPTURE(c.elsewhere);
    auto const token = make_token();
    audience ending(s.t.house.text("caFile")), staying(s.t.house.text("caFile"));
    // The streams are on both workers of the instance.
    for (int i = 0; i < 4; ++i) ending.add(s.calm->url(), s.run, token.key);
    for (int i = 0; i < 2; ++i) staying.add(s.calm->url(), s.run, s.t.token);
    s.print(3);
    REQUIRE(ending.read_until(has_lines(s.printed)));
    auto client = c.elsewhere ? s.t.house.client(0, s.t.token) : s.at_calm(s.t.token);
    auto const got = client.call(c.method, "/api/cli-tokens/" + token.id, c.body);
    REQUIRE(got.status / 100 == 2);
    auto const answered = steady::now();
    ending.read_until(is_over, std::chrono::seconds(20));
    auto const took = std::chrono::duration_cast<milliseconds>(steady::now() - answered);
    MESSAGE("ended after " << took.count() << " ms");
    CHECK(took < milliseconds(1000));
    for (auto const& viewer : ending.all()) CHECK(viewer->closed());
    s.print(2);
    CHECK(staying.read_until(has_lines(s.printed)));
    for (auto const& viewer : staying.all()) CHECK(viewer->complaint == "");
  }
}

TEST_CASE("Redis proves the right of a token's many streams: no statement, however often they ask") {
  auto& s = scene();
  auto const token = make_token();
  audience all(s.t.house.text("caFile"));
  for (int i = 0; i < 12; ++i) all.add(s.t.house.url(0), s.run, token.key);
  REQUIRE(all.read_until(has_beaten(1)));
  auto const before = auth_reads();
  CHECK(ping_again(all, 3));
  CHECK(auth_reads() == before);
}

/// While it exists, the service gets no session of PostgreSQL; with the virtual clock of instance 0.
struct postgres_outage {
  fleet& subject;

  explicit postgres_outage(fleet& house) : subject(house) {
    subject.sql("ALTER ROLE svc_app CONNECTION LIMIT 0");
    subject.sql("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = 'svc_app'");
  }
  ~postgres_outage() {
    set_clock(0);
    subject.sql("ALTER ROLE svc_app CONNECTION LIMIT -1");
  }
  postgres_outage(postgres_outage const&) = delete;
  postgres_outage& operator=(postgres_outage const&) = delete;

  void set_clock(int seconds) {
    CHECK(subject.pages(0).call("POST", "/debug/clock", std::to_string(seconds)).status == 200);
  }
};

TEST_CASE("streams outlast PostgreSQL: Redis proves young records; older ones wait, unsent, until it is back") {
  auto& s = scene();
  auto const token = make_token();
  audience all(s.t.house.text("caFile"));
  for (int i = 0; i < 4; ++i) all.add(s.t.house.url(0), s.run, token.key);
  s.print(2);
  REQUIRE(all.read_until(has_lines(s.printed)));
  {
    postgres_outage outage(s.t.house);
    REQUIRE(ping_again(all, 2));
    s.print(2);
    CHECK(all.read_until(has_lines(s.printed)));
    outage.set_clock(60);
    auto const until = deadline::after(std::chrono::seconds(long_form("TEST_STREAM_OUTAGE", 0)));
    auto const heard = s.printed;
    REQUIRE(ping_again(all, 2));
    s.print(2);
    do REQUIRE(ping_again(all, 1));
    while (!until.passed());
    for (auto const& viewer : all.all()) CHECK(viewer->lines == heard);
  }
  CHECK(all.read_until(has_lines(s.printed)));
  for (auto const& viewer : all.all()) CHECK(viewer->complaint == "");
}

TEST_CASE("a token's streams end soon without Redis too: the database's changes are read every second") {
  auto& s = scene();
  auto const token = make_token();
  audience ending(s.t.house.text("caFile")), staying(s.t.house.text("caFile"));
  for (int i = 0; i < 4; ++i) ending.add(s.calm->url(), s.run, token.key);
  staying.add(s.calm->url(), s.run, s.t.token);
  REQUIRE(ending.read_until(has_lines(s.printed)));
  REQUIRE(staying.read_until(has_lines(s.printed)));
  ::kill(s.t.house.dev().pid_of("redis"), SIGSTOP);
  // Waits until both workers have opened their breakers.
  std::vector<api_client> doors;
  for (int i = 0; i < 4; ++i) doors.push_back(s.at_calm(s.t.token));
  for (int i = 0; i < 32; ++i) doors[static_cast<std::size_t>(i) % doors.size()].get("/api/auth/whoami");
  auto const got = doors[0].del("/api/cli-tokens/" + token.id);
  auto const answered = steady::now();
  ending.read_until(is_over, std::chrono::seconds(10));
  auto const took = std::chrono::duration_cast<milliseconds>(steady::now() - answered);
  ::kill(s.t.house.dev().pid_of("redis"), SIGCONT);
  CHECK(got.status == 204);
  MESSAGE("ended after " << took.count() << " ms");
  CHECK(took < milliseconds(3000));
  for (auto const& viewer : ending.all()) CHECK(viewer->closed());
  s.print(1);
  CHECK(staying.read_until(has_lines(s.printed)));
}

}  // namespace
}  // namespace svc::test
