#pragma once

namespace svc::auth {

/// Statements a second by which one worker may read tokens from PostgreSQL. One statement reads up to 500 tokens.
struct read_rates {
  double unseen = 50;   ///< for tokens that nobody has seen good within the last hour
  double seen = 2'000;  ///< for all others
};

}  // namespace svc::auth
