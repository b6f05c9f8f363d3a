#pragma once

#include "svc/store/executor_store.hpp"

#include <chrono>
#include <string>

namespace svc::api::internal {

/// The answer to a claim, as text: scripts are spliced in as the database wrote them.
std::string claims_json(store::claim_batch const& of, std::chrono::seconds lease);

}  // namespace svc::api::internal
