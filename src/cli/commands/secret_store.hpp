#pragma once

#include "cli/http/client.hpp"
#include "svc/core/secret.hpp"

#include <string>

namespace CLI {
class App;
}

namespace svc::cli {

/// The destination of a new secret that is not printed. The secret is written without a line end.
struct secret_store {
  std::string file{};     ///< replaced as a whole, mode 0600; empty: none
  std::string command{};  ///< run by /bin/sh; reads it from stdin, never finds it in arguments or environment

  bool given() const { return !file.empty() || !command.empty(); }
};

/// Declares `--write-to` and `--exec`.
void add_store_options(CLI::App& app, secret_store& store);

/// Looks, before a secret is made, whether it could be stored: the file's directory, and that no link of another user
/// leads to the file. Throws `failure` (usage).
void check_store(secret_store const& store);

/// Returns when the file is on the disk, or the command has ended with 0. The command's output goes to stderr. Ends
/// the command at the deadline or at an interruption. Throws `failure` (`not_stored`), whose sentence never holds the
/// secret.
void put_into(secret_store const& store, secret_string const& secret, total_deadline const& until);

}  // namespace svc::cli
