#include "egress/dns/reader.hpp"

namespace svc::egress {

namespace {

/// Of a name on the wire (RFC 1035 2.3.4).
constexpr std::size_t longest_wire_name = 255;
/// Each pointer of a name is a step that adds no byte to it. Servers point once, to the rest of a name.
constexpr int most_pointers = 32;

void append_label(std::string& to, std::span<std::uint8_t const> label) {
  if (!to.empty()) to += '.';
  for (std::uint8_t const byte : label) {
    auto const c = static_cast<char>(byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte);
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '*' || c == '/') {
      to += c;
      continue;
    }
    to += '\\';
    for (unsigned const digit : {byte / 100U, byte / 10U % 10U, byte % 10U}) to += static_cast<char>('0' + digit);
  }
}

}  // namespace

std::uint32_t dns_reader::number(std::size_t size) {
  std::uint32_t out = 0;
  for (std::uint8_t const byte : bytes(size)) out = out << 8 | byte;
  return out;
}

std::span<std::uint8_t const> dns_reader::bytes(std::size_t count) {
  if (count > left()) {
    fail();
    return {};
  }
  auto const out = message_.subspan(at_, count);
  at_ += count;
  return out;
}

std::string dns_reader::name() {
  std::string out;
  std::size_t length = 1;
  // Where labels are read, `at_` until the first pointer; each pointer leads to before the place where it stands in,
  // so that no message makes this endless.
  std::size_t from = at_, before = at_;
  std::size_t const end = end_;
  int pointers = 0;
  while (!bad_) {
    if (from >= end) break;
    std::uint8_t const head = message_[from];
    if (head == 0) {
      if (pointers == 0) at_ = from + 1;
      return out;
    }
    if ((head & 0xC0) == 0xC0) {
      if (from + 1 >= end) break;
      std::size_t const target = static_cast<std::size_t>(head & 0x3F) << 8 | message_[from + 1];
      if (target >= before || pointers == most_pointers) break;
      if (pointers == 0) at_ = from + 2;
      ++pointers;
      from = before = target;
      continue;
    }
    length += head + 1U;
    if (head > 63 || from + 1 + head > end || length > longest_wire_name) break;
    append_label(out, message_.subspan(from + 1, head));
    from += head + 1U;
  }
  fail();
  return {};
}

}  // namespace svc::egress
