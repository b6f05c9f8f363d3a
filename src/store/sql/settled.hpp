#pragma once

#include "svc/core/result.hpp"
#include "svc/postgres/pool.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

namespace svc::store {

/// The SQLSTATE that `assert_writer` (schema V007, V008) and `assert_session` (V064) raise; the message is the error
/// code.
inline constexpr std::string_view writer_refused = "SV401";

/// The errc for a code that `writer_refusal` or `session_refusal` returns; invalid_token for an unknown one.
inline errc refusal_named(std::string_view code) {
  static constexpr std::array<std::pair<std::string_view, errc>, 16> codes{{
      {"token_revoked", errc::token_revoked},
      {"secret_rotated", errc::secret_rotated},
      {"token_disabled", errc::token_disabled},
      {"token_expired", errc::token_expired},
      {"owner_disabled", errc::owner_disabled},
      {"owner_removed", errc::owner_removed},
      {"owner_without_role", errc::owner_without_role},
      {"project_archived", errc::project_archived},
      {"permission_denied", errc::permission_denied},
      {"session_invalid", errc::session_invalid},
      {"session_expired", errc::session_expired},
      {"session_ended", errc::session_ended},
      {"session_rotated", errc::session_rotated},
      {"project_not_found", errc::project_not_found},
      {"not_found", errc::not_found},
      {"policy_not_met", errc::policy_not_met},
  }};
  auto const found = std::ranges::find(codes, code, &std::pair<std::string_view, errc>::first);
  return found == codes.end() ? errc::invalid_token : found->second;
}

/// Throws for an error that input cannot cause: `write_refused` if the writer has lost the right to write;
/// `unavailable` if the server ended the transaction to break a deadlock or because it could not be serialized, so
/// that it may be retried. Any other error is a bug.
[[noreturn]] inline void reject(postgres::server_error const& failure) {
  if (failure.sqlstate == writer_refused) throw write_refused(refusal_named(failure.message));
  if (failure.serialization_failure()) throw unavailable("PostgreSQL ended the transaction");
  postgres::throw_exception_from_error(failure, BOOST_CURRENT_LOCATION);
}

/// The result of statements that input cannot make fail; throws as `reject` does.
template <class T>
T settled(postgres::outcome<T> done) {
  if (!done) reject(done.error());
  return std::move(done).value();
}

/// Column 0 of each row.
inline std::vector<uuid> read_ids(postgres::rows const& found) {
  std::vector<uuid> out;
  out.reserve(static_cast<std::size_t>(found.size()));
  for (int i = 0; i < found.size(); ++i) out.push_back(found[i].id(0));
  return out;
}

}  // namespace svc::store
