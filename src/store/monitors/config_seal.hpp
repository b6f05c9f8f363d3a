#pragma once

#include "svc/core/bytes.hpp"
#include "svc/store/monitors/monitor_secrets.hpp"

#include <optional>
#include <string>

namespace svc::postgres {
class unit_of_work;
}

namespace svc::store {

/// A config as the columns of `monitors` have it. A value.
struct stored_config {
  std::string shown = "{}";  ///< JSON, secrets masked
  std::optional<byte_vector> sealed{};
  std::optional<uuid> key{};
};

/// What `wanted` makes of the config that is stored. With the same secrets the sealed bytes stay as they are.
/// validation_failed as `take_check_secrets`.
task<result<stored_config>> seal_config(postgres::unit_of_work& work, master_keys& master, uuid project, uuid monitor,
                                        std::string wanted, stored_config before, bool moved);

}  // namespace svc::store
