#pragma once

#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace svc {

/// What users set of a tag. A value.
struct tag_settings {
  std::string name{};
  std::string color = "#808080";
};

/// A tag as it is stored. A value.
struct tag {
  uuid id{};
  tag_settings set{};
  std::int64_t version = 1;
  timestamp created_at{};
  timestamp updated_at{};
};

/// Of one test.
inline constexpr std::size_t max_test_tags = 50;

}  // namespace svc
