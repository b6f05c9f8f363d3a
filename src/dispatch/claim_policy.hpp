#pragma once

#include "svc/dispatch/hub.hpp"
#include "svc/domain/runner.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace svc::dispatch {

// What the dispatcher decides about waiting claims and unsent news: values in, values out.

/// What a decision needs to know of one waiting claim.
struct claim_view {
  runner_scope const& scope;
  std::vector<std::string> const& labels;
  std::int64_t most;                       ///< runs that it can take
  bool woken;                              ///< and has not looked at the queue yet
  std::optional<queued_work> const& told;  ///< what it was woken for; nothing: to have a look
};

/// How many of the `left` runs to tell the claim of; 0 when the work is not for it, or when it was woken for no work
/// in particular or for another project's and is about to look at the queue anyway.
std::int64_t runs_for(claim_view const& claim, queued_work const& work, std::int64_t left);

/// What the claim is told of when it is given `count` runs of this work, together with what it was told of before.
queued_work told_with(claim_view const& claim, queued_work const& work, std::int64_t count);

/// News that waits to be sent on; work of the same project and type goes out as one.
class unsent_news {
 public:
  void add(dispatch_news news);
  bool empty() const { return news_.empty(); }
  /// All of it, in the order in which it came.
  std::vector<dispatch_news> take();

 private:
  std::vector<dispatch_news> news_{};
  std::map<std::pair<uuid, std::string>, std::size_t> works_{};  ///< places in `news_`, by project and type
};

}  // namespace svc::dispatch
