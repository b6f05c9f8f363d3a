#pragma once

#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"

#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace svc::api {

// What may be missing is null in a read model.

inline boost::json::value or_null(std::optional<timestamp> const& t) {
  return t ? boost::json::value(to_rfc3339(*t)) : boost::json::value();
}
inline boost::json::value or_null(std::optional<std::string> const& text) {
  return text ? boost::json::value(*text) : boost::json::value();
}
inline boost::json::value or_null(std::optional<uuid> const& id) {
  return id ? boost::json::value(id->to_string()) : boost::json::value();
}
inline boost::json::value or_null(std::optional<std::int64_t> number) {
  return number ? boost::json::value(*number) : boost::json::value();
}

}  // namespace svc::api
