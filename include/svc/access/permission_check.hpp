#pragma once

#include "svc/core/async.hpp"

#include <cstdint>
#include <functional>

namespace svc::access {

/// What a second look at a credential found.
struct permission_state {
  enum class kind : std::uint8_t {
    granted,
    withdrawn,
    unknown,  ///< neither store says so now
  };
  kind what = kind::unknown;
  std::int64_t epoch = 0;  ///< granted: its subject's, as Redis or PostgreSQL confirmed it
};

/// Asks whether a credential may still do what it was admitted for. A record read before the epoch `at_least` does
/// not count; 0 accepts any. Throws nothing.
using permission_check = std::function<task<permission_state>(std::int64_t at_least)>;

}  // namespace svc::access
