#pragma once

#include "svc/core/secret.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace svc::cli {

/// Tokens that `svc login` stored, one for each address of a service (`base_url::text`), in
/// `$XDG_CONFIG_HOME/svc/credentials.json` (mode 0600 in a directory of 0700):
/// `{"credentials": {"https://ci.example.com": {"token": "..."}}}`. Written to a temporary file, flushed, and renamed
/// under a lock, so that two logins at one moment lose nothing. A file that others may read, or of another owner, is
/// refused with the advice to revoke; every function throws `failure` (usage) then. Immutable.
class credential_file {
 public:
  /// `directory`: `environment::config_directory`; empty if nothing can be stored.
  explicit credential_file(std::string const& directory);

  std::string const& path() const { return path_; }
  std::optional<secret_string> find(std::string const& address) const;
  void store(std::string const& address, secret_string const& token) const;
  /// Returns true if there was one.
  bool erase(std::string const& address) const;
  std::vector<std::string> addresses() const;

 private:
  std::string path_;
};

}  // namespace svc::cli
