#pragma once

#include "svc/postgres/query.hpp"

namespace svc::store {

/// The subjects that one change of the directory touches, as two statements of its transaction: one that raises
/// their epochs and one that only reads them. Both search the rows themselves, behind the change, so that keys
/// created meanwhile are found.
struct touched_subjects {
  postgres::query bump;
  postgres::query read;
};

/// The user and the user's trigger keys in one organisation, in one project, everywhere.
touched_subjects subjects_in_organization(uuid user, uuid organization);
touched_subjects subjects_in_project(uuid user, uuid project);
touched_subjects subjects_everywhere(uuid user);
/// The owners of all tokens of the project, and all its trigger keys.
touched_subjects subjects_of_project(uuid project);

}  // namespace svc::store
