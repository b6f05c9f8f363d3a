#pragma once

#include "cli/commands/context.hpp"
#include "cli/commands/secret_store.hpp"
#include "cli/console/show.hpp"

#include <span>
#include <string>
#include <string_view>

namespace svc::cli {

/// The common properties of tokens and trigger keys: both are credentials whose secret an answer shows once.
struct credential_kind {
  std::string_view word;    ///< in sentences: "token", "trigger key"
  std::string_view member;  ///< of the answers that hold it: "token", "triggerKey"
  std::span<column const> details{};
};

/// The columns of credentials in a list.
inline constexpr column credential_row[] = {{"ID", "id", cell::id, 1},
                                            {"Name", "name"},
                                            {"Begins", "start", cell::text, 4},
                                            {"Enabled", "enabled", cell::boolean, 2},
                                            {"Expires", "expiresAt", cell::time},
                                            {"Last used", "lastUsedAt", cell::time, 3},
                                            {"By", "createdBy.name", cell::text, 5}};

/// The destination of a new secret: a store, stdout with only the secret, or stdout with the whole answer.
struct secret_options {
  secret_store store;
  bool alone = false;
};

/// Declares `--write-to`, `--exec` and `--secret-only`.
void add_secret_options(CLI::App& app, secret_options& given);
/// Checks, before a secret is made, that it has a destination. Throws `failure` (usage).
void check_secret_options(console const& console, secret_options const& given);

/// An answer that holds a new secret; `secret` returns it.
class secret_answer {
 public:
  /// Throws `failure` (unreachable) when the answer has no secret.
  secret_answer(std::string_view answer, credential_kind const& kind);

  secret_string const& secret() const { return secret_; }
  std::string text(std::string_view dotted) const;  ///< a member of the credential, or `-`
  /// Leaves out the old secret, which has ended since the answer.
  void end_previous();
  /// Prints the answer in the chosen format, with its secret unless the secret has been `stored`.
  void show(console& console, secret_options const& given, bool stored) const;

 private:
  credential_kind const& kind_;
  boost::json::value whole_;  ///< an object
  secret_string secret_;
};

/// Creates a credential and delivers its secret. If the secret cannot be stored, the function revokes the credential,
/// because no one could ever use it.
exit_code create_credential(context& cx, credential_kind const& kind, request const& creation,
                            secret_options const& given);

}  // namespace svc::cli
