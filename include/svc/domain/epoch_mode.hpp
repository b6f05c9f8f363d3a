#pragma once

#include <cstdint>

namespace svc {

/// What the caller knows of its subject's epoch. The script's comments and the protocol give the rules.
enum class epoch_mode : std::uint8_t {
  none,    ///< the subject has no epoch: an address, a refused token
  cached,  ///< the record was read before this request arrived; only an equal epoch proves it
  fresh,   ///< the record was read after this request arrived; raises, unless somebody knows better
  forced,  ///< read after a STALE reply; decides
};

}  // namespace svc
