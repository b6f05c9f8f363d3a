#pragma once

#include <boost/json/parse_options.hpp>

#include <string_view>

namespace svc::checks {

/// Why a text is not read as JSON: it is none, or a reader could be made to work for long on it. Empty: it may be
/// read. Builds nothing.
std::string_view fault_of_json(std::string_view text, boost::json::parse_options const& options);

}  // namespace svc::checks
