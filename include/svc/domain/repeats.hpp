#pragma once

#include "svc/core/result.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace svc {

/// Adds a fault for each value that equals an earlier one. Its JSON pointer is `before`, the index, and `after`. A
/// schema compares spellings; this compares what they stand for.
template <class T>
void find_repeats(std::vector<T> const& all, std::string_view before, std::string_view after,
                  std::vector<field_error>& wrong) {
  for (auto at = all.begin(); at != all.end(); ++at) {
    if (std::find(all.begin(), at, *at) == at) continue;
    auto const index = std::to_string(at - all.begin());
    wrong.push_back({std::string(before).append(index).append(after), "is repeated"});
  }
}

}  // namespace svc
