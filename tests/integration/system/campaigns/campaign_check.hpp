#pragma once

#include "integration/system/campaigns/runner/record.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace svc::test {

/// One change of a run's row, as recorded by a trigger in the database, in order.
struct transition {
  std::string run{}, source{}, out{};  ///< statuses
  std::int64_t attempt = 0, lost = 0;
  std::string held{}, holds{};  ///< claim ids before and after the change; empty: none
  std::string completed{};      ///< when the run ended; empty: it has not ended
};

/// A run after the end of the campaign.
struct last_state {
  std::string run{}, status{}, claim{}, completed{};
  std::int64_t attempt = 0, lost = 0;
  std::string output{};          ///< in the form that a user reads
  int ends_in_stream = 0;        ///< events that announce the end, in Redis or, when Redis has none, to a viewer
  std::string last_in_stream{};  ///< the status in the last event; empty: it is not an end
};

/// All known facts about a campaign.
struct campaign_facts {
  std::int64_t retries = 1;              ///< as configured
  std::set<std::string> acknowledged{};  ///< runs that were acknowledged to a client
  std::set<std::string> cancels{};       ///< runs whose cancellation was requested
  std::set<std::string> limited{};       ///< runs of a job with a limit
  std::int64_t limit = 0;                ///< of that job
  std::vector<transition> history{};
  std::vector<last_state> rows{};
  std::vector<deed> deeds{};
  /// For claimed runs: how many streams Redis no longer has, and how many have no end there.
  int streams_gone = 0, streams_without_end = 0;
};

struct campaign_verdict {
  /// Broken promises, each with the runs that show it.
  std::map<std::string, std::set<std::string>> broken{};
  // Events of the campaign. A campaign without them has shown nothing.
  int claims = 0, answers_lost = 0, claims_lost = 0, handed_back = 0, taken_back = 0, stale_refused = 0;
  std::map<std::string, int> ends{};  ///< by status

  std::string text() const;
};

/// Checks that each run ends once, no run is lost, no end or output of a stale claim counts, and attempts are the
/// claims. The check is exact. Requests without an answer may have been executed or not; everything else has one
/// right outcome.
campaign_verdict evaluate(campaign_facts const& facts);

/// Returns all known facts about one run, to find the cause of a failure.
std::string story_of(campaign_facts const& facts, std::string const& run);

}  // namespace svc::test
