#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::cli {

/// A version by semver.org 2.0.0. Build metadata is not kept, as it has no part in precedence (10).
struct semantic_version {
  std::uint32_t major = 0, minor = 0, patch = 0;
  std::vector<std::string> pre_release{};  ///< its identifiers; empty for a release

  /// Returns `std::nullopt` for anything that the specification does not allow: leading zeros, missing parts, a `v`
  /// before it.
  static std::optional<semantic_version> parse(std::string_view text);
  /// Precedence (11).
  friend std::strong_ordering operator<=>(semantic_version const& a, semantic_version const& b);
  friend bool operator==(semantic_version const& a, semantic_version const& b) { return (a <=> b) == 0; }
};

/// True if the two versions are compatible: the same major version; before 1.0.0, where a minor
/// version may break (4), the same minor version.
bool compatible(semantic_version const& a, semantic_version const& b);

}  // namespace svc::cli
