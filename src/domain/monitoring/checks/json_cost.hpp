#pragma once

#include <boost/json/parse_options.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace svc::checks {

/// The most that reading so many bytes as JSON may cost, in steps of about 8 ns.
std::uint64_t most_steps_of_json(std::size_t bytes);

/// Why a text is not read as JSON: it is none, or a reader could be made to work for long on it. Empty: it may be
/// read. Builds nothing.
std::string_view fault_of_json(std::string_view text, boost::json::parse_options const& options);

}  // namespace svc::checks
