#pragma once

#include "svc/core/secret.hpp"
#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace svc {

/// A variable as it is shown. A value.
struct variable {
  uuid id{};
  std::string key{};
  bool is_secret = false;
  std::optional<std::string> value{};  ///< nothing when it is a secret
  std::optional<std::string> description{};
  std::int64_t version = 1;
  timestamp created_at{};
  timestamp updated_at{};
};

/// Names that would change how the service, a shell or a runtime itself behaves: `SERVICE_*`, `SVC_*`, `LD_*`,
/// `PATH`, `HOME`, `BASH_ENV`, `ENV`, `NODE_OPTIONS`.
bool is_reserved_variable(std::string_view key);

}  // namespace svc
