#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace svc::test {

/// One use of a token, as its client saw it.
struct token_use {
  int token = 0;
  std::chrono::steady_clock::time_point start{}, end{};
  int status = 0;
};

/// The times at which a token's revocation was requested, and at which the answer had arrived.
struct revocation {
  std::chrono::steady_clock::time_point asked{}, answered{};
};

/// A token is a register with one write, its revocation. The permitted results of a use follow only from real time.
struct register_verdict {
  int accepted_after = 0;  ///< began after the answer and was let in: a broken promise
  int refused_before = 0;  ///< ended before the revocation was requested, and was refused
  int others = 0;          ///< neither let in nor refused: the run proves less than it seems to
  int before = 0;          ///< uses that had to be let in
  int during = 0;          ///< uses that could end either way
  int fewest_after = 0;    ///< uses that had to be refused, for the token with the fewest
};

inline register_verdict check_register(std::map<int, revocation> const& revoked, std::vector<token_use> const& uses) {
  register_verdict out;
  std::map<int, int> after;
  for (auto const& [token, when] : revoked) after[token] = 0;
  for (auto const& use : uses) {
    auto const& when = revoked.at(use.token);
    bool const let_in = use.status == 200;
    if (!let_in && use.status != 401) ++out.others;
    if (use.start >= when.answered) {
      ++after[use.token];
      if (let_in) ++out.accepted_after;
    } else if (use.end <= when.asked) {
      ++out.before;
      if (!let_in) ++out.refused_before;
    } else {
      ++out.during;
    }
  }
  out.fewest_after = after.empty() ? 0 : after.begin()->second;
  for (auto const& [token, count] : after) out.fewest_after = std::min(out.fewest_after, count);
  return out;
}

}  // namespace svc::test
