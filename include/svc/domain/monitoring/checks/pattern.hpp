#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

// Regular expressions of users.

namespace svc::checks {

enum class pattern_encoding : std::uint8_t { utf8, latin1 };

/// The largest sum of the program sizes (re2::RE2::ProgramSize) of a monitor's regular expressions when it is saved.
/// Such a sum takes about 10 ms to compile. A single program may have 43 000 instructions, and there may be twenty of
/// them.
inline constexpr int most_pattern_size = 10'000;
/// Stored monitors may have more.
inline constexpr int unlimited_pattern_size = std::numeric_limits<int>::max();

/// Returns the error sentence for expressions whose sizes have a larger sum.
std::string pattern_size_fault(int most);

/// Compiles a pattern. A small program gets little memory, because RE2 fills its memory during searches.
/// `ok()` is false if the pattern is invalid.
std::shared_ptr<re2::RE2 const> compile_pattern(std::string_view text, pattern_encoding as = pattern_encoding::utf8);

/// Returns the maximum memory of a pattern in bytes, including the memory that its searches keep.
std::size_t pattern_bytes(re2::RE2 const& pattern);

}  // namespace svc::checks
