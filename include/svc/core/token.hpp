#pragma once

#include <algorithm>
#include <string_view>

namespace svc {

/// Of RFC 9110 5.6.2: what the names of fields and methods are made of.
constexpr bool is_token(std::string_view text) {
  constexpr std::string_view marks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::ranges::all_of(text, [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           marks.find(c) != std::string_view::npos;
  });
}

}  // namespace svc
