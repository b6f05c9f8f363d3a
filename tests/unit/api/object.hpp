#pragma once

#include <boost/json/parse.hpp>

#include <string_view>

namespace svc::test {

inline boost::json::object object(std::string_view text) {
  return boost::json::parse(text).as_object();
}

}  // namespace svc::test
