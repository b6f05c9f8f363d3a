#pragma once

#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
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

/// What users set of a test. Words are those of the contract. A value.
struct test_settings {
  std::string title;
  std::optional<std::string> description{};
  std::string type = "browser";
  std::string priority = "medium";
  std::string script{};
};

/// A test as it is stored; `set.script` is empty when it was not asked for. A value.
struct test_case {
  uuid id;
  test_settings set;
  std::string tags = "[]";  ///< JSON, `Tag[]` of the contract, by name
  std::int64_t version = 1;
  timestamp created_at;
  timestamp updated_at;
  std::int64_t script_size = 0;  ///< in bytes, also when the script was not asked for; not in lists
};

}  // namespace svc
