#pragma once

#include <string>
#include <string_view>

namespace svc {

/// The words (anything that converts to `std::string_view`) in one text, with `between` before each one that follows
/// another text: empty words at the beginning leave nothing.
template <class Words>
std::string joined(Words const& words, std::string_view between) {
  std::string out;
  for (auto const& word : words) out.append(out.empty() ? std::string_view() : between).append(word);
  return out;
}

}  // namespace svc
