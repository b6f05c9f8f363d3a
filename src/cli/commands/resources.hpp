#pragma once

#include "cli/commands/resource.hpp"

namespace svc::cli {

// Each is made once, when first asked for, and then const.
resource const& jobs();                    // jobs.cpp
resource const& tests();                   // tests.cpp
resource const& tags();                    // tags.cpp
resource const& variables();               // variables.cpp
resource const& notification_providers();  // providers.cpp
resource const& runs();                    // runs.cpp

// From an id or a name to an id, for flags that name one of them.
std::string job_id(context& cx, std::string const& id_or_name);
std::string test_id(context& cx, std::string const& id_or_title);
std::string tag_id(context& cx, std::string const& id_or_name);

}  // namespace svc::cli
