#pragma once

#include "support/decisions.hpp"
#include "support/token_register.hpp"

#include <chrono>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace svc::test {

/// One request of a client; status 0: no answer.
struct asked_request {
  std::chrono::steady_clock::time_point start{}, end{};
  int status = 0;
};

/// Everything that clients of a rig did and were told.
struct load_records {
  std::vector<std::vector<asked_request>> good{};        ///< uses of a good token, by client
  std::map<int, revocation> ended{};                     ///< tokens whose revocation was answered
  std::vector<token_use> doomed{};                       ///< uses of those tokens
  std::map<std::string, std::set<std::string>> keyed{};  ///< idempotency key -> runs that answered it
  std::vector<asked_request> triggers{}, limited{},
      completions{};  ///< with a key; of a trigger key with a limit; of runners
  int open = 0;       ///< keys and revocations that were still not acknowledged when all was well again
};

/// What the stores hold in the end.
struct stored_facts {
  std::set<std::string> keyed_runs{};  ///< of the job that only keys trigger
  std::vector<decision> limited{};     ///< about the trigger key with a limit
  int attempts = 0;                    ///< claims of runs beyond the first
};

/// What a fault did to clients: a row of the table.
struct figures {
  int requests = 0, good = 0;
  std::map<int, int> failures{};  ///< by status, of all requests; 0: no answer; 429 of the limited key aside
  int refused_good = 0;           ///< 401 for the good token, or for another one before its revocation was asked for
  std::chrono::milliseconds longest_gap{};  ///< between two successes of one client
  int late_uses = 0;                        ///< of tokens whose revocation was answered
  std::chrono::milliseconds latest_use{};   ///< how long after the answer the last of these began
  int revoked = 0;
  int limit = 0, most_admitted = 0;                ///< of the limited key; in one window
  int acknowledged = 0, lost = 0, duplicated = 0;  ///< runs
  int attempts = 0;
  int open = 0;  ///< as in `load_records`
};

/// What the row must not exceed.
struct promises {
  /// Uses of a dead token; two windows are left by the design: 2 s after Redis lost what it had confirmed, 33 s when
  /// Redis is split in two.
  std::chrono::milliseconds late{};
  int windows = 2;  ///< times the limit in one window, plus one for each instance
};

figures judge(load_records const& records, stored_facts const& stored);

/// What was broken, one sentence each; empty when nothing was.
std::string broken(figures const& figures, promises const& allowed, int instances);

/// A line of the Markdown table, and its head.
std::string row_of(std::string const& fault, figures const& figures, std::chrono::milliseconds normal_after);
std::string head_of_table();

}  // namespace svc::test
