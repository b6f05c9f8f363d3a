#include "svc/core/uuid.hpp"

#include "svc/core/random.hpp"

#include <chrono>
#include <cstring>

namespace svc {
namespace {

int nibble(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

/// Random bytes for ids, drawn many at a time: one draw from OpenSSL costs two locks and a system call.
void draw(std::span<std::uint8_t> out) {
  thread_local std::array<std::uint8_t, 1024> pool;
  thread_local std::size_t used = pool.size();
  if (used + out.size() > pool.size()) {
    random_bytes(pool);
    used = 0;
  }
  std::memcpy(out.data(), pool.data() + used, out.size());
  used += out.size();
}

constexpr bool dash_at(std::size_t i) {
  return i == 8 || i == 13 || i == 18 || i == 23;
}

}  // namespace

uuid uuid::generate_v7() {
  uuid id;
  draw(id.bytes);
  auto const since_epoch = std::chrono::system_clock::now().time_since_epoch();
  auto const millis = std::chrono::duration_cast<std::chrono::milliseconds>(since_epoch).count();
  for (int i = 0; i < 6; ++i)
    id.bytes[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(millis >> (40 - 8 * i));
  id.bytes[6] = static_cast<std::uint8_t>(0x70 | (id.bytes[6] & 0x0f));
  id.bytes[8] = static_cast<std::uint8_t>(0x80 | (id.bytes[8] & 0x3f));
  return id;
}

std::optional<uuid> uuid::parse(std::string_view text) {
  if (text.size() != 36) return std::nullopt;
  uuid id;
  std::size_t out = 0;
  for (std::size_t i = 0; i < text.size();) {
    if (dash_at(i)) {
      if (text[i++] != '-') return std::nullopt;
      continue;
    }
    int const high = nibble(text[i]);
    int const low = nibble(text[i + 1]);
    if (high < 0 || low < 0) return std::nullopt;
    id.bytes[out++] = static_cast<std::uint8_t>(high << 4 | low);
    i += 2;
  }
  return id;
}

char* uuid::write(char* out) const {
  static constexpr char digits[] = "0123456789abcdef";
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) *out++ = '-';
    *out++ = digits[bytes[i] >> 4];
    *out++ = digits[bytes[i] & 15];
  }
  return out;
}

std::string uuid::to_string() const {
  std::string text(text_size, '\0');
  write(text.data());
  return text;
}

std::size_t uuid_hash::operator()(uuid const& id) const noexcept {
  std::size_t h;
  std::memcpy(&h, id.bytes.data() + 8, sizeof h);  // the random half of version 7
  return h;
}

}  // namespace svc
