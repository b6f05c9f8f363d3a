#pragma once

#include <string>
#include <string_view>

namespace svc {

/// Returns the words (anything that converts to `std::string_view`) as one text, separated by `between`.
/// Empty words at the start leave no separator.
template <class Words>
std::string joined(Words const& words, std::string_view between) {
  std::string out;
  for (auto const& word : words) out.append(out.empty() ? std::string_view() : between).append(word);
  return out;
}

}  // namespace svc
