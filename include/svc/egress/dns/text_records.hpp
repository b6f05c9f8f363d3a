#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/egress/dns/resolver.hpp"

#include <optional>
#include <string>
#include <vector>

namespace svc::egress {

/// The outcome of a lookup of TXT records. A value.
struct text_lookup {
  /// The texts, sorted; none of them if the name or such records do not exist. Missing without an answer.
  std::optional<std::vector<std::string>> texts{};
  /// True if our own name servers answer nothing at all, so that the name is not at fault.
  bool resolver_failed = false;
};

/// Looks up the TXT records of `name`. A name that is no name for a lookup gets no answer. `names` outlives the task.
task<text_lookup> read_text_records(resolver& names, std::string name, deadline until);

}  // namespace svc::egress
