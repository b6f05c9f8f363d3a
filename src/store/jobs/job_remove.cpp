#include "store/directory/audit_sql.hpp"
#include "store/sql/settled.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/store/job_store.hpp"

#include <boost/json.hpp>

namespace svc::store {

namespace {

// Creating a key locks the job FOR SHARE: behind this lock no key is made any more.
constexpr postgres::statement lock_any{"job_lock_any", R"(
SELECT name, version, deleted_at IS NOT NULL FROM jobs WHERE project_id = $1 AND id = $2 FOR UPDATE)"};

constexpr postgres::statement key_epochs{"job_key_epochs", R"(
SELECT s.id, s.epoch FROM tokens t JOIN subjects s ON s.id = t.id
 WHERE t.project_id = $1 AND t.job_id = $2 ORDER BY s.id)"};

// The row stays: runs and keys refer to it.
constexpr postgres::statement bury_job{"job_bury", R"(
UPDATE jobs SET deleted_at = clock_timestamp(), next_run_at = NULL, version = version + 1,
       updated_at = clock_timestamp()
 WHERE project_id = $1 AND id = $2)"};

// A deleted job holds no test back from its own deletion.
constexpr postgres::statement release_tests{"job_tests_release", "DELETE FROM job_tests WHERE job_id = $1"};

constexpr postgres::statement revoke_keys{"job_keys_revoke", R"(
UPDATE tokens SET revoked_at = clock_timestamp(), version = version + 1, updated_at = clock_timestamp()
 WHERE job_id = $1 AND revoked_at IS NULL RETURNING id)"};

constexpr postgres::statement kill_secrets_of_keys{"job_secrets_kill", R"(
UPDATE token_secrets SET state = 'dead'
 WHERE state <> 'dead' AND token_id IN (SELECT id FROM tokens WHERE job_id = $1))"};

// Behind the statements above, and of all keys: one that was revoked before may still have to become known.
constexpr postgres::statement bump_keys{"job_keys_bump", R"(
SELECT subject_id, subject_epoch FROM bump_subjects(ARRAY(SELECT id FROM tokens WHERE job_id = $1)))"};

}  // namespace

task<change<>> job_store::remove(editor by, uuid id, deadline until) {
  postgres::unit_of_work work = co_await db_.begin(until);
  std::vector<postgres::query> first{{lock_any, postgres::parameters(by.project, id)},
                                     {key_epochs, postgres::parameters(by.project, id)}};
  std::vector<postgres::rows> const found = settled(co_await work.run(std::move(first)));
  if (found[0].empty()) co_return change<>(errc::not_found);
  postgres::row const current = found[0].front();
  if (current.boolean(2)) co_return change<>(errc::not_found, read_epochs(found[1]));
  if (!by.expects(current.integer(1))) co_return change<>(errc::precondition_failed);

  std::vector<postgres::query> changes{{bury_job, postgres::parameters(by.project, id)},
                                       {release_tests, postgres::parameters(id)},
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
    last.push_back(audit_query(by.entry("trigger_key.revoked", "trigger_key", key,
                                        boost::json::serialize(boost::json::object{{"job", id.to_string()}}))));
  }
  boost::json::object details{{"name", name}, {"revokedKeys", std::move(keys)}};
  last.push_back(audit_query(by.entry("job.deleted", "job", id, boost::json::serialize(details))));
  settled(co_await work.commit(std::move(last)));
  co_return change<>(result<>(), std::move(touched));
}

}  // namespace svc::store
