#include "svc/http/client_address.hpp"

#include "http/ascii.hpp"
#include "svc/core/ip_text.hpp"

#include <optional>

namespace svc::http {
namespace {

/// The last element of a comma-separated list, which loses it.
std::string_view take_last(std::string_view& list) {
  auto const comma = list.rfind(',');
  auto const last = list.substr(comma == std::string_view::npos ? 0 : comma + 1);
  list = list.substr(0, comma == std::string_view::npos ? 0 : comma);
  return trim(last);
}

bool looks_like_port(std::string_view text) {
  return !text.empty() && text.size() <= 5 && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Some proxies write the port too; the address is what counts.
std::optional<std::string> hop_address(std::string_view hop) {
  if (hop.starts_with('[')) {
    auto const end = hop.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    auto const behind = hop.substr(end + 1);
    if (!behind.empty() && (behind.front() != ':' || !looks_like_port(behind.substr(1)))) return std::nullopt;
    auto const inside = hop.substr(1, end - 1);
    return inside.find(':') == std::string_view::npos ? std::nullopt : ip_text_of(inside);
  }
  auto const colon = hop.find(':');
  if (colon != std::string_view::npos && hop.rfind(':') == colon) {
    if (!looks_like_port(hop.substr(colon + 1))) return std::nullopt;
    hop = hop.substr(0, colon);
  }
  return ip_text_of(hop);
}

}  // namespace

std::string client_address(request const& head, std::string_view peer, forwarding const& rules) {
  std::string reached(peer);
  if (rules.header.empty() || !rules.trusted(reached)) return reached;
  // Several fields of a name are one list (RFC 9110 5.3).
  for (auto f = head.fields.rbegin(); f != head.fields.rend(); ++f) {
    if (!iequals(f->name, rules.header)) continue;
    for (auto rest = f->value; !rest.empty();) {
      auto const hop = take_last(rest);
      if (hop.empty()) continue;
      auto address = hop_address(hop);
      if (!address) return reached;
      reached = std::move(*address);
      if (!rules.trusted(reached)) return reached;
    }
  }
  return reached;
}

}  // namespace svc::http
