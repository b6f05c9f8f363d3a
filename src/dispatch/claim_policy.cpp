#include "dispatch/claim_policy.hpp"

#include <algorithm>

namespace svc::dispatch {
namespace {

bool fits(runner_scope const& scope, std::vector<std::string> const& labels, queued_work const& work) {
  return scope.organization == work.organization && (!scope.project || *scope.project == work.project) &&
         std::ranges::find(labels, work.job_type) != labels.end();
}

/// A claim that was woken for work of this project takes what comes now as well, as far as it has room.
bool takes_more(claim_view const& claim, queued_work const& work) {
  return claim.woken && claim.told && claim.told->project == work.project;
}

std::int64_t told_before(claim_view const& claim, queued_work const& work) {
  return takes_more(claim, work) ? claim.told->count : 0;
}

}  // namespace

std::int64_t runs_for(claim_view const& claim, queued_work const& work, std::int64_t left) {
  if ((claim.woken && !takes_more(claim, work)) || !fits(claim.scope, claim.labels, work)) return 0;
  return std::max<std::int64_t>(0, std::min(left, claim.most - told_before(claim, work)));
}

queued_work told_with(claim_view const& claim, queued_work const& work, std::int64_t count) {
  auto out = takes_more(claim, work) ? *claim.told : work;
  out.count = told_before(claim, work) + count;
  return out;
}

void add_unsent(std::vector<dispatch_news>& unsent, dispatch_news what) {
  auto const same = [&](dispatch_news const& one) {
    return what.work && one.work && one.work->project == what.work->project &&
           one.work->job_type == what.work->job_type;
  };
  if (auto const found = std::ranges::find_if(unsent, same); found != unsent.end())
    found->work->count += what.work->count;
  else
    unsent.push_back(std::move(what));
}

}  // namespace svc::dispatch
