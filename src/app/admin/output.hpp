#pragma once

#include "svc/core/result.hpp"

#include <boost/json.hpp>

#include <string>

namespace svc::app::admin {

/// For people: a line `name: value` for each member, an aligned table for a list of objects.
std::string to_text(boost::json::value const& body);

/// The refusal in one sentence, its details a line each.
std::string to_text(error const& why);

}  // namespace svc::app::admin
