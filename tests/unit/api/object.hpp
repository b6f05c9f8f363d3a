#pragma once

#include "svc/http/json_text.hpp"

#include <boost/json/parse.hpp>

#include <string_view>

namespace svc::test {

inline boost::json::object object(std::string_view text) {
  return boost::json::parse(text).as_object();
}

/// The object whose members `json` writes.
template <class T>
boost::json::object shown(void (*json)(http::json_text&, T const&), T const& of) {
  return object(http::written(json, of).text);
}

}  // namespace svc::test
