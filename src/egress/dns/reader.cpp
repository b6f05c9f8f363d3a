#include "egress/dns/reader.hpp"

namespace svc::egress {

namespace {

/// Maximum length of a name on the wire (RFC 1035 2.3.4).
constexpr std::size_t longest_wire_name = 255;
/// Maximum number of pointers in one name; a pointer is a step that adds no byte to the name. Usual servers use one
/// pointer, to the rest of a name.
constexpr int most_pointers = 32;

void append_label(std::string& out, std::span<std::uint8_t const> label) {
  if (!out.empty()) out += '.';
  for (std::uint8_t const byte : label) {
    auto const c = static_cast<char>(byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte);
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '*' || c == '/') {
      out += c;
      continue;
    }
    out += '\\';
    for (unsigned const digit : {byte / 100U, byte / 10U % 10U, byte % 10U}) out += static_cast<char>('0' + digit);
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
  auto const out = message_.subspan(offset_, count);
  offset_ += count;
  return out;
}

std::string dns_reader::name() {
  std::string out;
  std::size_t length = 1;
  // Labels are read from `first`. Each pointer must lead to a position before the labels that it ends, so that no
  // message causes an endless loop.
  std::size_t first = offset_, before = offset_;
  std::size_t const end = end_;
  int pointers = 0;
  while (!bad_) {
    if (first >= end) break;
    std::uint8_t const head = message_[first];
    if (head == 0) {
      if (pointers == 0) offset_ = first + 1;
      return out;
    }
    if ((head & 0xC0) == 0xC0) {
      if (first + 1 >= end) break;
      std::size_t const target = static_cast<std::size_t>(head & 0x3F) << 8 | message_[first + 1];
      if (target >= before || pointers == most_pointers) break;
      if (pointers == 0) offset_ = first + 2;
      ++pointers;
      first = before = target;
      continue;
    }
    length += head + 1U;
    if (head > 63 || first + 1 + head > end || length > longest_wire_name) break;
    append_label(out, message_.subspan(first + 1, head));
    first += head + 1U;
  }
  fail();
  return {};
}

}  // namespace svc::egress
