#pragma once

#include "http/contract_pointer.hpp"
#include "http/contract_schema.hpp"
#include "svc/http/contract.hpp"

#include <boost/json/value.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace svc::http {

/// Checks that each object of the document has the members of its kind: all required ones and no other. So the
/// contract cannot contain anything that the program does not enforce, except plain text for readers. `$ref` must be
/// the only member, and must point to a component of the right kind. Throws `std::runtime_error` with the JSON
/// pointer.
void check_grammar(boost::json::value const& document);

/// Returns the target of `{"$ref": ...}`, or the value itself. Requires a document that passed `check_grammar`.
boost::json::value const& resolve(boost::json::value const& document, boost::json::value const& value);

/// One declared path or query parameter. Immutable after start.
struct parameter {
  std::string name;
  schema const* rule = nullptr;
  bool required = false;
};

/// The rules of an operation in addition to `operation`. Immutable after start.
struct operation_rules {
  std::vector<parameter> path{};  ///< in the order of the template
  std::vector<parameter> query{};
  schema const* body = nullptr;  ///< null: the operation takes no body
};

/// All operations of the document; both lists have the same order.
struct operation_table {
  std::vector<operation> operations{};
  std::vector<operation_rules> rules{};
};

/// Requires a document that passed `check_grammar`. Throws `std::runtime_error` with a JSON pointer.
operation_table read_operations(boost::json::value const& document, schema_set& schemas);

/// Returns the codes, each known to the error table. Throws like `read_operations`.
std::vector<std::string> read_codes(boost::json::value const& list, std::string_view path);

/// Splits `/api/jobs/{id}` into `api`, `jobs`, `{id}`.
std::vector<std::string_view> split_template(std::string_view path);
inline bool is_parameter(std::string_view segment) {
  return segment.starts_with('{');
}

}  // namespace svc::http
