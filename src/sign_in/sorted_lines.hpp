#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace svc::sign_in {

/// Bytes that `read_piece` below must return, unless the text ends before. A line must have less than half of them.
inline constexpr std::size_t sorted_piece = 256;

/// A line and the offset of the next one.
struct placed_line {
  std::string_view text{};
  std::uint64_t next = 0;
};

/// Returns the first line that starts at `offset` or after it, or `std::nullopt` if there is none.
/// `read_piece(offset)` returns the bytes from there on. Throws `std::runtime_error` if a line is too long.
template <class ReadPiece>
std::optional<placed_line> line_after(std::uint64_t offset, std::uint64_t size, ReadPiece const& read_piece) {
  // The search starts one byte before the offset: a line starts at the offset if that byte ends another line.
  std::uint64_t const position = offset == 0 ? 0 : offset - 1;
  std::string_view piece = read_piece(position);
  std::uint64_t start = position;
  if (offset > 0) {
    auto const end = piece.find('\n');
    if (end == std::string_view::npos && position + piece.size() < size)
      throw std::runtime_error("has a line that is too long");
    if (end == std::string_view::npos || position + end + 1 >= size) return std::nullopt;
    piece.remove_prefix(end + 1);
    start = position + end + 1;
  }
  if (piece.empty()) return std::nullopt;
  auto const end = piece.find('\n');
  if (end == std::string_view::npos && start + piece.size() < size)
    throw std::runtime_error("has a line that is too long");
  auto text = piece.substr(0, end);
  std::uint64_t const next = std::min(start + text.size() + 1, size);
  if (text.ends_with('\r')) text.remove_suffix(1);
  return placed_line{text, next};
}

/// Searches sorted lines by halves. `order(line)` compares a line with the searched text. Returns true if a line is
/// equal.
template <class ReadPiece, class Order>
bool has_line(std::uint64_t size, ReadPiece const& read_piece, Order const& order) {
  std::uint64_t low = 0, high = size;
  while (low < high) {
    auto const middle = low + (high - low) / 2;
    auto const line = line_after(middle, size, read_piece);
    auto const ordering = line ? order(line->text) : std::strong_ordering::greater;
    if (ordering == std::strong_ordering::equal) return true;
    if (ordering == std::strong_ordering::less)
      low = line->next;
    else
      high = middle;
  }
  return false;
}

}  // namespace svc::sign_in
