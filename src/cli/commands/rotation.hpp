#pragma once

#include "cli/commands/new_secret.hpp"

#include <cstdint>
#include <optional>

namespace svc::cli {

/// What the command line says of a rotation.
struct rotation_options {
  secret_options secret;
  std::string grace, expires_in;  ///< durations; empty: not given
  std::string end_previous;       ///< `grace` or `first_use`; empty: not given
};

/// Declares them. `confirmed`: whether the command uses the new secret itself once it is stored.
void add_rotation_options(CLI::App& app, rotation_options& given, bool confirmed);

/// Gives a credential a new secret, which works beside the old one until that ends. Stored secrets end the old one by
/// their first use; printed ones leave it its grace.
struct rotation {
  std::string target;  ///< `/api/cli-tokens/ID`
  credential_kind const& kind;
  rotation_options const& given;
  /// The token of `svc login` at this address, whose file gets the new secret too.
  bool is_login = false;
  /// Whether a first use does nothing else: of a token, but not of a trigger key, which can only start a run.
  bool can_confirm = false;
};

/// In this order: looks whether the store can take a secret, asks for a new one, stores it, uses it. Whatever fails
/// leaves the old secret working, and the failure says for how long and how to go on.
exit_code rotate(context& cx, rotation const& rotation);

}  // namespace svc::cli
