#pragma once

#include <cstddef>
#include <string_view>

namespace svc {

/// Two names that are further apart are more likely different words.
inline constexpr std::size_t largest_mistype = 2;

/// Returns how many letters must be inserted, removed or replaced to make one name of the other
/// (Levenshtein); a result above `largest_mistype` is not exact.
std::size_t letters_apart(std::string_view text, std::string_view other);

}  // namespace svc
