#include "svc/store/jobs/job_store.hpp"

#include "store/jobs/job_sql.hpp"
#include "store/sql/change_sql.hpp"
#include "store/sql/provider_sql.hpp"
#include "store/sql/settled.hpp"
#include "svc/postgres/pool.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace svc::store {

namespace {

constexpr postgres::statement insert_job{"job_insert", R"(
INSERT INTO jobs (id, project_id, name, description, job_type, cron_schedule, time_zone, enabled, timeout_seconds,
                  max_concurrent_runs, parameters, alert_config, next_run_at, created_by)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14))"};

constexpr postgres::statement insert_tests{"job_tests_insert", R"(
INSERT INTO job_tests (project_id, job_id, test_id, position)
SELECT $1, $2, t.id, t.place - 1 FROM unnest($3::uuid[]) WITH ORDINALITY t (id, place))"};

// Runs before the statement that reads, whose snapshot is then taken after the wait for the lock. NO KEY: creating a
// key locks the job's row by a foreign key, and must not wait for this lock.
constexpr postgres::statement lock_job{"job_lock", R"(
SELECT clock_timestamp() FROM jobs WHERE project_id = $1 AND id = $2 AND deleted_at IS NULL FOR NO KEY UPDATE)"};

// Shared locks, taken in one order: changes of jobs with the same tests do not wait for each other, and deleting a
// test waits for them.
constexpr postgres::statement lock_tests{"job_tests_lock", R"(
SELECT id, type FROM tests WHERE project_id = $1 AND id = ANY ($2) ORDER BY id FOR SHARE)"};

constexpr postgres::statement update_job{"job_update", R"(
UPDATE jobs SET name = $3, description = $4, cron_schedule = $5, time_zone = $6, enabled = $7, timeout_seconds = $8,
       max_concurrent_runs = $9, parameters = $10, alert_config = $11, next_run_at = $12, version = version + 1,
       updated_at = clock_timestamp()
 WHERE project_id = $1 AND id = $2)"};

// Also used when a job is deleted: a deleted job must not prevent the deletion of its tests.
constexpr postgres::statement clear_tests{"job_tests_clear", "DELETE FROM job_tests WHERE job_id = $1"};

std::string details_of(job_settings const& set) {
  return boost::json::serialize(boost::json::object{{"name", set.name}});
}

/// An unchanged schedule keeps its next time: a job that is due right now must not miss it because it is renamed.
std::optional<timestamp> next_run_of(job const& current, job_settings const& wanted, timestamp now) {
  job_settings const& had = current.set;
  bool const same = wanted.enabled == had.enabled && wanted.cron_schedule == had.cron_schedule &&
                    wanted.time_zone == had.time_zone && current.next_run_at.has_value();
  return same ? current.next_run_at : next_run(wanted, now);
}

postgres::query update_query(uuid project, uuid id, job_settings const& set, std::optional<timestamp> next) {
  return {update_job,
          postgres::parameters(project, id, set.name, set.description, set.cron_schedule, set.time_zone, set.enabled,
                               set.timeout_seconds, set.max_concurrent_runs, set.parameters, set.alert_config, next)};
}

/// Writes the last changes and commits; returns the job as it is then.
task<job> finish(postgres::unit_of_work& work, editor editor, std::string_view verb, uuid id,
                 std::vector<postgres::query> changes, job_settings set) {
  postgres::rows const now = co_await commit_change(
      work, std::move(changes), audit_query(editor.entry("job." + std::string(verb), "job", id, details_of(set))),
      {get_job, postgres::parameters(editor.project, id)});
  co_return read_job_row(now.front());
}

// Creating a key locks the job FOR SHARE, so while this lock is held no key is created.
constexpr postgres::statement lock_any{"job_lock_any", R"(
SELECT name, version, deleted_at IS NOT NULL FROM jobs WHERE project_id = $1 AND id = $2 FOR UPDATE)"};

constexpr postgres::statement key_epochs{"job_key_epochs", R"(
SELECT s.id, s.epoch FROM tokens t JOIN subjects s ON s.id = t.id
 WHERE t.project_id = $1 AND t.job_id = $2 ORDER BY s.id)"};

// The row stays, because runs and keys refer to it. Waits for the triggers of the job that have begun (V037).
constexpr postgres::statement bury_job{"job_bury", R"(
UPDATE jobs SET deleted_at = clock_timestamp(), next_run_at = NULL, version = version + 1,
       updated_at = clock_timestamp()
 WHERE project_id = $1 AND id = $2)"};

constexpr postgres::statement revoke_keys{"job_keys_revoke", R"(
UPDATE tokens SET revoked_at = clock_timestamp(), version = version + 1, updated_at = clock_timestamp()
 WHERE job_id = $1 AND revoked_at IS NULL RETURNING id)"};

constexpr postgres::statement kill_secrets_of_keys{"job_secrets_kill", R"(
UPDATE token_secrets SET state = 'dead'
 WHERE state <> 'dead' AND token_id IN (SELECT id FROM tokens WHERE job_id = $1))"};

// Runs after the statements above. Includes keys that were revoked earlier, because Redis may not know of that yet.
constexpr postgres::statement bump_keys{"job_keys_bump", R"(
SELECT subject_id, subject_epoch FROM bump_subjects(ARRAY(SELECT id FROM tokens WHERE job_id = $1)))"};

}  // namespace

task<result<>> job_store::check_named(postgres::unit_of_work& work, uuid project, job_settings wanted) {
  std::vector<postgres::query> batch{{lock_tests, postgres::parameters(project, wanted.tests)},
                                     {find_providers, postgres::parameters(project, wanted.alert_providers)}};
  std::vector<postgres::rows> const found = settled(co_await work.run(std::move(batch)));
  std::vector<known_test> known;
  for (int i = 0; i < found[0].size(); ++i) known.push_back({found[0][i].id(0), std::string(found[0][i].text(1))});
  if (auto ok = check_job_tests(wanted, known); !ok) co_return ok.error();
  co_return check_providers(wanted.alert_providers, found[1], "The job's alert configuration cannot be used.");
}

task<result<job>> job_store::create(editor editor, uuid owner, job_settings wanted, deadline until) {
  uuid const id = uuid::generate_v7();
  postgres::unit_of_work work = co_await db_.begin(until);
  growth const more{editor.project, counted_jobs, {.count = static_cast<std::int64_t>(quotas_.jobs)}, {.count = 1}};
  std::vector<postgres::query> first{lock_project_query(editor.project), more.look()};
  std::vector<postgres::rows> const found = settled(co_await work.run(std::move(first)));
  if (found[0].empty()) co_return errc::project_archived;
  if (auto ok = more.fits(found[1]); !ok) co_return ok.error();
  timestamp const now = found[0].front().time(0);
  result<> const named = co_await check_named(work, editor.project, wanted);
  if (!named) co_return named.error();

  std::vector<postgres::query> changes{
      {insert_job, postgres::parameters(id, editor.project, wanted.name, wanted.description, wanted.job_type,
                                        wanted.cron_schedule, wanted.time_zone, wanted.enabled,
                                        wanted.timeout_seconds, wanted.max_concurrent_runs, wanted.parameters,
                                        wanted.alert_config, next_run(wanted, now), owner)},
      {insert_tests, postgres::parameters(editor.project, id, wanted.tests)},
      more.assertion()};
  postgres::outcome<std::vector<postgres::rows>> const made = co_await work.run(std::move(changes));
  if (!made) co_return more.refusal(made.error());
  co_return co_await finish(work, editor, "created", id, {}, wanted);
}

task<result<job>> job_store::update(editor editor, uuid id, job_edit edit, deadline until) {
  postgres::unit_of_work work = co_await db_.begin(until);
  std::vector<postgres::query> first{{lock_job, postgres::parameters(editor.project, id)},
                                     {get_job, postgres::parameters(editor.project, id)}};
  std::vector<postgres::rows> const found = settled(co_await work.run(std::move(first)));
  if (found[0].empty()) co_return errc::not_found;
  timestamp const now = found[0].front().time(0);
  job const current = read_job_row(found[1].front());
  if (!editor.expects(current.version)) co_return errc::precondition_failed;
  result<job_settings> const edited = edit(current);
  if (!edited) co_return edited.error();
  job_settings const& wanted = *edited;

  // Alert providers that the job already names may have been deleted, so only a changed list is checked.
  bool const new_tests = wanted.tests != current.set.tests;
  bool const new_alerts = wanted.alert_providers != providers_in(current.set.alert_config);
  if (new_tests || new_alerts) {
    job_settings named = wanted;
    if (!new_alerts) named.alert_providers.clear();
    result<> const ok = co_await check_named(work, editor.project, std::move(named));
    if (!ok) co_return ok.error();
  }
  std::vector<postgres::query> changes{update_query(editor.project, id, wanted, next_run_of(current, wanted, now))};
  if (new_tests) {
    changes.push_back({clear_tests, postgres::parameters(id)});
    changes.push_back({insert_tests, postgres::parameters(editor.project, id, wanted.tests)});
  }
  co_return co_await finish(work, editor, "updated", id, std::move(changes), wanted);
}

task<change<>> job_store::remove(editor editor, uuid id, deadline until) {
  postgres::unit_of_work work = co_await db_.begin(until);
  std::vector<postgres::query> first{{lock_any, postgres::parameters(editor.project, id)},
                                     {key_epochs, postgres::parameters(editor.project, id)}};
  std::vector<postgres::rows> const found = settled(co_await work.run(std::move(first)));
  if (found[0].empty()) co_return change<>(errc::not_found);
  postgres::row const current = found[0].front();
  if (current.boolean(2)) co_return change<>(errc::not_found, read_epochs(found[1]));
  if (!editor.expects(current.integer(1))) co_return change<>(errc::precondition_failed);

  std::vector<postgres::query> changes{{bury_job, postgres::parameters(editor.project, id)},
                                       {clear_tests, postgres::parameters(id)},
                                       {revoke_keys, postgres::parameters(id)},
                                       {kill_secrets_of_keys, postgres::parameters(id)},
                                       {bump_keys, postgres::parameters(id)}};
  std::vector<postgres::rows> const changed = settled(co_await work.run(std::move(changes)));
  postgres::rows const& revoked = changed[2];
  std::vector<subject_epoch> touched = read_epochs(changed[4]);

  std::string const name(current.text(0));
  std::vector<postgres::query> last;
  boost::json::array keys;
  for (int i = 0; i < revoked.size(); ++i) {
    uuid const key = revoked[i].id(0);
    keys.emplace_back(key.to_string());
    last.push_back(audit_query(editor.entry("trigger_key.revoked", "trigger_key", key,
                                            boost::json::serialize(boost::json::object{{"job", id.to_string()}}))));
  }
  boost::json::object details{{"name", name}, {"revokedKeys", std::move(keys)}};
  last.push_back(audit_query(editor.entry("job.deleted", "job", id, boost::json::serialize(details))));
  settled(co_await work.commit(std::move(last)));
  co_return change<>(result<>(), std::move(touched));
}

}  // namespace svc::store
