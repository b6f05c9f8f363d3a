#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace svc {

/// RFC 9562. A value; compares bytewise, so version 7 sorts by time.
struct uuid {
  std::array<std::uint8_t, 16> bytes{};

  /// Returns a time-ordered version 7 from the system clock and the CSPRNG.
  static uuid generate_v7();
  /// Accepts only the 8-4-4-4-12 form, in either case.
  static std::optional<uuid> parse(std::string_view text);
  std::string to_string() const;
  static constexpr std::size_t text_size = 36;
  /// Writes the text of `to_string` and returns its end.
  char* write(char* out) const;

  friend auto operator<=>(uuid const&, uuid const&) = default;
};

struct uuid_hash {
  std::size_t operator()(uuid const& id) const noexcept;
};

}  // namespace svc
