#pragma once

#include "app/migrations/database_session.hpp"
#include "svc/core/secret.hpp"

#include <optional>
#include <string>

namespace svc::app::dev {

/// The seeded objects, with the secrets in plain text: only `svcd dev` keeps them, in a file that only its owner can
/// read.
struct credentials {
  std::string organization{}, project{}, user{}, job{}, test{};  ///< ids; empty: not created yet
  secret_string token{};
  secret_string trigger_key{};
  secret_string runner_token{};
};

/// Returns an empty value when there is no such file; throws `std::runtime_error` when it is not a JSON object.
credentials read_credentials(std::string const& path);
void write_credentials(std::string const& path, credentials const& credentials);

/// Creates the database, its schema and the service's role `svc_app`. `maintenance` and `database` are URLs with the
/// owner's login: of any database, and of ours. Throws when it cannot update the schema.
void prepare_database(secret_string const& maintenance, secret_string const& database);

/// Creates the missing parts of the database: organization, user, project, a `command` test, a job with it, a CLI
/// token, a trigger key, a runner's token. The function is idempotent. It creates revoked or deleted parts again,
/// with new secrets. It writes the file before the commit, so no secret is ever lost.
credentials seed(database_session& database, std::string const& credentials_file);

/// A link that signs the user in with a browser, as often as somebody opens it. It works as long as this object
/// lives; after a crash, until the next start.
class sign_in_link {
 public:
  /// Throws `database_error`. `database`: the owner's URL.
  sign_in_link(secret_string database, std::string const& user);
  ~sign_in_link();
  sign_in_link(sign_in_link const&) = delete;
  sign_in_link& operator=(sign_in_link const&) = delete;

  secret_string const& secret() const { return secret_; }

 private:
  secret_string database_, secret_;
};

}  // namespace svc::app::dev
