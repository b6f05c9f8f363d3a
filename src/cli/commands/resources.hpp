#pragma once

#include "cli/commands/resource.hpp"

namespace svc::cli {

// Each is made once, when first asked for, and then const.
resource const& job_resource();       // jobs.cpp
resource const& test_resource();      // tests.cpp
resource const& tag_resource();       // tags.cpp
resource const& variable_resource();  // variables.cpp
resource const& provider_resource();  // providers.cpp
resource const& run_resource();       // runs.cpp

// From an id or a name to an id, for flags that name one of them.
std::string job_id(context& cx, std::string const& id_or_name);
std::string test_id(context& cx, std::string const& id_or_title);
std::string tag_id(context& cx, std::string const& id_or_name);

}  // namespace svc::cli
