#pragma once

#include "svc/http/contract.hpp"

#include <boost/json/object.hpp>

namespace svc::test {

/// The shipped contract.
inline http::body_validator& contract() {
  static auto const made = http::body_validator::make(http::contract::load(embedded::openapi_json));
  return *made;
}

/// Returns the judgement of a schema of the shipped contract on a body.
inline result<> check(std::string_view schema, boost::json::object const& body) {
  return contract().check_schema(schema, body, {});
}

}  // namespace svc::test
