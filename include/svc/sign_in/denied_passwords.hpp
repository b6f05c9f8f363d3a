#pragma once

#include <string>
#include <string_view>

namespace svc::sign_in {

/// The operator's file of passwords that nobody may set, for example all that haveibeenpwned.com knows from leaks:
/// one line for each, sorted, with 40 hexadecimal digits of SHA-1 in either case, then perhaps `:` and a count. The
/// file may be larger than the memory: a search reads about 35 small pieces of it.
///
/// Reads the disk, so call it only on threads that may wait. The file is opened for each search, so that a replaced
/// one takes effect at once. Thread-safe, because nothing changes after the construction.
class denied_passwords {
 public:
  /// Empty path: nothing is denied.
  explicit denied_passwords(std::string path) : path_(std::move(path)) {}

  /// Throws `unavailable` if the file cannot be read or is not as above: then nobody can set a password, because the
  /// operator wants each one compared.
  bool contains(std::string_view password) const;

  /// Compares lines of the whole file, at most a thousand of them. Throws `std::runtime_error` with the reason if the
  /// file is not usable.
  void check() const;

 private:
  std::string path_;
};

}  // namespace svc::sign_in
