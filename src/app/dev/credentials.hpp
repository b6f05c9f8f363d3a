#pragma once

#include "svc/core/secret.hpp"

#include <optional>
#include <string>

namespace svc::app::dev {

/// What was seeded, with the plain secrets: kept only by development, in a file for its owner alone.
struct credentials {
  std::string organization{}, project{}, user{}, job{}, test{};  ///< ids; empty: not made yet
  secret_string token{};
  secret_string trigger_key{};
  secret_string runner_token{};
};

/// An empty value when there is no such file; throws `std::runtime_error` when it cannot be understood.
credentials read_credentials(std::string const& path);
void write_credentials(std::string const& path, credentials const& what);

}  // namespace svc::app::dev
