#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/master_keys.hpp"
#include "svc/core/secret.hpp"
#include "svc/core/uuid.hpp"

#include <string>
#include <vector>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// A variable with its value, even if the variable is secret. A value.
struct opened_variable {
  std::string key{};
  secret_string value{};
  bool is_secret = false;
};

/// Variables of projects, for checks. Worker-local; the pool and the master keys outlive it.
class check_variables {
 public:
  check_variables(postgres::pool& db, master_keys& master) : db_(db), master_(master) {}

  /// Returns the variables among these keys that the project has. Throws `unavailable` when the database is gone or
  /// late, or a sealed value cannot be opened.
  task<std::vector<opened_variable>> read(uuid project, std::vector<std::string> keys, deadline until);

 private:
  postgres::pool& db_;
  master_keys& master_;
};

}  // namespace svc::store
