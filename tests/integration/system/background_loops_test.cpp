// The background work of the service survives unexpected refusals by PostgreSQL, and shows its failures. The server
// itself refuses: a row policy on each table that these loops read raises the SQLSTATE.
#include "integration/system/faults/faults.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <sstream>

namespace svc::test {
namespace {

/// Makes each statement of the service on the tables of background work fail with a SQLSTATE. The planner evaluates
/// the policy's immutable function, so no row is required.
class refusing_tables {
 public:
  explicit refusing_tables(fleet const& fleet) : fleet_(fleet) {
    raise("P0001");
    for (auto const* table : tables)
      fleet_.sql("CREATE POLICY refused ON " + std::string(table) + " USING (refused())");
  }
  void refuse(std::string const& sqlstate) {
    raise(sqlstate);
    security("ENABLE");
  }
  void relent() { security("DISABLE"); }

 private:
  static constexpr std::array tables{"subject_outbox", "token_last_use", "idempotency_keys", "run_output",
                                     "output_changes", "jobs",           "run_queue",        "run_history",
                                     "run_results",    "instances"};

  void raise(std::string const& sqlstate) {
    fleet_.sql(
        "CREATE OR REPLACE FUNCTION refused() RETURNS boolean IMMUTABLE LANGUAGE plpgsql AS"
        " $$ BEGIN RAISE EXCEPTION 'planted' USING ERRCODE = '" +
        sqlstate + "'; END $$");
  }
  void security(std::string const& mode) {
    for (auto const* table : tables)
      fleet_.sql("ALTER TABLE " + std::string(table) + " " + mode + " ROW LEVEL SECURITY");
  }
  fleet const& fleet_;
};

/// Returns the background loops that an instance does not show as well, with their states.
std::set<std::string> ailing(fleet const& fleet) {
  auto const page = body_of(fleet.pages(0).get("/readyz?verbose"));
  std::set<std::string> out;
  for (auto const& value : page.at("background").at("loops").as_array())
    out.insert(text_of(value, "/loop") + " " + text_of(value, "/state"));
  auto const state = text_of(page, "/background/state");
  CHECK((state == "ok") == out.empty());
  return out;
}

int lines_with(std::string const& log, std::string const& subject, std::string const& also) {
  std::istringstream words(log);
  int n = 0;
  for (std::string line; std::getline(words, line);)
    n += line.find(subject) != std::string::npos && line.find(also) != std::string::npos ? 1 : 0;
  return n;
}

TEST_CASE("an unexpected refusal ends no background loop: reported once, shown, and everything continues") {
  // Each loop takes a step every 50 ms, regardless of its interval. While PostgreSQL refuses, Redis lets tokens in if
  // it answers in time.
  fleet fleet(1, {"SVC_WORKERS=1", "SVC_FAILPOINTS=background.hurry=delay:0", "SVC_REDIS_DEADLINE=500ms"});
  refusing_tables tables(fleet);
  auto client = fleet.client(0, fleet.text("token"));
  // The token is known from now on; otherwise the read of the token would join rows of the refusing tables.
  CHECK(client.get("/api/auth/whoami").status == 200);
  std::set<std::string> const loops{"relay",        "last_uses",   "old_keys",  "output_mover",
                                    "output_quota", "queue_watch", "schedules", "schedule_mender",
                                    "reaper",       "retention",   "instances"};
  std::set<std::string> failing;
  for (auto const& text : loops) failing.insert(text + " failing");
  auto const all_fail = [&] { return std::ranges::includes(ailing(fleet), failing); };
  struct {
    char const* sqlstate;
    bool reported;  ///< the error is logged at once, because it is unexpected
  } const cases[] = {{"42501", true}, {"55P03", false}, {"26000", true},
                     {"0A000", true}, {"22012", true},  {"P0001", true}};
  int times = 0;
  for (auto const& c : cases) {
    CAPTURE(std::string(c.sqlstate));
    times += c.reported ? 1 : 0;
    tables.refuse(c.sqlstate);
    // This use of a token must be written.
    CHECK(client.get("/api/auth/whoami").status == 200);
    REQUIRE(comes_true(all_fail, patience));
    tables.relent();
    REQUIRE(comes_true([&] { return ailing(fleet).empty(); }, patience));
  }
  for (auto const& text : loops) {
    CAPTURE(text);
    auto const reported = [&] {
      return lines_with(fleet.dev().process().err().text(), "background work failed", "\"loop\":\"" + text + "\"");
    };
    // A line may not have arrived yet.
    CHECK(comes_true([&] { return reported() >= times; }, patience));
    CHECK(reported() == times);
  }
  // The use is not lost.
  auto const used = fleet.sql("SELECT count(*) FROM token_last_use");
  CHECK(used[0][0] == "1");
  // Regaining trust in a lost Redis asks PostgreSQL as well.
  {
    stopped_process const away(fleet.dev().pid_of("redis"));
    REQUIRE(limits_become(fleet, "local", patience, [&] { client.get("/api/auth/whoami"); }));
    tables.refuse("26000");
  }
  REQUIRE(comes_true([&] { return ailing(fleet).contains("redis_probe failing"); }, patience));
  CHECK(limits_of(fleet, 0) == "local");
  tables.relent();
  REQUIRE(limits_become(fleet, "shared", patience, [] {}));
  // The instance can end in spite of the refusals.
  tables.refuse("42501");
  CHECK(client.get("/api/auth/whoami").status == 200);
  REQUIRE(comes_true(all_fail, patience));
  CHECK(fleet.dev().process().stop() == 0);
}

}  // namespace
}  // namespace svc::test
