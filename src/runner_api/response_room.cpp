// Charges responses to runners to the account of responses. A runner's token counts as a user.
#include "svc/api/response_account.hpp"
#include "svc/core/account.hpp"
#include "svc/runner_api/runner_api.hpp"

namespace svc::runner_api {
namespace {

account_owner response_owner_of(runner_scope const& scope) {
  return {.project = scope.token, .organisation = scope.organization};
}

account_decision decide_about_more(call const& c) {
  return c.use.responses.decide_for(response_owner_of(c.scope), api::least_charged, false);
}

/// A response that is charged in any case, without a decision of the account. The account outlives it.
struct charged_response {
  charged_response(account& account, account_owner const& owner, std::size_t size)
      : source(account), owner(owner), size(size) {
    account.charge(owner, size);
  }
  charged_response(charged_response const&) = delete;
  charged_response& operator=(charged_response const&) = delete;
  ~charged_response() { source.release(owner, size); }

  account& source;
  account_owner owner;
  std::size_t size;
};

}  // namespace

std::optional<std::shared_ptr<void const>> call::hold_response(std::size_t size) const {
  if (size < api::least_charged) return nullptr;
  auto const owner = response_owner_of(scope);
  bool const first =
      use.responses.sums_of(owner).project == 0 && decide_about_more(*this) == account_decision::granted;
  if (first) return std::make_shared<charged_response>(use.responses, owner, size);
  auto const share = std::make_shared<account_share>(use.responses, owner);
  if (!share->hold(size)) return std::nullopt;
  return share;
}

bool call::responses_exhausted() const {
  return decide_about_more(*this) == account_decision::project_exhausted;
}

}  // namespace svc::runner_api
