#pragma once

#include "svc/http/contract.hpp"

#include <memory>

namespace svc::app {

/// Loads the public contract that this program embeds. Throws `std::runtime_error` if an operation has no handler.
std::shared_ptr<http::contract const> load_public_contract();

/// The same for the contract of runners.
std::shared_ptr<http::contract const> load_internal_contract();

}  // namespace svc::app
