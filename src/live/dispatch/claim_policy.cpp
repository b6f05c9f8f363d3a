#include "live/dispatch/claim_policy.hpp"

#include <algorithm>

namespace svc::dispatch {
namespace {

bool fits(runner_scope const& scope, std::vector<std::string> const& labels, queued_work const& work) {
  return scope.organization == work.organization && (!scope.project || *scope.project == work.project) &&
         std::ranges::find(labels, work.job_type) != labels.end();
}

/// Returns true if the claim was woken for work of the same project, because it can then take more of it.
bool takes_more(claim_view const& claim, queued_work const& work) {
  return claim.woken && claim.claimed && claim.claimed->project == work.project;
}

std::int64_t claimed_before(claim_view const& claim, queued_work const& work) {
  return takes_more(claim, work) ? claim.claimed->count : 0;
}

}  // namespace

std::int64_t runs_for(claim_view const& claim, queued_work const& work, std::int64_t left) {
  if ((claim.woken && !takes_more(claim, work)) || !fits(claim.scope, claim.labels, work)) return 0;
  return std::max<std::int64_t>(0, std::min(left, claim.most - claimed_before(claim, work)));
}

queued_work claimed_with(claim_view const& claim, queued_work const& work, std::int64_t count) {
  auto out = takes_more(claim, work) ? *claim.claimed : work;
  out.count = claimed_before(claim, work) + count;
  return out;
}

void unsent_news::add(dispatch_news news) {
  if (news.work) {
    auto const [known, added] = works_.try_emplace({news.work->project, news.work->job_type}, news_.size());
    if (!added) {
      news_[known->second].work->count += news.work->count;
      return;
    }
  }
  news_.push_back(std::move(news));
}

std::vector<dispatch_news> unsent_news::take() {
  works_.clear();
  return std::exchange(news_, {});
}

}  // namespace svc::dispatch
