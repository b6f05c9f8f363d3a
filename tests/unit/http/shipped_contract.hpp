#pragma once

#include "svc/http/contract.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <string_view>

namespace svc::http {

/// The shipped contract, loaded once.
inline std::shared_ptr<contract const> const& shipped() {
  static auto const loaded = contract::load(embedded::openapi_json);
  return loaded;
}

inline operation const& named(std::string_view id) {
  auto const& all = shipped()->operations();
  auto const found = std::find_if(all.begin(), all.end(), [id](auto const& op) { return op.id == id; });
  REQUIRE(found != all.end());
  return *found;
}

}  // namespace svc::http
