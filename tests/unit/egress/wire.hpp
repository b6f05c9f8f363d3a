#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace svc::egress {

/// Writes DNS messages for tests, also malformed ones.
class dns_writer {
 public:
  explicit dns_writer(unsigned rcode = 0) { u16(0x1234), u16(0x8180 | rcode), u16(0), u16(0), u16(0), u16(0); }

  dns_writer& u8(unsigned value) {
    bytes_ += static_cast<char>(value & 0xFF);
    return *this;
  }
  dns_writer& u16(unsigned value) { return u8(value >> 8).u8(value); }
  dns_writer& u32(std::uint32_t value) { return u16(value >> 16).u16(value & 0xFFFF); }
  dns_writer& raw(std::string_view bytes) {
    bytes_ += bytes;
    return *this;
  }
  dns_writer& name(std::string_view text) {
    bytes_ += wire_name(text);
    return *this;
  }
  dns_writer& question(std::string_view text, unsigned type) {
    count(5);
    return name(text).u16(type).u16(1);
  }
  dns_writer& record(std::string_view owner, unsigned type, std::uint32_t ttl, std::string_view data,
                     unsigned in_class = 1) {
    count(7);
    return name(owner).u16(type).u16(in_class).u32(ttl).u16(static_cast<unsigned>(data.size())).raw(data);
  }

  static std::string wire_name(std::string_view text) {
    std::string out;
    while (!text.empty()) {
      auto const label = text.substr(0, text.find('.'));
      out += static_cast<char>(label.size());
      out += label;
      text.remove_prefix(std::min(text.size(), label.size() + 1));
    }
    return out + '\0';
  }

  /// A counter of the header, by the place of its last byte.
  void count(std::size_t position) { ++bytes_[position]; }
  std::string const& bytes() const { return bytes_; }
  std::size_t size() const { return bytes_.size(); }

 private:
  std::string bytes_;
};

}  // namespace svc::egress
