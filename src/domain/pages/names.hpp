#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace svc::pages {

/// The names of an enumeration's values, in the order of the values.
template <std::size_t Count>
using enum_names = std::array<std::string_view, Count>;

template <class Enum, std::size_t Count>
constexpr std::string_view name_of(enum_names<Count> const& names, Enum value) {
  return names.at(static_cast<std::size_t>(value));
}

template <class Enum, std::size_t Count>
constexpr std::optional<Enum> named(enum_names<Count> const& names, std::string_view text) {
  for (std::size_t i = 0; i < Count; ++i)
    if (names[i] == text) return static_cast<Enum>(i);
  return std::nullopt;
}

}  // namespace svc::pages
