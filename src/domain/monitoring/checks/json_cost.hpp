#pragma once

#include <boost/json/parse_options.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace svc::checks {

/// Returns the maximum cost of reading `bytes` bytes as JSON, in steps of about 8 ns.
std::uint64_t most_steps_of_json(std::size_t bytes);

/// Returns the reason why a text must not be read as JSON: it is invalid, or reading it could take a long
/// time. Returns an empty text if it may be read. Builds no values.
std::string_view fault_of_json(std::string_view text, boost::json::parse_options const& options);

}  // namespace svc::checks
