#pragma once

#include "svc/core/result.hpp"
#include "svc/http/contract.hpp"

#include <boost/json/object.hpp>

#include <string>

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

/// The fields of a `validation_failed`, joined by spaces; empty for a success; the number of any other error.
template <class T>
std::string faults(result<T> const& value) {
  if (value) return {};
  if (value.error().code != errc::validation_failed) return std::to_string(static_cast<int>(value.error().code));
  std::string out;
  for (auto const& fault : value.error().details) out += (out.empty() ? "" : " ") + fault.field;
  return out.empty() ? "-" : out;
}

}  // namespace svc::test
