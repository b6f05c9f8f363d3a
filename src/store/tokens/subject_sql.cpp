#include "store/tokens/subject_sql.hpp"

#include "svc/core/log.hpp"
#include "svc/core/result.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/store/epoch_lifter.hpp"

namespace svc::store {
namespace {

#define SVC_BUMP(set) "SELECT subject_id, subject_epoch FROM bump_subjects(ARRAY(" set "))"
#define SVC_READ(set) "SELECT id, epoch FROM subjects WHERE id = ANY (ARRAY(" set ")) ORDER BY id"
#define SVC_KEYS_OF_USER                                                                                            \
  "SELECT $1::uuid UNION SELECT t.id FROM tokens t WHERE t.owner_id = $1 AND t.revoked_at IS NULL AND t.job_id IS " \
  "NOT NULL"

#define SVC_IN_ORGANIZATION \
  SVC_KEYS_OF_USER " AND t.project_id IN (SELECT p.id FROM projects p WHERE p.organization_id = $2)"
constexpr postgres::statement bump_in_organization{"subjects_bump_in_organization", SVC_BUMP(SVC_IN_ORGANIZATION)};
constexpr postgres::statement read_in_organization{"subjects_read_in_organization", SVC_READ(SVC_IN_ORGANIZATION)};

#define SVC_IN_PROJECT SVC_KEYS_OF_USER " AND t.project_id = $2"
constexpr postgres::statement bump_in_project{"subjects_bump_in_project", SVC_BUMP(SVC_IN_PROJECT)};
constexpr postgres::statement read_in_project{"subjects_read_in_project", SVC_READ(SVC_IN_PROJECT)};

constexpr postgres::statement bump_everywhere{"subjects_bump_everywhere", SVC_BUMP(SVC_KEYS_OF_USER)};
constexpr postgres::statement read_everywhere{"subjects_read_everywhere", SVC_READ(SVC_KEYS_OF_USER)};

#define SVC_OF_PROJECT                                                                                    \
  "SELECT CASE WHEN t.job_id IS NULL THEN t.owner_id ELSE t.id END FROM tokens t WHERE t.project_id = $1" \
  " AND t.revoked_at IS NULL"
constexpr postgres::statement bump_of_project{"subjects_bump_of_project", SVC_BUMP(SVC_OF_PROJECT)};
constexpr postgres::statement read_of_project{"subjects_read_of_project", SVC_READ(SVC_OF_PROJECT)};

#undef SVC_BUMP
#undef SVC_READ
#undef SVC_KEYS_OF_USER
#undef SVC_IN_ORGANIZATION
#undef SVC_IN_PROJECT
#undef SVC_OF_PROJECT

touched_subjects both(postgres::statement bump, postgres::statement read, postgres::parameters with) {
  return {{bump, with}, {read, with}};
}

constexpr postgres::statement lift_epoch{"subject_lift", R"(
UPDATE subjects
   SET epoch = greatest(epoch, $2::bigint + 1, (extract(epoch FROM clock_timestamp()) * 1000000)::bigint)
 WHERE id = $1)"};

}  // namespace

touched_subjects subjects_in_organization(uuid user, uuid organization) {
  return both(bump_in_organization, read_in_organization, postgres::parameters(user, organization));
}

touched_subjects subjects_in_project(uuid user, uuid project) {
  return both(bump_in_project, read_in_project, postgres::parameters(user, project));
}

touched_subjects subjects_everywhere(uuid user) {
  return both(bump_everywhere, read_everywhere, postgres::parameters(user));
}

touched_subjects subjects_of_project(uuid project) {
  return both(bump_of_project, read_of_project, postgres::parameters(project));
}

task<bool> epoch_lifter::lift(uuid subject, std::int64_t above, deadline until) {
  log::error("the database is behind an epoch that Redis holds; lifting the subject",
             {{"subject", subject.to_string()}, {"epoch", above}});
  try {
    auto const done = co_await db_.run(postgres::query{lift_epoch, postgres::parameters(subject, above)}, until);
    co_return done && done->affected() == 1;
  } catch (unavailable const& gone) {
    log::error("lifting a subject failed", {{"reason", gone.what()}});
  }
  co_return false;
}

}  // namespace svc::store
