#pragma once

#include "svc/core/secret.hpp"

#include <optional>
#include <string>
#include <vector>

namespace svc::cli {

/// Tokens that `svc login` stored, one for each address of a service, in `$XDG_CONFIG_HOME/svc/credentials.json`
/// (mode 0600 in a directory of 0700). Written to a temporary file, flushed, and renamed under a lock, so that two
/// logins at one moment lose nothing. A file that others may read, or of another owner, is refused with the advice to
/// revoke.
class credential_file {
 public:
  credential_file();  ///< at the user's place
  explicit credential_file(std::string path) : path_(std::move(path)) {}

  std::string const& path() const { return path_; }
  std::optional<secret_string> find(std::string const& base_url) const;
  void store(std::string const& base_url, secret_string const& token) const;
  /// Whether there was one.
  bool erase(std::string const& base_url) const;
  std::vector<std::string> addresses() const;

 private:
  std::string path_;
};

}  // namespace svc::cli
