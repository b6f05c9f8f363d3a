#include "cli/commands/semantic_version.hpp"

#include "svc/core/numbers.hpp"

#include <algorithm>

namespace svc::cli {
namespace {

bool is_numeric(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

bool has_leading_zero(std::string_view text) {
  return is_numeric(text) && text.size() > 1 && text.front() == '0';
}

bool is_identifier(std::string_view text) {
  constexpr std::string_view allowed = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-";
  return !text.empty() && text.find_first_not_of(allowed) == std::string_view::npos;
}

std::vector<std::string_view> dotted_parts(std::string_view text) {
  std::vector<std::string_view> out;
  for (;;) {
    auto const point = text.find('.');
    out.push_back(text.substr(0, point));
    if (point == std::string_view::npos) return out;
    text.remove_prefix(point + 1);
  }
}

/// Compares numbers by value, and words by ASCII; numbers are below words (11.4). There are no leading zeros, so the
/// longer number is the larger one.
std::strong_ordering compared(std::string const& a, std::string const& b) {
  bool const number_a = is_numeric(a), number_b = is_numeric(b);
  if (number_a != number_b) return number_a ? std::strong_ordering::less : std::strong_ordering::greater;
  if (number_a && a.size() != b.size()) return a.size() <=> b.size();
  return a.compare(b) <=> 0;
}

std::strong_ordering compared(std::vector<std::string> const& a, std::vector<std::string> const& b) {
  // A release is newer than all of its pre-releases (11.3).
  if (a.empty() || b.empty()) return b.size() <=> a.size();
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    if (auto const order = compared(a[i], b[i]); order != 0) return order;
  return a.size() <=> b.size();
}

}  // namespace

std::optional<semantic_version> semantic_version::parse(std::string_view text) {
  auto const plus = text.find('+');
  if (plus != std::string_view::npos && !std::ranges::all_of(dotted_parts(text.substr(plus + 1)), is_identifier))
    return std::nullopt;
  text = text.substr(0, plus);
  auto const hyphen = text.find('-');
  semantic_version out;
  if (hyphen != std::string_view::npos)
    for (auto const part : dotted_parts(text.substr(hyphen + 1))) {
      if (!is_identifier(part) || has_leading_zero(part)) return std::nullopt;
      out.pre_release.emplace_back(part);
    }
  auto const core = dotted_parts(text.substr(0, hyphen));
  if (core.size() != 3) return std::nullopt;
  std::uint32_t* const numbers[] = {&out.major, &out.minor, &out.patch};
  for (std::size_t i = 0; i < 3; ++i) {
    auto const number = parse_number<std::uint32_t>(core[i]);
    if (!number || has_leading_zero(core[i])) return std::nullopt;
    *numbers[i] = *number;
  }
  return out;
}

std::strong_ordering operator<=>(semantic_version const& a, semantic_version const& b) {
  if (auto const order = a.major <=> b.major; order != 0) return order;
  if (auto const order = a.minor <=> b.minor; order != 0) return order;
  if (auto const order = a.patch <=> b.patch; order != 0) return order;
  return compared(a.pre_release, b.pre_release);
}

bool compatible(semantic_version const& a, semantic_version const& b) {
  return a.major == b.major && (a.major != 0 || a.minor == b.minor);
}

}  // namespace svc::cli
