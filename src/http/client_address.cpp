// Section numbers refer to "The PROXY protocol, versions 1 & 2" (HAProxy, 2020/03/05).
#include "svc/http/client_address.hpp"

#include "svc/core/ascii.hpp"
#include "svc/core/ip_address.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

namespace svc::http {
namespace {

/// Takes the last element off a comma-separated list.
std::string_view take_last(std::string_view& list) {
  auto const comma = list.rfind(',');
  auto const last = list.substr(comma == std::string_view::npos ? 0 : comma + 1);
  list = list.substr(0, comma == std::string_view::npos ? 0 : comma);
  return trim(last);
}

bool looks_like_port(std::string_view text) {
  return !text.empty() && text.size() <= 5 && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Returns the address of a hop. Some proxies add the port, which is dropped.
std::optional<std::string> hop_address(std::string_view hop) {
  if (hop.starts_with('[')) {
    auto const end = hop.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    auto const after = hop.substr(end + 1);
    if (!after.empty() && (after.front() != ':' || !looks_like_port(after.substr(1)))) return std::nullopt;
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

using namespace std::string_view_literals;

constexpr auto signature_1 = "PROXY "sv;
constexpr auto signature_2 = "\r\n\r\n\0\r\nQUIT\n"sv;
constexpr std::size_t longest_line = 107;  // section 2.1, with CRLF
constexpr std::size_t fixed_part = 16;     // section 2.2

proxy_header refused() {
  return {};
}

proxy_header need_more() {
  return {.content = proxy_header::verdict::need_more};
}

proxy_header complete(std::size_t size, std::optional<std::string> source) {
  return {proxy_header::verdict::complete, size, std::move(source)};
}

/// Takes the text up to the next single space off `rest`, and drops the space.
std::string_view word(std::string_view& rest) {
  auto const space = rest.find(' ');
  auto const out = rest.substr(0, space);
  rest.remove_prefix(space == std::string_view::npos ? rest.size() : space + 1);
  return out;
}

bool is_port(std::string_view text) {
  if (text.empty() || text.size() > 5 || (text.size() > 1 && text.front() == '0')) return false;
  unsigned value = 0;
  for (char const c : text) {
    if (c < '0' || c > '9') return false;
    value = 10 * value + static_cast<unsigned>(c - '0');
  }
  return value <= 65535;
}

/// Reads an address of the family that the line names; an address of the other family is refused.
std::optional<std::string> address(std::string_view text, bool v6) {
  if ((text.find(':') != std::string_view::npos) != v6) return std::nullopt;
  return ip_text_of(text);
}

/// Parses a line of section 2.1 after its signature, without CRLF.
proxy_header parse_line(std::string_view line, std::size_t size) {
  auto const family = word(line);
  // "The receiver must ignore anything presented before the CRLF".
  if (family == "UNKNOWN") return complete(size, std::nullopt);
  if (family != "TCP4" && family != "TCP6") return refused();
  bool const v6 = family == "TCP6";
  // The line must have exactly four words: with a fifth word, or a space at the end, the last one is not a port.
  auto const source = address(word(line), v6);
  auto const destination = address(word(line), v6);
  auto const source_port = word(line);
  if (!source || !destination || !is_port(source_port) || !is_port(line)) return refused();
  return complete(size, source);
}

proxy_header parse_1(std::string_view bytes) {
  auto const window = bytes.substr(0, longest_line);
  auto const end = window.find_first_of("\r\n"sv);
  bool const cut = end == std::string_view::npos || (window[end] == '\r' && end + 1 == window.size());
  if (cut) return window.size() < longest_line ? need_more() : refused();
  if (window.substr(end, 2) != "\r\n"sv) return refused();
  return parse_line(window.substr(signature_1.size(), end - signature_1.size()), end + 2);
}

/// The layout of an address block by family (section 2.2): the total number of address bytes, and how many of them
/// belong to the source. `std::nullopt` means refused.
struct layout {
  std::size_t addresses;
  std::size_t source;
};
std::optional<layout> layout_of(std::uint8_t family) {
  switch (family) {
    case 0x00:  // UNSPEC
      return layout{0, 0};
    case 0x11:  // TCP over IPv4
      return layout{12, 4};
    case 0x21:  // TCP over IPv6
      return layout{36, 16};
    case 0x31:  // a Unix stream
      return layout{216, 0};
    default:  // datagrams cannot arrive by a stream; all other families "must be rejected as invalid"
      return std::nullopt;
  }
}

proxy_header parse_2(std::string_view bytes) {
  constexpr std::uint8_t local = 0x20, proxied = 0x21;
  auto const byte_at = [&](std::size_t i) { return static_cast<std::uint8_t>(bytes[i]); };
  if (bytes.size() > 12 && byte_at(12) != local && byte_at(12) != proxied) return refused();
  if (bytes.size() < fixed_part) return need_more();
  std::size_t const size = fixed_part + (std::size_t{byte_at(14)} << 8U | byte_at(15));
  if (size > proxy_header::largest) return refused();
  auto const family = layout_of(byte_at(13));
  // LOCAL: "the receiver must accept this connection [...] and must discard the protocol block including the family".
  if (byte_at(12) == proxied && (!family || size < fixed_part + family->addresses)) return refused();
  if (bytes.size() < size) return need_more();
  if (byte_at(12) == local || family->source == 0) return complete(size, std::nullopt);
  std::array<std::uint8_t, 16> source{};
  std::copy_n(bytes.begin() + fixed_part, family->source, source.begin());
  return complete(size, ip_text(std::span(source).first(family->source)));
}

bool begins(std::string_view bytes, std::string_view signature) {
  auto const common = std::min(bytes.size(), signature.size());
  return bytes.substr(0, common) == signature.substr(0, common);
}

}  // namespace

std::string client_address(request const& head, std::string_view peer, forwarding const& rules) {
  std::string reached(peer);
  if (rules.header.empty() || !rules.trusted(reached)) return reached;
  // Several fields of the same name form one list (RFC 9110 5.3).
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

proxy_header parse_proxy_header(std::string_view bytes) {
  bool const first = begins(bytes, signature_1);
  if (!first && !begins(bytes, signature_2)) return refused();
  if (bytes.size() < (first ? signature_1.size() : signature_2.size())) return need_more();
  return first ? parse_1(bytes) : parse_2(bytes);
}

}  // namespace svc::http
