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
  std::string output{};          ///< as a user reads it
  int ends_in_stream = 0;        ///< events that announce the end, in Redis or, when Redis has none, to a viewer
  std::string last_in_stream{};  ///< the status in the last event; empty: it is not an end
};

/// Everything that is known about a campaign.
struct campaign_facts {
  std::int64_t retries = 1;              ///< as configured
  std::set<std::string> acknowledged{};  ///< runs that a client was told of
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
  // What happened during the campaign; one without these has shown nothing.
  int claims = 0, answers_lost = 0, claims_lost = 0, handed_back = 0, taken_back = 0, stale_refused = 0;
  std::map<std::string, int> ends{};  ///< by status

  std::string text() const;
};

/// Each run ends once, none is lost, no end or output of a stale claim counts, attempts are the claims. Exact: what
/// was requested but not answered may have been done or not; everything else has one right outcome.
campaign_verdict judge(campaign_facts const& facts);

/// Everything that is known about one run, to find out what went wrong.
std::string story_of(campaign_facts const& facts, std::string const& run);

}  // namespace svc::test
