#pragma once

#include <cstdio>
#include <cstdlib>
#include <string_view>

/// An invariant of a fuzz target: reports a broken one and aborts, in every build type.
inline void check(bool holds, char const* invariant) {
  if (holds) return;
  std::fprintf(stderr, "broken invariant: %s\n", invariant);
  std::abort();
}

inline std::string_view text_of(unsigned char const* data, std::size_t size) {
  return {reinterpret_cast<char const*>(data), size};
}
