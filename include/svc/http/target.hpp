#pragma once

#include "svc/core/result.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace svc::http {

inline constexpr std::size_t max_query_parameters = 50;

/// A request target (RFC 9112 3.2), taken apart and percent-decoded exactly once. Immutable once parsed.
struct target {
  /// As on the wire, without the query; "*" for the asterisk-form. A view into the parsed text.
  std::string_view raw_path{};
  /// Valid UTF-8, never empty, without control characters, slashes and backslashes, neither "." nor "..".
  /// None for "/" and "*".
  std::vector<std::string> segments{};
  /// In order, repeated names kept; valid UTF-8 without control characters.
  std::vector<std::pair<std::string, std::string>> query{};
};

/// Returns the target from its path on: takes scheme and authority off an absolute-form, and nothing off any other
/// form. Returns `std::nullopt` if the authority is not `host`. The view points into `raw`.
std::optional<std::string_view> without_authority(std::string_view raw, std::string_view host);

/// Parses origin-form, absolute-form if its authority is `host`, and `*` with OPTIONS. `host` is the Host
/// field's value. By RFC 9112 3.2.2 the authority takes precedence, so two different ones are an attack or a
/// mistake. Any other text fails with malformed_request and a sentence that says what to change. In a query
/// "+" is a space.
result<target> parse_target(std::string_view raw, std::string_view host, std::string_view method);

}  // namespace svc::http
