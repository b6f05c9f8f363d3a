#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace svc {

/// Which versions of what is to be changed `If-Match` and `If-None-Match` allow (RFC 9110 13.1). A value.
struct version_condition {
  std::optional<std::vector<std::int64_t>> match{};  ///< one of these; nothing: any
  std::vector<std::int64_t> none_match{};            ///< none of these

  bool allows(std::int64_t version) const {
    return (!match || std::ranges::find(*match, version) != match->end()) &&
           std::ranges::find(none_match, version) == none_match.end();
  }
};

}  // namespace svc
