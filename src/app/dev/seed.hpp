#pragma once

#include "app/database_session.hpp"
#include "app/dev/announcement.hpp"

#include <string>

namespace svc::app::dev {

/// Makes the database, its schema and the service's role `svc_app`. `maintenance` and `database` are the owner's
/// URLs of any database and of ours. Throws when the schema does not fit.
void prepare_database(secret_string const& maintenance, secret_string const& database);

/// Makes what `credentials_file` names and the database lacks: organisation, user, project, a `command` test, a
/// job with it, a CLI token, a trigger key, a runner's token. Idempotent; what was revoked or deleted since is
/// made anew, with new secrets. The file is written before the commit, so no secret is ever lost.
credentials seed(database_session& database, std::string const& credentials_file);

}  // namespace svc::app::dev
