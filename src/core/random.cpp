#include "svc/core/random.hpp"

#include <openssl/rand.h>

#include <random>
#include <stdexcept>

namespace svc {

void random_bytes(std::span<std::uint8_t> out) {
  if (RAND_bytes(out.data(), static_cast<int>(out.size())) != 1) throw std::runtime_error("the CSPRNG failed");
}

std::string random_alphanumeric(std::size_t length) {
  static constexpr char alphabet[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  std::string text;
  text.reserve(length);
  std::array<std::uint8_t, 64> pool;
  while (text.size() < length) {
    random_bytes(pool);
    for (std::uint8_t b : pool) {
      // 248 = 4 * 62: bytes above would favour the first characters.
      if (b < 248 && text.size() < length) text += alphabet[b % 62];
    }
  }
  return text;
}

double random_fraction() {
  thread_local std::mt19937_64 engine{std::random_device{}()};
  return std::uniform_real_distribution<double>(0.0, 1.0)(engine);
}

}  // namespace svc
