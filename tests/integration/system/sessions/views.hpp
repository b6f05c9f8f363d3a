#pragma once

#include "browser.hpp"
#include "svc/core/uuid.hpp"

#include <string>
#include <vector>

// Parts of the tests of data that only pages need.

namespace svc::test {

/// The answer without the id of its request.
inline std::string shown(answer const& got) {
  auto body = body_of(got);
  body.erase("requestId");
  return std::to_string(got.status) + " " + boost::json::serialize(body);
}

inline std::vector<std::string> texts_of(boost::json::value const& list) {
  std::vector<std::string> out;
  for (auto const& each : list.as_array()) out.emplace_back(each.as_string());
  return out;
}

inline std::string some_id() {
  return uuid::generate_v7().to_string();
}

/// Returns the answer of a page to a request with an unknown id.
inline std::string unknown_answer(browser& page, std::string const& before, std::string const& behind = {}) {
  return shown(page.get(before + some_id() + behind));
}

}  // namespace svc::test
