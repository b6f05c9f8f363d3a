// Quotas of the objects that users create: exact under concurrent changes, and counted by the database for every
// writer.
#include "shop.hpp"

#include "svc/store/jobs/variable_store.hpp"
#include "svc/store/runs/usage_store.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <functional>
#include <map>

using namespace svc;
using namespace svc::test;

namespace {

struct bounded : shop {
  explicit bounded(quota_table table) : most(table) {}

  store::project_usage used() { return wait(store::usage_store(pool, most).read(project, soon())); }
  result<svc::variable> put(std::string key, std::size_t size) {
    store::variable_store now(pool, master, most);
    return wait(now.create(as_ed(), sized(std::move(key), size), soon()));
  }
  result<svc::variable> change(uuid id, std::optional<std::size_t> size) {
    auto const edit = [size](svc::variable const& now) {
      auto out = sized(now.key, size.value_or(0));
      if (!size) out.value.reset();
      return result<store::variable_settings>(std::move(out));
    };
    store::variable_store now(pool, master, most);
    return wait(now.update(as_ed(), id, edit, soon()));
  }
  result<test_case> script(std::size_t size) {
    store::test_store now(pool, most);
    return wait(now.create(as_ed(), {.title = "t", .type = "command", .script = std::string(size, 'x')}, soon()));
  }
  result<test_case> rewrite(uuid id, std::size_t size) {
    auto const keep = [](test_case const& now) { return result<test_settings>(now.set); };
    store::test_store now(pool, most);
    return wait(now.update(as_ed(), id, keep, std::string(size, 'y'), soon()));
  }
  static store::variable_settings sized(std::string key, std::size_t size) {
    return {.key = std::move(key), .value = secret_string(std::string(size, 'v')), .is_secret = true};
  }

  quota_table most;  ///< for the methods above; the stores keep the quotas that they were created with
  store::variable_store variables{pool, master, most};
  store::test_store scripts{pool, most};
  store::job_store plans{pool, most};
  store::provider_store receivers{pool, master, most};
};

/// The number of times that each code was returned; `made` counts successes.
using tally = std::map<std::optional<errc>, int>;
constexpr std::optional<errc> made{};

template <class T>
task<> note(task<result<T>> variable, tally& into, int& left) {
  auto const done = co_await std::move(variable);
  ++into[failure(done)];
  --left;
}

template <class T>
tally tally_of(shop& db, int count, std::function<task<result<T>>(int)> const& entry) {
  tally out;
  int left = count;
  for (int i = 0; i < count; ++i) asio::co_spawn(db.io, note<T>(entry(i), out, left), asio::detached);
  db.io.restart();
  while (left > 0 && db.io.run_one() > 0) {
  }
  return out;
}

/// Checks that the database's counters match its rows.
void check_counts(shop& db) {
  CHECK(db.number({{"quota_recount", R"(
SELECT count(*) FROM (
  SELECT project_id, 'jobs' AS kind, count(*) AS used, 0 AS bytes FROM jobs WHERE deleted_at IS NULL GROUP BY 1
  UNION ALL SELECT project_id, 'notification_providers', count(*), 0 FROM notification_providers GROUP BY 1
  UNION ALL SELECT project_id, 'tests', count(*), sum(octet_length(script)) FROM tests GROUP BY 1
  UNION ALL SELECT project_id, 'variables', count(*), sum(octet_length(sealed) - 28) FROM variables GROUP BY 1) real
  FULL JOIN (SELECT * FROM project_usage WHERE used > 0) told USING (project_id, kind)
 WHERE (real.used, real.bytes) IS DISTINCT FROM (told.used, told.bytes))"}}) == 0);
}

}  // namespace

TEST_CASE("64 at once make exactly as many variables, tests and jobs as there is room for") {
  bounded db({.variables = 12, .tests = 10, .jobs = 9});
  REQUIRE(db.put("FIRST", 1).has_value());
  auto const kept = db.script(1);
  auto const plan = db.wait(db.plans.create(db.as_ed(), db.ed, {.name = "first", .job_type = "command"}, db.soon()));
  REQUIRE((kept && plan));
  auto const before = db.used();  // the demo job of acme counts, too
  tally const variables = tally_of<svc::variable>(db, 64, [&](int i) {
    return db.variables.create(db.as_ed(), bounded::sized("V" + std::to_string(i), 10), db.soon());
  });
  CHECK(variables == tally{{made, 11}, {errc::variable_limit_reached, 64 - 11}});
  tally const tests = tally_of<test_case>(db, 64, [&](int) {
    return db.scripts.create(db.as_ed(), {.title = "t", .type = "command", .script = "s"}, db.soon());
  });
  CHECK(tests == tally{{made, 9}, {errc::test_limit_reached, 64 - 9}});
  tally const jobs = tally_of<svc::job>(db, 64, [&](int) {
    return db.plans.create(db.as_ed(), db.ed, {.name = "j", .job_type = "command"}, db.soon());
  });
  int const room = static_cast<int>(9 - before.jobs.used);
  CHECK(jobs == tally{{made, room}, {errc::job_limit_reached, 64 - room}});
  auto const after = db.used();
  CHECK(after.variables.used == 12);
  CHECK(after.tests.used == 10);
  CHECK(after.jobs.used == 9);
  check_counts(db);

  // Deleting one of each kind makes room for one; a deleted job stays as a row.
  CHECK_FALSE(failure(db.wait(db.scripts.remove(db.as_ed(), kept->id, db.soon()))));
  CHECK(db.script(1).has_value());
  CHECK(failure(db.script(1)) == errc::test_limit_reached);
  CHECK(db.wait(db.plans.remove(db.as_ed(), plan->id, db.soon())).outcome.has_value());
  auto const another = [&] {
    return db.wait(db.plans.create(db.as_ed(), db.ed, {.name = "n", .job_type = "command"}, db.soon()));
  };
  CHECK(another().has_value());
  CHECK(failure(another()) == errc::job_limit_reached);
  check_counts(db);
  // The other project has its own quota.
  CHECK(db.wait(db.scripts.create(db.elsewhere(), {.title = "t", .type = "command"}, db.soon())).has_value());
}

TEST_CASE("64 at once make exactly as many notification providers as there is room for; excess ones stay") {
  bounded db({.providers = 7});
  store::provider_settings const wanted{.name = "n", .type = "email", .config = R"({"to":["a@b.test"]})"};
  auto const held = db.used().providers.used;
  tally const at_once = tally_of<svc::notification_provider>(
      db, 64, [&](int) { return db.receivers.create(db.as_ed(), wanted, db.soon()); });
  int const room = static_cast<int>(7 - held);
  CHECK(at_once == tally{{made, room}, {errc::provider_limit_reached, 64 - room}});
  CHECK(db.used().providers.used == 7);
  CHECK(db.used().providers.limit == 7);
  check_counts(db);

  db.as_owner(
      "INSERT INTO notification_providers (id, project_id, name, type, config) SELECT gen_random_uuid(),"
      " project_id, name, type, config FROM notification_providers WHERE project_id = '" +
      db.project.to_string() + "'");
  CHECK(db.used().providers.used == 14);
  auto const some = db.wait(db.receivers.list(db.project, {.limit = 1}, db.soon())).rows.front();
  auto const rename = [](svc::notification_provider const& now) {
    return result<store::provider_settings>({.name = "new", .type = now.type, .config = now.config});
  };
  CHECK(db.wait(db.receivers.update(db.as_ed(), some.id, rename, db.soon())).has_value());
  CHECK(db.wait(db.receivers.remove(db.as_ed(), some.id, db.soon())).has_value());
  CHECK(failure(db.wait(db.receivers.create(db.as_ed(), wanted, db.soon()))) == errc::provider_limit_reached);
  check_counts(db);
}

TEST_CASE("values and scripts of a project stay within their bytes, however many changes arrive at once") {
  bounded db({.variables = 0, .variable_bytes = 1000, .tests = 0, .script_bytes = 5000});
  tally const values = tally_of<svc::variable>(db, 30, [&](int i) {
    return db.variables.create(db.as_ed(), bounded::sized("V" + std::to_string(i), 100), db.soon());
  });
  CHECK(values == tally{{made, 10}, {errc::variable_bytes_exceeded, 20}});
  tally const scripts = tally_of<test_case>(db, 30, [&](int) {
    return db.scripts.create(db.as_ed(), {.title = "t", .type = "command", .script = std::string(600, 'x')},
                             db.soon());
  });
  CHECK(scripts == tally{{made, 8}, {errc::script_bytes_exceeded, 22}});
  CHECK(db.used().variable_bytes.used == 1000);
  CHECK(db.used().script_bytes.used == 4800);

  // Changes that grow are bound by the same quota: of eight scripts that need 100 bytes more, two fit.
  auto const page = db.wait(db.scripts.list(db.project, {}, {}, db.soon()));
  auto const keep = [](test_case const& now) { return result<test_settings>(now.set); };
  tally const grown = tally_of<test_case>(db, 8, [&](int i) {
    return db.scripts.update(db.as_ed(), page.rows[static_cast<std::size_t>(i)].id, keep, std::string(700, 'z'),
                             db.soon());
  });
  CHECK(grown == tally{{made, 2}, {errc::script_bytes_exceeded, 6}});
  CHECK(db.used().script_bytes.used == 5000);
  check_counts(db);
}

TEST_CASE("an amount above its quota stays, may shrink, and cannot grow") {
  bounded db({.variables = 0, .variable_bytes = 0, .tests = 0, .script_bytes = 0, .jobs = 0});
  auto const value = db.put("LARGE", 500);
  auto const text = db.script(500);
  REQUIRE((value && text));
  REQUIRE(db.put("OTHER", 1).has_value());
  // The same project under quotas that it already exceeds.
  db.most = {.variables = 1, .variable_bytes = 100, .tests = 1, .script_bytes = 100, .jobs = 1};
  CHECK(failure(db.put("MORE", 0)) == errc::variable_limit_reached);
  CHECK(failure(db.change(value->id, 501)) == errc::variable_bytes_exceeded);
  CHECK_FALSE(failure(db.change(value->id, std::nullopt)));
  CHECK_FALSE(failure(db.change(value->id, 500)));
  CHECK_FALSE(failure(db.change(value->id, 400)));
  CHECK(failure(db.script(0)) == errc::test_limit_reached);
  CHECK(failure(db.rewrite(text->id, 501)) == errc::script_bytes_exceeded);
  CHECK_FALSE(failure(db.rewrite(text->id, 500)));
  CHECK_FALSE(failure(db.rewrite(text->id, 400)));
  CHECK(db.used().variables.used == 2);
  CHECK(db.used().variable_bytes.used == 401);
  CHECK(db.used().script_bytes.used == 400);
  check_counts(db);
}

TEST_CASE("the database counts every write, several projects at once, and lets nobody else change the numbers") {
  bounded db({});
  std::string const ids =
      "(VALUES ('" + db.project.to_string() + "'::uuid), ('" + db.other_project.to_string() + "'))";
  db.as_owner(
      "INSERT INTO tests (id, project_id, title, type, priority, script) SELECT gen_random_uuid(), p.id, 't',"
      " 'command', 'low', repeat('x', n) FROM " +
      ids + " p (id), generate_series(1, 50) n");
  db.as_owner(
      "INSERT INTO jobs (id, project_id, name, job_type, created_by, deleted_at) SELECT gen_random_uuid(), p.id,"
      " 'j', 'command', '" +
      db.ed.to_string() + "', CASE WHEN n % 2 = 0 THEN now() END FROM " + ids + " p (id), generate_series(1, 50) n");
  check_counts(db);
  db.as_owner("UPDATE tests SET script = script || 'more' WHERE length(script) % 2 = 0");
  db.as_owner("UPDATE tests SET title = 'u'");
  db.as_owner("UPDATE jobs SET deleted_at = CASE WHEN deleted_at IS NULL THEN now() END");
  check_counts(db);
  db.as_owner("DELETE FROM tests WHERE length(script) > 20");
  check_counts(db);
  db.as_owner("DELETE FROM tests");
  CHECK(db.number({{"quota_none", "SELECT sum(used + bytes)::int8 FROM project_usage WHERE kind = 'tests'"}}) == 0);
  for (char const* sql : {"UPDATE project_usage SET used = 0", "DELETE FROM project_usage",
                          "SELECT change_usage(project_id, kind, -1, 0) FROM project_usage"}) {
    CAPTURE(sql);
    auto const forced = db.run({{"quota_forced" + std::to_string(std::hash<std::string>()(sql)), sql}});
    REQUIRE_FALSE(forced.has_value());
    CHECK(forced.error().sqlstate == "42501");
  }
}

TEST_CASE("usage is that of the requesting project") {
  bounded db({.queued_runs = 3});
  uuid const test = db.make_test("t").id;
  db.make_test("u");
  auto const job = db.make_job("j", {test});
  db.make_run(job.id);
  db.make_run(job.id);
  REQUIRE(db.put("A", 7).has_value());
  auto const used = db.used();
  CHECK(used.tests.used == 2);
  CHECK(used.script_bytes.used == 12);
  CHECK(used.variables.used == 1);
  CHECK(used.variable_bytes.used == 7);
  CHECK(used.queued_runs.used == 2);
  CHECK(used.queued_runs.limit == 3);
  CHECK(used.cli_tokens.limit == 20);
  auto const other = db.wait(store::usage_store(db.pool).read(db.other_project, db.soon()));
  CHECK(other.tests.used + other.variables.used + other.queued_runs.used + other.jobs.used == 0);
}
