#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/master_keys.hpp"
#include "svc/core/secret.hpp"
#include "svc/core/uuid.hpp"
#include "svc/store/sealing/split_config.hpp"

#include <boost/json/object.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// JSON pointers to the secrets that a monitor has in `config`: a password, a token, values of secret headers. A
/// value that is one reference to a variable, `{{NAME}}`, is none.
std::vector<std::string> secret_pointers_of_check(boost::json::object const& config);

/// Moves the secrets out of `wanted`. A mask keeps the secret of `stored` at the same pointer, unless the target
/// `moved` to another origin: who may change a monitor must not be able to send other people's secrets elsewhere.
/// `validation_failed` with `/config/...` for a mask that keeps no secret.
result<split_config> take_check_secrets(boost::json::object wanted, split_config const& stored, bool moved);

/// Whether checks of `after` may tell another server what those of `before` told: the scheme, host or port differs.
bool is_another_origin(std::string_view before, std::string_view after);

/// A monitor's config with its secrets in place. Moves only.
struct opened_config {
  uuid monitor{};
  std::int64_t check_version = 1;  ///< that it belongs to
  secret_string config{};          ///< JSON
};

/// Opens what `monitor_store` has sealed, for whoever performs checks. Worker-local; the pool and the master keys
/// outlive it.
class monitor_secrets {
 public:
  monitor_secrets(postgres::pool& db, master_keys& master) : db_(db), master_(master) {}

  /// The configs of those of these monitors that have secrets; of the others `monitors.config` is all there is.
  /// Throws `unavailable` when the database is gone or late, or a sealed secret cannot be opened.
  task<std::vector<opened_config>> open(std::vector<uuid> monitors, deadline until);

 private:
  postgres::pool& db_;
  master_keys& master_;
};

}  // namespace svc::store
