#pragma once

#include "http/contract_schema.hpp"
#include "svc/core/result.hpp"

#include <boost/json/value.hpp>

#include <cstddef>
#include <string_view>
#include <vector>

namespace svc::http {

/// An answer lists at most so many faults.
inline constexpr std::size_t max_faults = 50;

/// Every fault of the value with the JSON pointer of its place after `pointer`, at most `max_faults`; none
/// if the value is valid. Total: any value, however deep, gives a result.
///
/// An own validator and not valijson, because valijson leaves undone the half that this contract needs
/// (format, RE2 patterns, faults with pointers and sentences that say what is allowed, variants by
/// discriminator) and its validator must not be shared between workers. The list of keywords is short and
/// closed (contract_grammar.cpp), and all that is not on it ends the start.
std::vector<field_error> validate(schema const& rule, boost::json::value const& value, std::string_view pointer);

}  // namespace svc::http
