#pragma once

#include "svc-runner/settings.hpp"
#include "svc/core/toml.hpp"

#include <optional>
#include <string>

namespace svc::runner {

/// Stores the value, or says what is allowed; never with the value of a secret.
std::optional<std::string> assign(setting const& to, raw_value const& value, settings& into);

}  // namespace svc::runner
