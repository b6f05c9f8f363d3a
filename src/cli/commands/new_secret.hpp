#pragma once

#include "cli/commands/context.hpp"
#include "cli/commands/secret_store.hpp"
#include "cli/console/show.hpp"

#include <span>
#include <string>
#include <string_view>

namespace svc::cli {

/// What tokens and trigger keys have alike: both are credentials whose secret an answer shows once.
struct credential_kind {
  std::string_view word;    ///< in sentences: "token", "trigger key"
  std::string_view member;  ///< of the answers that hold it: "token", "triggerKey"
  std::span<column const> details{};
};

/// Their columns in a list.
inline constexpr column credential_row[] = {{"ID", "id", cell::id, 9},
                                            {"Name", "name"},
                                            {"Begins", "start", cell::text, 3},
                                            {"Enabled", "enabled", cell::boolean, 1},
                                            {"Expires", "expiresAt", cell::time},
                                            {"Last used", "lastUsedAt", cell::time, 2},
                                            {"By", "createdBy.name", cell::text, 4}};

/// Where a new secret goes: to a store, alone to stdout, or beside what else there is to say.
struct secret_options {
  secret_store store;
  bool alone = false;
};

/// Declares `--write-to`, `--exec` and `--secret-only`.
void add_secret_options(CLI::App& app, secret_options& given);
/// Before a secret is made: whether it would reach anybody. Throws `failure` (usage).
void check_secret_options(console const& console, secret_options const& given);

/// An answer that holds a new secret, which leaves it by `take`.
class secret_answer {
 public:
  /// Throws `failure` (unreachable) when there is none in it.
  secret_answer(std::string_view answer, credential_kind const& kind);

  secret_string const& secret() const { return secret_; }
  std::string text(std::string_view dotted) const;  ///< a member of the credential; `-` if there is none
  /// In the chosen format, with its secret unless that has been `stored`.
  void show(console& console, secret_options const& given, bool stored) const;

 private:
  credential_kind const& kind_;
  boost::json::value whole_;  ///< an object
  secret_string secret_;
};

/// Creates a credential and hands over its secret. If that cannot be stored, the credential is revoked again, because
/// nobody could ever use it.
exit_code create_credential(context& cx, credential_kind const& kind, request const& creation,
                            secret_options const& given);

}  // namespace svc::cli
