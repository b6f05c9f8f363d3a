#pragma once

#include "svc/core/secret.hpp"
#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

namespace svc {

/// A variable in its shown form. A value.
struct variable {
  uuid id{};
  std::string key{};
  bool is_secret = false;
  std::optional<std::string> value{};  ///< empty for a secret
  std::optional<std::string> description{};
  std::int64_t version = 1;
  timestamp created_at{};
  timestamp updated_at{};
};

/// Names that would change how the service, a shell or a runtime itself behaves: `SERVICE_*`, `SVC_*`, `LD_*`,
/// `PATH`, `HOME`, `BASH_ENV`, `ENV`, `NODE_OPTIONS`.
inline bool is_reserved_variable(std::string_view key) {
  static constexpr std::string_view beginnings[] = {"SERVICE_", "SVC_", "LD_"};
  static constexpr std::string_view names[] = {"PATH", "HOME", "BASH_ENV", "ENV", "NODE_OPTIONS"};
  return std::ranges::any_of(beginnings, [&](auto beginning) { return key.starts_with(beginning); }) ||
         std::ranges::find(names, key) != std::end(names);
}

}  // namespace svc
