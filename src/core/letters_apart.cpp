#include "core/letters_apart.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace svc {

std::size_t letters_apart(std::string_view text, std::string_view other) {
  auto const [of_one, of_other] = std::ranges::mismatch(text, other);
  text.remove_prefix(static_cast<std::size_t>(of_one - text.begin()));
  other.remove_prefix(static_cast<std::size_t>(of_other - other.begin()));
  auto const longer = std::max(text.size(), other.size()), shorter = std::min(text.size(), other.size());
  if (longer - shorter > largest_mistype) return longer - shorter;
  std::vector<std::size_t> row(other.size() + 1);
  std::iota(row.begin(), row.end(), 0U);
  // Cells further than `largest_mistype` from the diagonal are larger than it, so they need not be right.
  for (std::size_t i = 1; i <= text.size(); ++i) {
    auto const first = i > largest_mistype ? i - largest_mistype : 1;
    auto const last = std::min(other.size(), i + largest_mistype);
    auto diagonal = first == 1 ? std::exchange(row[0], i) : row[first - 1];
    auto least = first == 1 ? i : largest_mistype + 1;
    for (std::size_t j = first; j <= last; ++j) {
      auto const replaced = diagonal + (text[i - 1] == other[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, replaced}));
      least = std::min(least, row[j]);
    }
    if (least > largest_mistype) return least;
  }
  return row.back();
}

}  // namespace svc
