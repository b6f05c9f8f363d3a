#pragma once

#include "store/tokens/token_rotation.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/store/token_store.hpp"

#include <optional>
#include <vector>

namespace svc::store {

/// The token under a lock that holds until the end of the transaction; its subject's epoch, its secrets and the
/// time, read behind it.
struct locked_token {
  std::optional<stored_token> token{};
  std::vector<subject_epoch> epochs{};
  std::vector<live_secret> secrets{};
  timestamp now{};
};

/// One round trip.
task<locked_token> lock_token(postgres::unit_of_work& tx, token_scope place, uuid id);

}  // namespace svc::store
