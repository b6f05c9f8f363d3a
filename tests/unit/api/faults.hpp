#pragma once

#include "svc/core/result.hpp"

#include <string>

namespace svc::test {

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
