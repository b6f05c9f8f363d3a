#pragma once

#include "campaign/record.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace svc::test {

/// One change of a run's row, as a trigger in the database wrote it, in the order in which they were made.
struct transition {
  std::string run{}, from{}, to{};  ///< statuses
  std::int64_t attempt = 0, lost = 0;
  std::string held{}, holds{};  ///< claim ids before and behind it; empty: none
  std::string completed{};      ///< when the run ended; empty: it has not
};

/// A run when all is over.
struct last_state {
  std::string run{}, status{}, claim{}, completed{};
  std::int64_t attempt = 0, lost = 0;
  std::string output{};          ///< as a user reads it
  int ends_in_stream = 0;        ///< events that tell the end, in Redis or, where it has none, to a viewer
  std::string last_in_stream{};  ///< the status that the last event tells; empty: it is not an end
};

/// All that is known of a campaign.
struct campaign_facts {
  std::int64_t retries = 1;              ///< as configured
  std::set<std::string> acknowledged{};  ///< runs that a client was told of
  std::set<std::string> cancels{};       ///< runs whose cancellation was asked for
  std::set<std::string> limited{};       ///< runs of a job with a limit
  std::int64_t limit = 0;                ///< of that job
  std::vector<transition> history{};
  std::vector<last_state> rows{};
  std::vector<deed> deeds{};
  /// Of runs that were claimed: how many streams Redis has no more, and how many have no end there.
  int streams_gone = 0, streams_without_end = 0;
};

struct campaign_verdict {
  /// What was promised and not kept, each with the runs that show it.
  std::map<std::string, std::set<std::string>> broken{};
  // What the campaign was about; one without these has shown nothing.
  int claims = 0, answers_lost = 0, claims_lost = 0, handed_back = 0, stale_refused = 0;
  std::map<std::string, int> ends{};  ///< by status

  std::string text() const;
};

/// Each run ends once, none is lost, no stale claim's end or output counts, attempts are the claims. Exact: what was
/// asked for and not answered may have been done or not, everything else has one right outcome.
campaign_verdict judge(campaign_facts const& of);

/// All that is known of one run, to see what went wrong.
std::string story_of(campaign_facts const& facts, std::string const& run);

}  // namespace svc::test
