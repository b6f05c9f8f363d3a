#pragma once

#include "svc/core/bytes.hpp"
#include "svc/core/secret.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace svc {

/// Seals with AES-256-GCM (NIST SP 800-38D) and random 96-bit nonces: nonce, ciphertext and tag in one piece.
/// `aad` binds the piece to its storage location; `open_bytes` returns `std::nullopt` if a bit of either was
/// changed.
byte_vector seal_bytes(byte_view key, std::string_view plain, std::string_view aad);
std::optional<secret_string> open_bytes(byte_view key, byte_view sealed, std::string_view aad);

/// Returns a key of 32 bytes for one purpose: HKDF-SHA-256 (RFC 5869) of `key`, without salt.
secret_bytes derive_key(byte_view key, std::string_view purpose);

/// One master key of the operator, which wraps data keys of projects; `master_keys` holds them all. A value.
class sealer {
 public:
  /// `key` has 32 bytes. `id`, the first 16 hex characters of the key's SHA-256, is stored with each wrapped
  /// key.
  explicit sealer(secret_bytes key);

  std::string const& id() const { return id_; }
  /// A fresh random data key, plain and wrapped for storage.
  struct data_key {
    secret_bytes plain;
    byte_vector wrapped;
  };
  data_key make_data_key(std::string_view aad) const;
  /// Returns a data key wrapped for storage.
  byte_vector wrap(byte_view data_key, std::string_view aad) const;
  std::optional<secret_bytes> unwrap(byte_view wrapped, std::string_view aad) const;
  /// Returns a key for another purpose than wrapping. It reveals nothing about the master key.
  secret_bytes derived_key(std::string_view purpose) const { return derive_key(key_, purpose); }

 private:
  secret_bytes key_;
  std::string id_;
};

}  // namespace svc
