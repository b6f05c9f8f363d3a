#pragma once

#include "svc/core/hash.hpp"
#include "svc/core/result.hpp"
#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/token.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::store {

struct csv_row {
  int line = 0;  ///< number of its first line in the file, from 1
  std::vector<std::string> fields{};
};

/// Parses RFC 4180 CSV with LF or CRLF; skips empty lines and a byte order mark. Fails on a misplaced or unclosed
/// quote, naming the line.
result<std::vector<csv_row>> parse_csv(std::string_view text);

/// One row of a file of hashed tokens. Project, job and owner are not looked up yet. A value.
struct import_line {
  int number = 0;  ///< of the row's first line in the file, from 1
  token_kind kind = token_kind::cli;
  std::string name;
  sha256_digest digest{};
  std::string start;
  std::string project;  ///< id or organization-slug/project-slug
  std::optional<uuid> job{};
  std::string owner;  ///< id or e-mail address
  bool enabled = true;
  std::optional<timestamp> expires_at{};
};

/// Parses CSV (RFC 4180, UTF-8). The header has the columns kind, name, digest, start, project, job, owner, enabled
/// and expires_at in any order. `digest` is the SHA-256 of the token as 64 lower-case hex characters or 43 of
/// base64url; `enabled` and `expires_at` may be empty. Accepts any bytes: the result is either rows, or
/// `validation_failed` with details that name each bad line (at most 20) as `line N`.
result<std::vector<import_line>> parse_token_csv(std::string_view text);

}  // namespace svc::store
