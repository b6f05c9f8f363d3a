#pragma once

#include "svc/domain/runner.hpp"
#include "svc/live/dispatch/claim_hub.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace svc::dispatch {

// These functions decide about waiting claims and unsent news, from values to values.

/// The facts about one waiting claim that a decision needs.
struct claim_view {
  runner_scope const& scope;
  std::vector<std::string> const& labels;
  std::int64_t most;                          ///< the number of runs that it can take
  bool woken;                                 ///< true if it has not looked at the queue yet
  std::optional<queued_work> const& claimed;  ///< the work that it was woken for; empty: no particular work
};

/// Returns how many of the `left` runs the claim receives. Returns 0 when the work does not match the claim. Also
/// returns 0 when the claim was woken for no particular work or for another project's work, because it will look at
/// the queue anyway.
std::int64_t runs_for(claim_view const& claim, queued_work const& work, std::int64_t left);

/// Returns the claim's work after it received `count` runs of this work, together with its earlier work.
queued_work claimed_with(claim_view const& claim, queued_work const& work, std::int64_t count);

/// News that waits to be sent; work of the same project and type becomes one message.
class unsent_news {
 public:
  void add(dispatch_news news);
  bool empty() const { return news_.empty(); }
  /// Removes and returns all news, in the order of arrival.
  std::vector<dispatch_news> take();

 private:
  std::vector<dispatch_news> news_{};
  std::map<std::pair<uuid, std::string>, std::size_t> works_{};  ///< positions in `news_`, by project and type
};

}  // namespace svc::dispatch
