#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace svc::egress {

/// Takes values off the front of a part of a DNS message. A value that does not fit makes the reader `bad()`,
/// and all further values zero or empty, so that a caller checks only once, at the end.
class dns_reader {
 public:
  /// `end` is the end of the readable part; names may point to any byte before it (RFC 1035 4.1.4).
  dns_reader(std::span<std::uint8_t const> message, std::size_t begin, std::size_t end)
      : message_(message), offset_(begin), end_(end) {
    if (begin > end || end > message.size()) fail();
  }

  bool bad() const { return bad_; }
  std::size_t offset() const { return offset_; }
  std::size_t left() const { return end_ - offset_; }

  std::uint8_t u8() { return static_cast<std::uint8_t>(number(1)); }
  std::uint16_t u16() { return static_cast<std::uint16_t>(number(2)); }
  std::uint32_t u32() { return number(4); }
  std::span<std::uint8_t const> bytes(std::size_t count);
  /// Returns a name in lower case without a final dot, and an empty text for the root. Bytes that host names
  /// do not have become `\DDD` (RFC 4343 2.1).
  std::string name();

  void fail() { bad_ = true, offset_ = end_ = 0; }

 private:
  std::uint32_t number(std::size_t size);

  std::span<std::uint8_t const> message_;
  std::size_t offset_;
  std::size_t end_;
  bool bad_ = false;
};

}  // namespace svc::egress
