#pragma once

#include <cstddef>
#include <string_view>

// Statements that share parts, such as a list of columns, are concatenated by the compiler.

namespace svc::store {

/// The characters of a statement, or of a part of a statement. A statement that refers to a text needs a constant of
/// this type, because `postgres::statement` only has a view of the text.
template <std::size_t Size>
struct sql_text {
  char characters[Size + 1] = {};
  constexpr operator std::string_view() const { return {characters, Size}; }
};

template <class Part>
inline constexpr std::size_t sql_size = 0;
template <std::size_t Size>
inline constexpr std::size_t sql_size<char[Size]> = Size - 1;
template <std::size_t Size>
inline constexpr std::size_t sql_size<sql_text<Size>> = Size;

/// Concatenates string literals and other texts.
template <class... Parts>
consteval auto sql(Parts const&... parts) {
  sql_text<(sql_size<Parts> + ...)> out;
  std::size_t size = 0;
  auto const append = [&](std::string_view part) {
    for (char const character : part) out.characters[size++] = character;
  };
  (append(parts), ...);
  return out;
}

}  // namespace svc::store
