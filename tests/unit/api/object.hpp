#pragma once

#include "api/conditional_request.hpp"
#include "svc/http/json_text.hpp"

#include <boost/json/parse.hpp>

#include <string_view>

namespace svc::test {

inline boost::json::object object(std::string_view text) {
  return boost::json::parse(text).as_object();
}

/// The object whose members `json` writes.
template <class T>
boost::json::object shown(void (*json)(http::json_text&, T const&), T const& variable) {
  return object(http::written(json, variable));
}

/// The ETag of a resource of version 1.
template <class T>
std::string tag_of(void (*json)(http::json_text&, T const&), T const& token) {
  http::json_text values(http::json_form::values);
  json(values, token);
  return api::entity_tag_of(1, values.take());
}

}  // namespace svc::test
