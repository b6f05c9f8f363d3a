#pragma once

#include "support/decisions.hpp"
#include "support/token_register.hpp"

#include <chrono>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace svc::test {

/// One request of a client; status 0 means no answer.
struct asked_request {
  std::chrono::steady_clock::time_point start{}, end{};
  int status = 0;
};

/// All requests and answers of the clients of a rig.
struct load_records {
  std::vector<std::vector<asked_request>> good{};        ///< uses of a good token, by client
  std::map<int, revocation> ended{};                     ///< tokens whose revocation was answered
  std::vector<token_use> doomed{};                       ///< uses of those tokens
  std::map<std::string, std::set<std::string>> keyed{};  ///< idempotency key -> runs in its answers
  std::vector<asked_request> triggers{}, limited{},
      completions{};  ///< runs with a key; uses of a trigger key with a limit; completions of runners
  int open = 0;       ///< keys and revocations not acknowledged when all was well again
};

/// The final contents of the stores.
struct stored_facts {
  std::set<std::string> keyed_runs{};  ///< runs of the job that only keys trigger
  std::vector<decision> limited{};     ///< decisions about the trigger key with a limit
  int attempts = 0;                    ///< claims of runs beyond the first
};

/// The effect of a fault on clients: a row of the table.
struct figures {
  int requests = 0, good = 0;
  std::map<int, int> failures{};  ///< by status, over all requests except 429 of the limited key; 0: no answer
  int refused_good = 0;  ///< 401 for the good token, or for another one before the request for its revocation
  std::chrono::milliseconds longest_gap{};  ///< between two successes of one client
  int late_uses = 0;                        ///< uses of tokens whose revocation was answered
  std::chrono::milliseconds latest_use{};   ///< longest time from that answer to the start of the last such use
  int revoked = 0;
  int limit = 0, most_admitted = 0;                ///< limit of the limited key; most admitted in one window
  int acknowledged = 0, lost = 0, duplicated = 0;  ///< runs
  int attempts = 0;
  int open = 0;  ///< as in `load_records`
};

/// The limits of a row.
struct promises {
  /// Uses of a dead token. The design leaves two windows: 2 s after Redis lost its confirmed data, 33 s if Redis is
  /// split in two.
  std::chrono::milliseconds late{};
  int windows = 2;  ///< admitted in one window: this many times the limit, plus one limit for each instance
};

figures evaluate(load_records const& records, stored_facts const& stored);

/// Returns the broken promises, one sentence each; empty if none was broken.
std::string broken(figures const& figures, promises const& allowed, int instances);

/// Return a line of the Markdown table, and its head.
std::string row_of(std::string const& fault, figures const& figures, std::chrono::milliseconds normal_after);
std::string head_of_table();

}  // namespace svc::test
