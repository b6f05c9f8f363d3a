#include "core/letters_apart.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace svc {

std::size_t letters_apart(std::string_view one, std::string_view other) {
  auto const longer = std::max(one.size(), other.size()), shorter = std::min(one.size(), other.size());
  if (longer - shorter > largest_mistype) return longer - shorter;
  std::vector<std::size_t> row(other.size() + 1);
  for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= one.size(); ++i) {
    auto diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j < row.size(); ++j) {
      auto const replaced = diagonal + (one[i - 1] == other[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, replaced}));
    }
  }
  return row.back();
}

}  // namespace svc
