#pragma once

#include "svc/core/bytes.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/sealer.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc {

/// The operator's master keys: the first one wraps data keys, all of them unwrap. During a rotation the file
/// holds both keys. Worker-local. The object reads the file again if a key is missing and before it makes a
/// data key, so that a new file takes effect without a restart. If the file is unusable, the earlier keys
/// stay.
class master_keys {
 public:
  /// Reads one line of 64 hex characters for each key, the current key first, or the 32 raw bytes of one key.
  /// Throws; the message names the file and never quotes its content.
  static master_keys from_file(std::string path);
  /// Keys that never change.
  explicit master_keys(std::vector<sealer> keys) : keys_(std::move(keys)) {}

  sealer const& current() const { return keys_.front(); }
  std::vector<std::string> ids() const;

  /// Wraps a fresh data key with the current key of the file as it is now.
  sealer::data_key make_data_key(std::string_view aad);
  /// Unwraps with the key of this id. Returns `std::nullopt` if the file does not hold the key, or the bytes
  /// were changed or moved.
  std::optional<secret_bytes> unwrap(std::string_view id, byte_view wrapped, std::string_view aad);
  /// Returns the key of this id, or null if the file does not hold it. Valid until the next call.
  sealer const* key_of(std::string_view id);

 private:
  sealer const* find(std::string_view id) const;
  void read_again();

  std::string path_{};
  std::vector<sealer> keys_;
  steady::time_point next_look_{};  ///< a missing key must not make every request read the file
};

}  // namespace svc
