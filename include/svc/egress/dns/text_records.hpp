#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/egress/dns/resolver.hpp"

#include <optional>
#include <string>
#include <vector>

namespace svc::egress {

/// Returns the texts of the TXT records of `name`, sorted; none if the name or such records do not exist. Returns
/// `std::nullopt` if no name server gave an answer, or the name is no name for a lookup. `names` outlives the task.
task<std::optional<std::vector<std::string>>> read_text_records(resolver& names, std::string name, deadline until);

}  // namespace svc::egress
