#pragma once

#include "svc/core/bytes.hpp"
#include "svc/store/monitors/monitor_secrets.hpp"

#include <optional>
#include <string>

namespace svc::postgres {
class unit_of_work;
}

namespace svc::store {

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

}  // namespace svc::store
