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
  std::optional<std::int64_t> group_seconds{};    ///< nothing: as usual for its type
  std::optional<std::int64_t> rate_per_minute{};  ///< nothing: as usual for its type
  std::optional<timestamp> last_used_at{};        ///< the last message that the other side took
  std::string health = "unknown";                 ///< of the newest attempt: unknown, ok, failing
  struct failure {
    timestamp time;
    std::string reason;
    std::optional<std::int64_t> status{};
  };
  std::optional<failure> last_error{};
  std::int64_t version = 1;
  timestamp created_at;
  timestamp updated_at;
};

}  // namespace svc
