// Cookies whose content only the service reads and writes. The browser keeps it, so that no store has to.
#pragma once

#include "svc/core/hash.hpp"
#include "svc/core/master_keys.hpp"
#include "svc/core/secret.hpp"
#include "svc/core/time.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::sign_in {

/// The lives of the two sealed cookies.
inline constexpr std::chrono::hours device_life{365 * 24};
inline constexpr std::chrono::minutes flow_life{10};

/// Seals and opens the values of cookies: AES-256-GCM under a key that HKDF derives from the master key. The name of
/// the cookie and its expiry are authenticated with the content. Values are base64url: 60 characters more than four
/// thirds of the content. Worker-local, as the master keys are; these outlive it.
class cookie_sealer {
 public:
  /// Browsers keep cookies of 4096 bytes with name and attributes.
  static constexpr std::size_t longest_content = 2800;
  static constexpr std::size_t longest_value = 3900;

  explicit cookie_sealer(master_keys& keys) : keys_(keys) {}

  /// Seals with the first master key. Throws `std::invalid_argument` if the content is too long.
  std::string seal(std::string_view cookie, std::string_view content, timestamp expires) const;
  /// Opens with the master key that sealed the value, whichever key of the file that is. Returns `std::nullopt` if
  /// that key is gone, the value was changed, it belongs to a cookie of another name, or it has expired. Total.
  std::optional<secret_string> open(std::string_view cookie, std::string_view value, timestamp now) const;

 private:
  master_keys& keys_;
};

/// The content of the device cookie: which accounts have signed in with this browser. Their attempts count in a
/// window of the device, so that nobody can lock an owner out by guessing. A value.
class device_content {
 public:
  /// Older accounts of a browser are forgotten.
  static constexpr std::size_t most_accounts = 8;

  /// A device with a new random id, without accounts.
  static device_content generate();
  /// Reads what `write` wrote; `std::nullopt` for other bytes. Total.
  static std::optional<device_content> read(std::string_view content);
  std::string write() const;

  /// `email` is the digest of a normalised address (`email_digest`).
  bool knows(sha256_digest const& email) const;
  /// Makes the account the newest one of the device.
  void add(sha256_digest const& email);

  /// Returns the subject of the window of this account and device: 32 hex characters.
  std::string window_subject(sha256_digest const& email) const;

  friend bool operator==(device_content const&, device_content const&) = default;

 private:
  using id_bytes = std::array<std::uint8_t, 16>;

  id_bytes id_{};
  std::vector<id_bytes> accounts_{};  ///< the first half of each digest, the newest first
};

/// Returns the subject of the window in which an attempt at the password of an account counts: one of the device if
/// this browser has signed in to the account before, otherwise one that all other browsers share.
std::string attempt_subject(std::optional<device_content> const& device, sha256_digest const& email);

}  // namespace svc::sign_in
