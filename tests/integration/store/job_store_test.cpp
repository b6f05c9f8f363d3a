#include "shop.hpp"

#include <algorithm>

using namespace svc;
using namespace svc::test;

namespace {

/// An edit that sets one member.
template <class Change>
store::job_edit setting(Change change) {
  return [change](job const& now) {
    job_settings set = now.set;
    change(set);
    return result<job_settings>(set);
  };
}

}  // namespace

TEST_CASE("a job is created with its tests in order, and read back") {
  shop db;
  std::vector<uuid> tests;
  for (int i = 0; i < 100; ++i) tests.push_back(db.make_test("t" + std::to_string(i)).id);
  std::ranges::reverse(tests);
  job_settings set{.name = "nightly",
                   .description = "d",
                   .job_type = "command",
                   .tests = tests,
                   .cron_schedule = "0 3 * * *",
                   .time_zone = "Europe/Berlin",
                   .timeout_seconds = 60,
                   .max_concurrent_runs = 2,
                   .parameters = R"([{"name": "A", "required": true}])",
                   .alert_config = R"({"enabled": true})"};
  auto const made = db.wait(db.jobs.create(db.as_ed(), db.ed, set, db.soon()));
  REQUIRE(made.has_value());
  CHECK(made->set.tests == tests);
  CHECK(made->set.description == "d");
  CHECK(made->set.time_zone == "Europe/Berlin");
  CHECK(made->set.timeout_seconds == 60);
  CHECK(made->set.max_concurrent_runs == 2);
  CHECK(made->set.alert_config == R"({"enabled": true})");
  CHECK(made->created_by == db.ed);
  CHECK(made->status() == "pending");
  REQUIRE(made->next_run_at.has_value());
  CHECK(*made->next_run_at > made->created_at);
  CHECK(db.audit_rows("job.created") == 1);
  auto const read = db.wait(db.jobs.get(db.project, made->id, db.soon()));
  REQUIRE(read.has_value());
  CHECK(read->set.tests == tests);
}

TEST_CASE("tests of a job must exist, fit and be listed once; alert providers must exist") {
  shop db;
  uuid const good = db.make_test("good").id;
  uuid const browser = db.make_test("browser", "browser").id;
  auto const foreign = db.wait(db.tests.create(db.elsewhere(), {.title = "f", .type = "command"}, db.soon()));
  REQUIRE(foreign.has_value());
  auto const provider =
      db.wait(db.providers.create(db.as_ed(), {"n", "email", true, R"({"to":["a@b"]})"}, db.soon()));
  REQUIRE(provider.has_value());
  struct {
    char const* name;
    std::vector<uuid> tests;
    std::vector<uuid> providers;
    std::string wrong;
  } const cases[] = {
      {"good", {good}, {provider->id}, ""},
      {"of another project", {good, foreign->id}, {}, "/tests/1/id"},
      {"of another type", {browser}, {}, "/tests/0/id"},
      {"twice", {good, good}, {}, "/tests/1/id"},
      {"unknown provider", {}, {provider->id, uuid::generate_v7()}, "/alertConfig/notificationProviders/1"},
  };
  auto const before = db.wait(db.jobs.list(db.project, {}, {}, db.soon())).total;
  for (auto const& c : cases) {
    CAPTURE(c.name);
    job_settings set{.name = c.name, .job_type = "command", .tests = c.tests, .alert_providers = c.providers};
    CHECK(fields(db.wait(db.jobs.create(db.as_ed(), db.ed, set, db.soon()))) == c.wrong);
  }
  CHECK(db.wait(db.jobs.list(db.project, {}, {}, db.soon())).total == before + 1);
  CHECK(db.audit_rows("job.created") == 1);
}

TEST_CASE("a patch changes a job and its tests under its lock") {
  shop db;
  uuid const a = db.make_test("a").id;
  uuid const b = db.make_test("b").id;
  job const made = db.make_job("nightly", {a, b});
  auto const swapped = db.wait(db.jobs.update(
      db.as_ed({{1}}), made.id, setting([&](job_settings& s) { s.tests = {b, a}, s.description = "x"; }), db.soon()));
  REQUIRE(swapped.has_value());
  CHECK(swapped->set.tests == std::vector{b, a});
  CHECK(swapped->set.description == "x");
  CHECK(swapped->version == 2);

  auto const nothing = setting([](job_settings&) {});
  auto const unknown = setting([](job_settings& s) { s.tests = {uuid::generate_v7()}; });
  auto const scheduled = setting([](job_settings& s) { s.cron_schedule = "* * * * *"; });
  CHECK(failure(db.wait(db.jobs.update(db.as_ed({{1}}), made.id, nothing, db.soon()))) == errc::precondition_failed);
  CHECK(fields(db.wait(db.jobs.update(db.as_ed(), made.id, unknown, db.soon()))) == "/tests/0/id");
  CHECK(failure(db.wait(db.jobs.update(db.elsewhere(), made.id, nothing, db.soon()))) == errc::not_found);
  CHECK(failure(db.wait(db.jobs.update(db.as_ed(), uuid::generate_v7(), nothing, db.soon()))) == errc::not_found);
  auto const job = db.wait(db.jobs.update(db.as_ed(), made.id, scheduled, db.soon()));
  REQUIRE(job.has_value());
  CHECK(job->next_run_at.has_value());
  CHECK(job->set.tests == std::vector{b, a});
  auto const off = setting([](job_settings& s) { s.enabled = false; });
  CHECK_FALSE(db.wait(db.jobs.update(db.as_ed(), made.id, off, db.soon()))->next_run_at.has_value());
  CHECK(db.audit_rows("job.updated") == 3);
}

TEST_CASE("deleting a job ends its keys, advances their epochs and hides it; its runs stay") {
  shop db;
  uuid const test = db.make_test("t").id;
  job const made = db.make_job("nightly", {test});
  job const neighbour = db.make_job("daily", {test});
  auto const run = db.make_run(made.id);
  auto key_of = [&](uuid id, std::string const& label) {
    auto token = db.key(db.ed, label);
    token.scope.job = id;
    return std::pair(db.make(token), token.digest);
  };
  auto const [first, first_digest] = key_of(made.id, "one");
  auto const [second, second_digest] = key_of(made.id, "two");
  auto const [foreign, foreign_digest] = key_of(neighbour.id, "three");
  auto const before = db.epochs();

  CHECK(failure(db.wait(db.jobs.remove(db.as_ed({{9}}), made.id, db.soon())).outcome) == errc::precondition_failed);
  CHECK(db.read(first_digest).state == token_state::usable);
  auto const done = db.wait(db.jobs.remove(db.as_ed({{1}}), made.id, db.soon()));
  REQUIRE(done.outcome.has_value());
  CHECK(subjects_of(done.touched) == std::vector{first.id, second.id});
  for (auto const& epoch : done.touched) {
    CHECK(epoch.epoch > before.at(epoch.subject));
    CHECK(epoch.epoch == db.epoch(epoch.subject));
  }
  CHECK(db.epoch(foreign.id) == before.at(foreign.id));
  CHECK(db.read(first_digest).state == token_state::revoked);
  CHECK(db.read(second_digest).state == token_state::revoked);
  CHECK(db.read(foreign_digest).state == token_state::usable);
  CHECK(db.audit_rows("job.deleted") == 1);
  CHECK(db.audit_rows("trigger_key.revoked") == 2);
  CHECK(db.number({{"outbox_test", "SELECT count(*) FROM subject_outbox WHERE ids @> ARRAY[$1::uuid]"},
                   postgres::parameters(first.id)}) == 1);

  CHECK(failure(db.wait(db.jobs.get(db.project, made.id, db.soon()))) == errc::not_found);
  CHECK(db.wait(db.runs.get(db.project, run.run, db.soon())).has_value());
  auto const again = db.wait(db.jobs.remove(db.as_ed(), made.id, db.soon()));
  CHECK(failure(again.outcome) == errc::not_found);
  CHECK(subjects_of(again.touched) == std::vector{first.id, second.id});
  CHECK(again.touched[0].epoch == done.touched[0].epoch);
  CHECK(failure(db.wait(db.jobs.remove(db.elsewhere(), neighbour.id, db.soon())).outcome) == errc::not_found);
}

TEST_CASE("a job whose alert provider was deleted can be changed, and names no other that does not exist") {
  shop db;
  store::provider_settings const hook{"hook", "webhook", true, R"({"url":"https://a.test/","method":"POST"})"};
  auto const gone = db.wait(db.providers.create(db.as_ed(), hook, db.soon()))->id;
  auto const alerts = [](uuid id) {
    return R"({"notificationProviders":[")" + id.to_string() + R"("],"enabled":true})";
  };
  job_settings set{.name = "told", .job_type = "command", .tests = {db.make_test("t").id}};
  set.alert_config = alerts(gone);
  set.alert_providers = {gone};
  auto const made = db.wait(db.jobs.create(db.as_ed(), db.ed, set, db.soon()));
  REQUIRE(made.has_value());
  REQUIRE(db.wait(db.providers.remove(db.as_ed(), gone, db.soon())).has_value());
  auto const edit = [&] {
    auto const change = [&](svc::job const&) { return result<job_settings>(set); };
    return db.wait(db.jobs.update(db.as_ed(), made->id, change, db.soon()));
  };
  set.name = "renamed";
  CHECK(edit().has_value());
  set.alert_providers = {uuid::generate_v7()};
  set.alert_config = alerts(set.alert_providers.front());
  CHECK(fields(edit()) == "/alertConfig/notificationProviders/0");
}

TEST_CASE("lists of jobs: the last run's status, search, order, pages") {
  shop db;
  db.as_owner("DELETE FROM jobs");
  uuid const test = db.make_test("t").id;
  for (auto const* label : {"beta", "Alpha 50%", "gamma", "delta"}) db.make_job(label, {test});
  auto labels = [&](store::job_filter filter, page_request wanted = {}) {
    std::string out;
    auto const page = db.wait(db.jobs.list(db.project, std::move(filter), wanted, db.soon()));
    for (auto const& job : page.rows) out += job.set.name + ",";
    return out + std::to_string(page.total);
  };
  auto const all = db.wait(db.jobs.list(db.project, {}, {}, db.soon()));
  // gamma: a failed run before a newer, cancelled one; beta: failed.
  for (auto const& [spot, end] : {std::pair(1, "failed"), std::pair(1, "cancelled"), std::pair(3, "failed")}) {
    db.set_run(db.make_run(all.rows[static_cast<std::size_t>(spot)].id).run,
               "status = '" + std::string(end) + "', started_at = queued_at, completed_at = clock_timestamp()");
  }
  using enum store::job_order;
  CHECK(labels({}) == "delta,gamma,Alpha 50%,beta,4");
  CHECK(labels({.order = oldest}) == "beta,Alpha 50%,gamma,delta,4");
  CHECK(labels({.order = store::job_order::name}, {.number = 1, .limit = 3}).ends_with(",4"));
  CHECK(labels({.status = "failed"}) == "beta,1");
  CHECK(labels({.status = "cancelled"}) == "gamma,1");
  CHECK(labels({.status = "pending"}) == "delta,Alpha 50%,2");
  CHECK(labels({.status = "running"}) == "0");
  CHECK(labels({.search = "ALPHA"}) == "Alpha 50%,1");
  CHECK(labels({.search = "%"}) == "Alpha 50%,1");
  CHECK(labels({.status = "pending", .search = "ta"}) == "delta,1");
  CHECK(labels({}, {.number = 2, .limit = 3}) == "beta,4");
  CHECK(labels({}, {.number = 3, .limit = 3}) == "4");
  std::string const up = labels({.search = "ta", .order = store::job_order::name});
  std::string const down = labels({.search = "ta", .order = name_descending});
  CHECK(up == "beta,delta,2");
  CHECK(down == "delta,beta,2");

  auto const gamma = db.wait(db.jobs.get(db.project, all.rows[1].id, db.soon()));
  REQUIRE(gamma->last.has_value());
  CHECK(gamma->status() == "cancelled");
  CHECK(gamma->last->completed_at.has_value());
  CHECK(db.wait(db.jobs.list(db.other_project, {}, {}, db.soon())).total == 0);
}
