#pragma once

#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace svc {

/// A notification provider in its shown form: `config` is a JSON object with masked secrets. A value.
struct notification_provider {
  uuid id;
  std::string name;
  std::string type;
  bool enabled = true;
  std::string config = "{}";
  std::optional<std::int64_t> group_seconds{};    ///< empty: the type's default
  std::optional<std::int64_t> rate_per_minute{};  ///< empty: the type's default
  std::optional<timestamp> last_used_at{};        ///< time of the last message that the provider accepted
  std::string health = "unknown";                 ///< result of the newest attempt: unknown, ok, failing
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
