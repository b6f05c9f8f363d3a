#include "svc/core/trace_parent.hpp"

#include <algorithm>

namespace svc {
namespace {

constexpr std::size_t trace_at = 3, parent_at = 36, flags_at = 53, whole = 55;

/// Upper case is not allowed.
bool is_hex(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool is_id(std::string_view text) {
  return is_hex(text) && text.find_first_not_of('0') != std::string_view::npos;
}

}  // namespace

std::string trace_parent::to_string() const {
  return "00-" + std::string(trace_id) + "-" + std::string(parent_id) + (sampled ? "-01" : "-00");
}

std::optional<trace_parent> read_trace_parent(std::string_view value) {
  if (value.size() < whole) return std::nullopt;
  auto const version = value.substr(0, 2), flags = value.substr(flags_at, 2);
  trace_parent out{value.substr(trace_at, 32), value.substr(parent_at, 16)};
  if (!is_hex(version) || version == "ff" || !is_hex(flags) || !is_id(out.trace_id) || !is_id(out.parent_id))
    return {};
  for (auto const dash : {trace_at, parent_at, flags_at})
    if (value[dash - 1] != '-') return std::nullopt;
  // A later version may append more, after another dash.
  if (value.size() > whole && (version == "00" || value[whole] != '-')) return std::nullopt;
  auto const last = flags[1];
  out.sampled = ((last <= '9' ? last - '0' : last - 'a' + 10) & 1) != 0;
  return out;
}

}  // namespace svc
