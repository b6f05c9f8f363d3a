#pragma once

#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace svc {

/// The properties of a tag that users set. A value.
struct tag_settings {
  std::string name{};
  std::string color = "#808080";
};

/// A tag as the store holds it. A value.
struct tag {
  uuid id{};
  tag_settings set{};
  std::int64_t version = 1;
  timestamp created_at{};
  timestamp updated_at{};
};

/// The properties of a test that users set. Words are those of the contract. A value.
struct test_settings {
  std::string title;
  std::optional<std::string> description{};
  std::string type = "browser";
  std::string priority = "medium";
  std::string script{};
};

/// A test in its stored form; `set.script` is empty if the read did not request the script. A value.
struct test_case {
  uuid id;
  test_settings set;
  std::string tags = "[]";  ///< JSON, `Tag[]` of the contract, by name
  std::int64_t version = 1;
  timestamp created_at;
  timestamp updated_at;
  std::int64_t script_size = 0;  ///< in bytes, even if the script was not requested; lists leave it 0
};

}  // namespace svc
