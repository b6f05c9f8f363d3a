// The state of a project, compared with a plain reading of its runs, monitors and outages.
#include "integration/monitoring/scheduler/monitor_fixture.hpp"

#include "svc/store/runs/overview_store.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <random>

using namespace svc;
using namespace svc::test;

namespace {

constexpr std::int64_t hour_micros = 3'600'000'000;

struct made_run {
  std::size_t job = 0;
  std::string status{}, trigger{};
  std::int64_t triggered = 0, took_ms = 0;  ///< in microseconds; the duration in milliseconds
};

bool is_ended(std::string const& status) {
  return status != "queued" && status != "running";
}

/// Jobs and runs of a seed.
struct busy_project : watched_shop {
  busy_project(std::uint32_t seed, std::size_t job_count, int run_count) : random(seed) {
    as_owner("UPDATE jobs SET deleted_at = now()");
    for (std::size_t i = 0; i < job_count; ++i) {
      auto label = std::to_string(10'000 + below(100'000));
      if (std::ranges::find(names, label) != names.end()) label += " again";
      jobs_made.push_back(make_job(label).id);
      names.push_back(label);
    }
    for (int i = 0; i < run_count; ++i) add_run(i);
    insert();
  }

  std::int64_t below(std::int64_t n) { return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n)); }

  void add_run(int number) {
    static constexpr std::array statuses{"passed", "passed", "passed", "failed", "error", "timed_out", "cancelled"};
    static constexpr std::array triggers{"remote", "schedule", "manual"};
    made_run made{.trigger = triggers.at(static_cast<std::size_t>(below(3)))};
    made.status = statuses.at(static_cast<std::size_t>(below(7)));
    // Most runs are those of a few jobs, and some jobs have none.
    auto const most = static_cast<std::int64_t>(jobs_made.size());
    made.job = static_cast<std::size_t>(below(1 + below(most)));
    made.triggered = now - below(40) * hour_micros - below(hour_micros) / 1000 * 1000 - number;
    made.took_ms = below(100'000);
    if (below(40) == 0) made.status = below(2) == 0 ? "queued" : "running";
    runs_made.push_back(std::move(made));
  }

  void insert() {
    auto const job_of = [this](made_run const& r) { return jobs_made[r.job]; };
    auto const add_to = [&](char const* label, std::string const& sql, auto const& admits) {
      std::vector<made_run> some;
      std::ranges::copy_if(runs_made, std::back_inserter(some), admits);
      postgres::query ask{{label, sql}, postgres::parameters(project)};
      ask.parameters.add_array(some, [](made_run const& r) { return timestamp{r.triggered}; });
      ask.parameters.add_array(some, job_of);
      ask.parameters.add_array(some, [](made_run const& r) { return r.status; });
      ask.parameters.add_array(some, [](made_run const& r) { return r.trigger; });
      ask.parameters.add_array(some, [](made_run const& r) { return r.took_ms; });
      must(std::move(ask));
    };
    static std::string const rows =
        " FROM unnest((SELECT $2::timestamptz[]), (SELECT $3::uuid[]), (SELECT $4::text[]), (SELECT $5::text[]),"
        " (SELECT $6::bigint[])) r (at, job, status, trigger, took)";
    static std::string const id = "id_at(at, '00000000-0000-0000-8000-000000000000')";
    static std::string const history =
        "INSERT INTO run_history (id, project_id, job_id, job_name, job_type, trigger, triggered_by, test_count,"
        " created_at) SELECT " +
        id + ", $1, job, status || took, 'command', trigger, 'ci', 1, at" + rows;
    static std::string const results =
        "INSERT INTO run_results (run_id, project_id, job_id, trigger, status, attempt, started_at, completed_at,"
        " version) SELECT " +
        id + ", $1, job, trigger, status, 1, at, at + took * interval '1 millisecond', 3" + rows;
    static std::string const queue =
        "INSERT INTO run_queue (run_id, project_id, job_id, job_type, trigger, status, timeout_seconds, queued_at,"
        " limited, claim_id, lease_until, started_at) SELECT " +
        id +
        ", $1, job, 'command', trigger, status, 60 + 0 * took, at, took % 2 = 0,"
        " CASE status WHEN 'running' THEN gen_random_uuid() END, CASE status WHEN 'running' THEN now() +"
        " interval '1 hour' END, CASE status WHEN 'running' THEN at END" +
        rows;
    add_to("made_history", history, [](made_run const&) { return true; });
    add_to("made_results", results, [](made_run const& r) { return is_ended(r.status); });
    add_to("made_queue", queue, [](made_run const& r) { return !is_ended(r.status); });
  }

  store::overview read() { return wait(overviews.read(project, soon())); }

  std::mt19937 random;
  std::int64_t now = system_now().micros;
  std::vector<uuid> jobs_made{};
  std::vector<std::string> names{};
  std::vector<made_run> runs_made{};
  store::overview_store overviews{pool};
};

/// The statistics of a job that a reader of all its runs would compute.
store::overview_job expected_job(busy_project const& db, std::size_t number) {
  store::overview_job out{.id = db.jobs_made[number], .name = db.names[number], .status = "pending"};
  std::vector<made_run> own;
  std::ranges::copy_if(db.runs_made, std::back_inserter(own), [&](auto const& r) { return r.job == number; });
  std::ranges::sort(own, std::greater(), &made_run::triggered);
  if (!own.empty()) out.status = own.front().status;
  std::erase_if(own, [](auto const& r) { return !is_ended(r.status) || r.status == "cancelled"; });
  if (own.size() > 100) own.resize(100);
  std::vector<std::int64_t> times;
  for (auto const& r : own) {
    if (out.last_statuses.size() < 10) out.last_statuses.push_back(r.status);
    if (r.status == "passed") times.push_back(r.took_ms);
  }
  out.runs = static_cast<std::int64_t>(own.size());
  out.passed = static_cast<std::int64_t>(times.size());
  std::ranges::sort(times);
  auto const half = times.size() / 2;
  if (times.size() % 2 == 1) out.median_ms = times[half];
  if (!times.empty() && times.size() % 2 == 0) out.median_ms = (times[half - 1] + times[half] + 1) / 2;
  return out;
}

std::vector<store::overview_job> expected_jobs(busy_project const& db) {
  std::vector<store::overview_job> out;
  for (std::size_t i = 0; i < db.jobs_made.size(); ++i) out.push_back(expected_job(db, i));
  auto const failed = [](store::overview_job const& job) {
    return job.status == "failed" || job.status == "error" || job.status == "timed_out";
  };
  std::ranges::sort(out, [&](auto const& a, auto const& b) {
    return std::pair(!failed(a), a.name) < std::pair(!failed(b), b.name);
  });
  if (out.size() > 100) out.resize(100);
  return out;
}

void check_jobs(busy_project const& db, store::overview const& found) {
  auto const expected = expected_jobs(db);
  REQUIRE(found.jobs.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CAPTURE(i);
    CHECK(found.jobs[i].name == expected[i].name);
    CHECK(found.jobs[i].id == expected[i].id);
    CHECK(found.jobs[i].status == expected[i].status);
    CHECK(found.jobs[i].runs == expected[i].runs);
    CHECK(found.jobs[i].passed == expected[i].passed);
    CHECK(found.jobs[i].median_ms == expected[i].median_ms);
    CHECK(found.jobs[i].last_statuses == expected[i].last_statuses);
  }
}

/// Compares with the made runs, and with the list of runs, to which pages link.
void check_day(busy_project& db, store::overview const& found) {
  auto const start = found.as_of.micros - 24 * hour_micros;
  std::map<std::string, std::int64_t> totals;
  std::array<store::overview_hour, 24> hours{};
  for (auto const& r : db.runs_made) {
    if (r.triggered < start || !is_ended(r.status)) continue;
    ++totals[r.status];
    auto& hour = hours.at(static_cast<std::size_t>(std::min<std::int64_t>(23, (r.triggered - start) / hour_micros)));
    ++(r.status == "passed" ? hour.passed : hour.not_passed);
  }
  auto const& day = found.last_day;
  CHECK_FALSE(day.at_least);
  REQUIRE(day.hours.size() == 24);
  for (std::size_t i = 0; i < 24; ++i) {
    CAPTURE(i);
    CHECK(day.hours[i].start.micros == start + static_cast<std::int64_t>(i) * hour_micros);
    CHECK(day.hours[i].passed == hours.at(i).passed);
    CHECK(day.hours[i].not_passed == hours.at(i).not_passed);
  }
  std::pair<char const*, std::int64_t> const shown[] = {{"passed", day.passed},
                                                        {"failed", day.failed},
                                                        {"error", day.error},
                                                        {"timed_out", day.timed_out},
                                                        {"cancelled", day.cancelled}};
  for (auto const& [status, count] : shown) {
    CAPTURE(status);
    CHECK(count == totals[status]);
    auto const listed =
        db.wait(db.runs.list(db.project, {.status = status, .start = timestamp{start}}, {}, db.soon()));
    CHECK(count == listed.total);
  }
}

void check_queue(busy_project const& db, store::overview_queue const& found) {
  store::overview_queue expected;
  for (auto const& r : db.runs_made) {
    expected.running += r.status == "running" ? 1 : 0;
    if (r.status != "queued") continue;
    ++expected.queued;
    if (!expected.oldest_queued_at || r.triggered < expected.oldest_queued_at->micros)
      expected.oldest_queued_at = timestamp{r.triggered};
  }
  CHECK(found.queued == expected.queued);
  CHECK(found.running == expected.running);
  CHECK(found.oldest_queued_at == expected.oldest_queued_at);
}

}  // namespace

TEST_CASE("the overview of a project is that of a plain reading of its runs") {
  struct {
    std::size_t jobs;
    int runs;
  } const sizes[] = {{0, 0}, {1, 0}, {1, 1}, {1, 400}, {3, 60}, {5, 900}, {30, 300}, {115, 700}};
  std::uint32_t seed = 0;
  for (auto const& size : sizes) {
    for (int i = 0; i < 2; ++i) {
      ++seed;
      CAPTURE(seed);
      busy_project db(seed, size.jobs, size.jobs == 0 ? 0 : size.runs);
      auto const found = db.read();
      check_jobs(db, found);
      check_day(db, found);
      check_queue(db, found.queue);
      CHECK(db.wait(db.overviews.read(db.other_project, db.soon())).last_day.passed == 0);
      CHECK(db.wait(db.overviews.read(db.other_project, db.soon())).jobs.empty());
    }
  }
}

TEST_CASE("a deleted job is left out, and its runs of the last day count") {
  busy_project db(7, 2, 80);
  db.as_owner("UPDATE jobs SET deleted_at = now() WHERE id = '" + db.jobs_made[0].to_string() + "'");
  auto const found = db.read();
  REQUIRE(found.jobs.size() == 1);
  CHECK(found.jobs[0].id == db.jobs_made[1]);
  check_day(db, found);
}

TEST_CASE("runs of the last day are counted up to 10 001 for each status and trigger") {
  watched_shop db;
  store::overview_store overviews(db.pool);
  auto const job = db.make_job("many").id;
  auto const add = [&](std::string const& status, std::string const& trigger, int count) {
    db.fill_runs("SELECT '" + db.project.to_string() + "'::uuid, '" + job.to_string() + "'::uuid, '" + trigger +
                 "', '" + status + "', now() - interval '2 hours' FROM generate_series(1, " + std::to_string(count) +
                 ")");
  };
  add("passed", "remote", 10'000);
  add("passed", "schedule", 10'000);
  auto const exact = db.wait(overviews.read(db.project, db.soon()));
  CHECK(exact.last_day.passed == 20'000);
  CHECK_FALSE(exact.last_day.at_least);
  CHECK(exact.last_day.hours.size() == 24);
  add("passed", "remote", 2);
  add("failed", "manual", 1);
  auto const bounded = db.wait(overviews.read(db.project, db.soon()));
  CHECK(bounded.last_day.passed == 20'001);
  CHECK(bounded.last_day.failed == 1);
  CHECK(bounded.last_day.at_least);
  CHECK(bounded.last_day.hours.empty());
}

TEST_CASE("monitors are counted by the status that their list shows, and open outages with them") {
  watched_shop db;
  store::overview_store overviews(db.pool);
  db.fill_monitors(60);
  db.as_owner(
      "UPDATE monitor_status s SET verdict = (ARRAY['pending', 'up', 'degraded', 'down', 'error'])[1 + n % 5] FROM"
      " (SELECT id, substr(name, 6)::int / 10 AS n FROM monitors) m WHERE m.id = s.monitor_id;"
      "UPDATE monitors SET enabled = false WHERE right(name, 1) = '3';"
      "UPDATE monitors SET deleted_at = now(), enabled = false WHERE right(name, 1) = '4';"
      "UPDATE monitors SET project_id = '" +
      db.other_project.to_string() +
      "' WHERE right(name, 1) = '5';"
      "INSERT INTO outages (id, project_id, monitor_id, started_at, detected_at, ended_at, end_reason, cause,"
      " cause_message, cause_location, locations_down) SELECT gen_random_uuid(), m.project_id, m.id, now(), now(),"
      " CASE WHEN s.verdict <> 'down' THEN now() END, CASE WHEN s.verdict <> 'down' THEN 'recovered' END, 1, '',"
      " 'local', '{local}' FROM monitors m JOIN monitor_status s ON s.monitor_id = m.id");
  for (auto const project : {db.project, db.other_project}) {
    auto const found = db.wait(overviews.read(project, db.soon()));
    auto const& counts = found.monitors;
    std::pair<char const*, std::int64_t> const shown[] = {{"up", counts.up},           {"degraded", counts.degraded},
                                                          {"down", counts.down},       {"error", counts.error},
                                                          {"pending", counts.pending}, {"paused", counts.paused}};
    for (auto const& [status, count] : shown) {
      CAPTURE(status);
      CHECK(count == db.wait(db.monitors.list(project, {.status = status}, {}, db.soon())).total);
    }
    CHECK(found.open_outages ==
          db.number({{"open_here", "SELECT count(*) FROM outages WHERE project_id = $1 AND ended_at IS NULL"},
                     postgres::parameters(project)}));
    CHECK(found.open_outages > 0);
  }
}
