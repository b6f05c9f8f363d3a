#pragma once

#include "svc/core/bytes.hpp"

#include <array>

namespace svc {

using sha256_digest = std::array<std::uint8_t, 32>;

/// Returns the digest by FIPS 180-4.
sha256_digest sha256(std::string_view text);

/// Returns a digest from its stored bytes; missing bytes are zero.
sha256_digest digest_of(byte_view stored);

/// Returns CRC-32/ISO-HDLC (the CRC of zip and Ethernet): crc32("123456789") == 0xCBF43926.
std::uint32_t crc32(std::string_view text);

/// Digests are uniform: their first bytes are the hash.
struct digest_hash {
  std::size_t operator()(sha256_digest const& d) const noexcept;
};

}  // namespace svc
