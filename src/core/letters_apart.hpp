#pragma once

#include <cstddef>
#include <string_view>

namespace svc {

/// Further apart, two names are more likely different words.
inline constexpr std::size_t largest_mistype = 2;

/// Returns how many letters must be inserted, removed or replaced to make one name of the other (Levenshtein); more
/// than `largest_mistype` only says so.
std::size_t letters_apart(std::string_view text, std::string_view other);

}  // namespace svc
