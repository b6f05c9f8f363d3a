#pragma once

#include "http/contract_schema.hpp"
#include "svc/http/contract.hpp"

#include <boost/json.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace svc::test {

/// A parameter of an operation as the document declares it.
struct declared_parameter {
  std::string name;
  std::string input;  ///< path, query, header
  boost::json::object schema;
};

bool holds(std::vector<std::string> const& list, std::string_view name);

/// The document that the running service returned. Immutable except for the schemas that it compiles on demand; one
/// thread.
///
/// Its response schemas are closed here: a member that the document does not name is a fault, although clients must
/// accept it.
class served_contract {
 public:
  explicit served_contract(std::string const& text);

  std::vector<http::operation> const& operations() const { return loaded_->operations(); }
  std::vector<std::string> const& common_errors() const { return loaded_->common_errors(); }
  bool is_common(std::string_view code) const;

  /// `x-errors` of the operation lists it, or `x-common-errors` does.
  bool declares(http::operation const& op, std::string_view code) const;
  std::vector<declared_parameter> parameters(http::operation const& op) const;
  /// The schema of the request body, `$ref` followed; empty when there is none.
  boost::json::object body_schema(http::operation const& op) const;
  /// The response with that status, `$ref` followed; null when only `default` applies.
  boost::json::object const* response(http::operation const& op, unsigned status) const;
  boost::json::object const& default_response(http::operation const& op) const;
  /// Every declared status except `default`.
  std::vector<unsigned> statuses(http::operation const& op) const;
  /// Methods of the operation's path.
  std::vector<std::string> methods(http::operation const& op) const;

  boost::json::value const& resolve(boost::json::value const& value) const;
  /// Faults of a value against a schema of the document, one per line; empty when it fits.
  std::string faults(boost::json::value const& schema, boost::json::value const& value);
  boost::json::object const& schemas() const;

 private:
  boost::json::object const& source(http::operation const& op) const;

  boost::json::value document_;
  std::shared_ptr<http::contract const> loaded_;
  http::schema_set compiled_;
};

}  // namespace svc::test
