#pragma once

#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace svc {

/// A notification provider as it is shown: `config` is a JSON object whose secrets are masked. A value.
struct notification_provider {
  uuid id;
  std::string name;
  std::string type;
  bool enabled = true;
  std::string config = "{}";
  std::optional<timestamp> last_used_at{};
  std::int64_t version = 1;
  timestamp created_at;
  timestamp updated_at;
};

}  // namespace svc
