#pragma once

#include "http/contract_pointer.hpp"

#include <boost/json/value.hpp>

#include <string_view>

namespace svc::http {

/// Checks that each object of the document has the members of its kind, all required ones and no other, so
/// that nothing can be written into the contract that the program does not enforce or that is not plain text
/// for readers. `$ref` stands alone and points to a component of the right kind.
/// Throws `std::runtime_error` with the JSON pointer.
void check_grammar(boost::json::value const& document);

/// The target of `{"$ref": ...}`, or the value itself; for a document that passed `check_grammar`.
boost::json::value const& resolve(boost::json::value const& document, boost::json::value const& value);

}  // namespace svc::http
