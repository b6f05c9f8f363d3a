#pragma once

#include "svc/core/uuid.hpp"

namespace svc {

/// The tenant that an amount is charged to. A nil id is not charged. A value.
struct account_owner {
  uuid project{}, organisation{};

  friend bool operator==(account_owner const&, account_owner const&) = default;
};

}  // namespace svc
