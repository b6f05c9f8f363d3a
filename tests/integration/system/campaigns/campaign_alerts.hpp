#pragma once

#include "support/fleet.hpp"

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

// The alerts of a campaign's runs. Each run that should have an alert has it, judged from the database's notes.

namespace svc::test {

/// `alertConfig` of a job with all alerts enabled.
struct alert_thresholds {
  int failures = 1, passes = 1;
};

/// All known facts about alerts of jobs.
struct run_alert_facts {
  struct counted {
    std::string job, run, status;
  };
  std::map<std::string, alert_thresholds> jobs{};
  std::map<std::string, std::string> ended{};  ///< status of each ended run
  std::vector<counted> in_order{};             ///< runs as they were counted, for each job in its order
  /// Run and type of each alert.
  std::multiset<std::pair<std::string, std::string>> alerts{};
};

struct run_alert_verdict {
  std::map<std::string, std::set<std::string>> broken{};  ///< promises, each with the runs that show it
  std::map<std::string, int> reported{};                  ///< by type
  std::string text() const;
};

/// Checks that each run that ended and was not cancelled counts once. Each such run must have the alerts that the
/// definition of `alertConfig` gives it in that order, each once. Written without the service's own rules.
run_alert_verdict evaluate(run_alert_facts const& facts);

/// Makes a provider that accepts everything, `alertConfig` of these jobs, and a trigger that notes the counted runs.
void alerted_runs(fleet& fleet, api_client& client, std::string const& webhook,
                  std::map<std::string, alert_thresholds> const& jobs);
/// Waits until no run is left to count. Throws if that takes too long.
run_alert_facts read_alerted_runs(fleet& fleet, std::map<std::string, alert_thresholds> const& jobs);

}  // namespace svc::test
