#pragma once

#include "svc/core/deadline.hpp"
#include "svc/core/uuid.hpp"

namespace svc {

/// An attempt that goes on after its deadline, and keeps a thread.
struct overdue_attempt {
  milliseconds lasted{0};  ///< since its deadline; zero: no attempt is overdue
  uuid project{};          ///< that the attempt is for; nil if it is for none
};

}  // namespace svc
