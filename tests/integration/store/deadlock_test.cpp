#include "shop.hpp"

#include <boost/asio/co_spawn.hpp>

#include <stdexcept>
#include <thread>

using namespace svc;
using namespace svc::test;

namespace {

/// A competing PostgreSQL transaction that runs `sql` on its own connection until it ends or is terminated. Its
/// deadlock timeout is longer than that of the service's sessions, so that the server ends theirs.
class rival {
 public:
  rival(shop& db, std::string const& sql)
      : db_(db), thread_([&db, text = "SET LOCAL deadlock_timeout = '2s';" + sql] {
          try {
            db.as_owner(text);
          } catch (std::runtime_error const&) {
            // The test terminates it.
          }
        }) {}
  ~rival() {
    db_.as_owner(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = 'svc' AND"
        " datname = current_database() AND pid <> pg_backend_pid()");
    thread_.join();
  }
  rival(rival const&) = delete;
  rival& operator=(rival const&) = delete;

 private:
  shop& db_;
  std::thread thread_;
};

/// Runs `locks`, then, as soon as the service's session waits for them, `wants`.
std::string crossing(std::string const& locks, std::string const& wants) {
  return locks + "; SELECT pg_advisory_xact_lock_shared(1);" + until_another_waits + wants;
}

void until_ready(shop& db) {
  postgres::query const ready{{"rivals_ready",
                               "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 1"
                               " AND granted AND database = (SELECT oid FROM pg_database"
                               " WHERE datname = current_database())"}};
  auto const until = steady::now() + std::chrono::seconds(20);
  while (db.number(ready) != 1) REQUIRE(steady::now() < until);
}

/// A transaction holds the row that the service waits for, and then requests a table whose lock the service holds.
void check_ended(shop& db, std::string const& table, uuid id, std::function<void()> const& change,
                 std::string const& key = "id") {
  CAPTURE(table);
  std::string said = "nothing";
  // If the rival comes too late, the server ends the rival instead.
  for (int attempt = 0; attempt < 10 && said == "nothing"; ++attempt) {
    rival const other(db,
                      crossing("SELECT FROM " + table + " WHERE " + key + " = '" + id.to_string() + "' FOR UPDATE",
                               "LOCK TABLE " + table + " IN EXCLUSIVE MODE"));
    until_ready(db);
    try {
      change();
    } catch (unavailable const& e) {
      said = e.what();
    }
  }
  CHECK(said == "PostgreSQL ended the transaction");
}

}  // namespace

TEST_CASE("a transaction that PostgreSQL ends to break a deadlock is unavailable, whatever it was changing") {
  shop db;
  auto const test = db.make_test("t").id;
  auto const job = db.make_job("j", {test}).id;
  auto const run = db.make_run(job).run;
  store::provider_settings const slack{"a", "slack", true, R"({"webhookUrl":"https://a"})"};
  auto const hook = db.wait(db.providers.create(db.as_ed(), slack, db.soon()))->id;
  auto const edit_test = [](test_case const& now) { return result<test_settings>(now.set); };
  auto const edit_job = [](svc::job const& now) { return result<job_settings>(now.set); };
  auto const edit_hook = [&](notification_provider const&) { return result<store::provider_settings>(slack); };
  auto const editor = db.as_ed();
  check_ended(db, "projects", db.project, [&] { db.make_test("other"); });
  check_ended(db, "projects", db.project, [&] { db.make_job("other"); });
  check_ended(db, "projects", db.project, [&] { db.wait(db.providers.create(editor, slack, db.soon())); });
  check_ended(db, "tests", test, [&] { db.wait(db.tests.update(editor, test, edit_test, {}, db.soon())); });
  check_ended(db, "tests", test, [&] { db.wait(db.tests.remove(editor, test, db.soon())); });
  check_ended(db, "jobs", job, [&] { db.wait(db.jobs.update(editor, job, edit_job, db.soon())); });
  check_ended(db, "jobs", job, [&] { static_cast<void>(db.wait(db.jobs.remove(editor, job, db.soon()))); });
  check_ended(db, "notification_providers", hook,
              [&] { db.wait(db.providers.update(editor, hook, edit_hook, db.soon())); });
  check_ended(db, "notification_providers", hook, [&] { db.wait(db.providers.remove(editor, hook, db.soon())); });
  check_ended(db, "run_queue", run, [&] { db.wait(db.runs.cancel(editor, run, db.soon())); }, "run_id");
  check_ended(db, "run_queue", run, [&] { db.wait(db.runs.remove(editor, run, db.soon())); }, "run_id");
}

TEST_CASE("removing a job that crosses a change of its key is unavailable once, and succeeds when tried again") {
  shop db;
  auto const key = db.make(db.key(db.ed, "k")).id.to_string();
  bool ended = false;
  {
    rival const other(db, crossing("SELECT FROM tokens WHERE id = '" + key + "' FOR UPDATE",
                                   "SELECT FROM jobs WHERE id = '" + db.build.to_string() + "' FOR SHARE"));
    until_ready(db);
    try {
      static_cast<void>(db.wait(db.jobs.remove(db.as_ed(), db.build, db.soon())));
    } catch (unavailable const&) {
      ended = true;
    }
  }
  CHECK(ended);
  auto const again = db.wait(db.jobs.remove(db.as_ed(), db.build, db.soon()));
  CHECK(again.outcome.has_value());
}
