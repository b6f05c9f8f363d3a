#include "store/tokens/subject_sql.hpp"

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

}  // namespace svc::store
