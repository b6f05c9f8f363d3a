#pragma once

#include "support/fleet.hpp"

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

// What the runs of a campaign told: an alert for each run that should have one, judged from what the database noted.

namespace svc::test {

/// `alertConfig` of a job whose alerts are all wanted.
struct told_thresholds {
  int failures = 1, passes = 1;
};

/// Everything that is known about alerts of jobs.
struct told_run_facts {
  struct counted {
    std::string job, run, status;
  };
  std::map<std::string, told_thresholds> jobs{};
  std::map<std::string, std::string> ended{};  ///< status of each ended run
  std::vector<counted> in_order{};             ///< as runs were counted, of each job in its order
  /// Run and type, as often as there are such alerts.
  std::multiset<std::pair<std::string, std::string>> alerts{};
};

struct told_run_verdict {
  std::map<std::string, std::set<std::string>> broken{};  ///< promises, each with the runs that show it
  std::map<std::string, int> told{};                      ///< by type
  std::string text() const;
};

/// Each run that ended and was not cancelled counts once, and has the alerts that the definition of `alertConfig`
/// gives it in that order, each once. Written without the service's own rules.
told_run_verdict judge(told_run_facts const& facts);

/// Makes a provider that takes everything, `alertConfig` of these jobs, and a trigger that notes which runs are
/// counted.
void tell_runs(fleet& fleet, api_client& client, std::string const& webhook,
               std::map<std::string, told_thresholds> const& jobs);
/// Waits until nothing is left to count. Throws if that takes too long.
told_run_facts read_told_runs(fleet& fleet, std::map<std::string, told_thresholds> const& jobs);

}  // namespace svc::test
