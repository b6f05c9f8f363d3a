#pragma once

#include "cli/commands/new_secret.hpp"

#include <cstdint>
#include <optional>

namespace svc::cli {

/// The command line's options of a rotation.
struct rotation_options {
  secret_options secret;
  std::string grace, expires_in;  ///< durations; empty: not given
  std::string end_previous;       ///< `grace` or `first_use`; empty: not given
};

/// Declares the options. `confirmed` is true if the command itself uses the new secret once it is stored.
void add_rotation_options(CLI::App& app, rotation_options& given, bool confirmed);

/// Gives a credential a new secret, which works in addition to the old one until the old one expires. The first use
/// of a stored new secret ends the old one. For a printed new secret, the old one keeps its grace period.
struct rotation {
  std::string target;  ///< `/api/cli-tokens/ID`
  credential_kind const& kind;
  rotation_options const& given;
  /// True for the token of `svc login` at this address, whose file gets the new secret too.
  bool is_login = false;
  /// True if a first use has no other effect. This applies to a token, but not to a trigger key, which can only start
  /// a run.
  bool can_confirm = false;
};

/// Checks that the store can take a secret, then asks for a new one, stores it and uses it. The old secret keeps
/// working after any failure; the failure says for how long, and how to continue.
exit_code rotate(context& cx, rotation const& rotation);

}  // namespace svc::cli
