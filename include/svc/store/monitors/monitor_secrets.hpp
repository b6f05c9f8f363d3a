#pragma once

#include "svc/core/async.hpp"
#include "svc/core/bytes.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/master_keys.hpp"
#include "svc/core/result.hpp"
#include "svc/core/secret.hpp"
#include "svc/core/uuid.hpp"
#include "svc/store/sealing/split_config.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace svc::postgres {
class pool;
class unit_of_work;
}  // namespace svc::postgres

namespace svc::store {

/// Returns JSON pointers to the secrets in a monitor's `config`: a password, a token, values of secret
/// headers. A value that is only a reference to a variable, `{{NAME}}`, is not a secret.
std::vector<std::string> secret_pointers_of_check(boost::json::object const& config);

/// Moves the secrets out of `wanted`. A mask keeps the secret of `stored` at the same pointer, unless the
/// target `moved` to another origin, because a person who may change a monitor must not be able to send other
/// people's secrets elsewhere. Returns `validation_failed` with `/config/...` for a mask that keeps no
/// secret.
result<split_config> take_check_secrets(boost::json::object wanted, split_config const& stored, bool moved);

/// Returns true if the scheme, host or port of the two targets differs, so that secrets would reach another
/// server.
bool is_another_origin(std::string_view before, std::string_view after);

/// A config in the form of the columns of `monitors`. A value.
struct stored_config {
  std::string shown = "{}";  ///< JSON, secrets masked
  std::optional<byte_vector> sealed{};
  std::optional<uuid> key{};
};

/// Builds the stored form of `wanted`. If the secrets are unchanged, the sealed bytes stay as they are. Returns
/// `validation_failed` under the same conditions as `take_check_secrets`.
task<result<stored_config>> seal_config(postgres::unit_of_work& work, master_keys& master, uuid project, uuid monitor,
                                        std::string wanted, stored_config before, bool moved);

/// A monitor's config with its secrets in place. Moves only.
struct opened_config {
  uuid monitor{};
  std::int64_t check_version = 1;  ///< the version that the config belongs to
  secret_string config{};          ///< JSON
};

/// Opens the configs that `monitor_store` has sealed, for checks. Worker-local; the pool and the master keys
/// outlive it.
class monitor_secrets {
 public:
  monitor_secrets(postgres::pool& db, master_keys& master) : db_(db), master_(master) {}

  /// Returns the configs of the monitors that have secrets. For the others `monitors.config` is complete.
  /// Throws `unavailable` when the database is gone or late, or a sealed secret cannot be opened.
  task<std::vector<opened_config>> open(std::vector<uuid> monitors, deadline until);

 private:
  postgres::pool& db_;
  master_keys& master_;
};

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
