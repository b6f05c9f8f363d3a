#include "svc/api/response_account.hpp"

namespace svc::api {

account_terms response_terms(response_bytes const& most) {
  return {.name = "responses",
          .total = most.process,
          .project_share = most.user,
          .organisation_share = most.process / 2,
          .rule = share_rule::remainder,
          .owner_field = "user"};
}

account_owner response_owner(principal const* caller) {
  if (caller == nullptr) return {};
  return {.project = caller->owner_id, .organisation = caller->organization_id};
}

error no_response_room() {
  return {
      errc::overloaded,
      "The responses that this user's clients have not read yet already use all the memory allowed for them; read "
      "them or close their connections, and retry after the time in Retry-After."};
}

}  // namespace svc::api
