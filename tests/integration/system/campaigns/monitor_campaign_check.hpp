#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace svc::test {

/// A period in which a target answered badly; it lasted until its monitor was down. Seconds since 1970.
struct target_fall {
  std::string monitor{};
  double first = 0, until = 0;
};

struct found_outage {
  std::string id{}, monitor{};
  double began = 0, detected = 0;
  bool ended = false;
};

/// An alert's row after the end of the campaign.
struct written_alert {
  std::string outage{}, type{}, provider{}, status{};
};

/// The messages that a receiver got, in its order. `id` is the message's, the same in each attempt.
struct received_message {
  std::string id{}, type{}, monitor{}, outage{};
  bool taken = false;  ///< answered with 204, as far as the receiver knows
};

/// A counted result: slot and monitor, in the order of commits.
struct counted_slot {
  std::string monitor{};
  long long slot = 0;
};

struct monitor_campaign_facts {
  std::vector<target_fall> falls{};
  std::vector<found_outage> outages{};
  std::vector<written_alert> alerts{};
  std::map<std::string, std::vector<std::string>> providers_of{};   ///< by monitor
  std::map<std::string, std::vector<received_message>> received{};  ///< by provider
  std::vector<counted_slot> slots{};
  std::set<std::string> silenced{};   ///< monitors in a window that lasts as long as the campaign
  std::set<std::string> sometimes{};  ///< monitors with parents or other windows, whose failures may be suppressed
};

/// Returns the broken promises, each with the monitors that show it. Each fall is one outage, and there is no other
/// outage. Each outage is one failure and one recovery for each provider, all sent. Each receiver gets down and up in
/// turn, and a repetition has its message's id. No message is repeated after a known acceptance, and no slot counts
/// twice. A failure may be suppressed only for a monitor of `silenced` or `sometimes`; for the former it must be. A
/// suppressed failure has no recovery, and nobody receives a message about its outage.
std::map<std::string, std::vector<std::string>> broken_promises(monitor_campaign_facts const& facts);

}  // namespace svc::test
