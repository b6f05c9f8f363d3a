#pragma once

#include "svc/core/account.hpp"
#include "svc/core/result.hpp"
#include "svc/domain/principal.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace svc::api {

/// The maximum number of bytes of memory that responses may hold until their clients have read them.
struct response_bytes {
  std::size_t process = 256UL * 1024 * 1024;
  std::size_t user = 64UL * 1024 * 1024;  ///< over all workers
};

/// The size in bytes from which responses are charged. The socket accepts smaller ones at once, whether or not the
/// client reads.
inline constexpr std::size_t least_charged = 16UL * 1024;

/// Returns the terms of the account of responses: a user may hold `user`, an organization half of the process, and no
/// holder more than is still free.
inline account_terms response_terms(response_bytes const& most) {
  return {.name = "responses",
          .total = most.process,
          .project_share = most.user,
          .organisation_share = most.process / 2,
          .rule = share_rule::remainder,
          .owner_field = "user"};
}

/// Returns the holder that the responses to a caller are charged to; `caller` is null for public operations.
inline account_owner response_owner(principal const* caller) {
  if (caller == nullptr) return {};
  return {.project = caller->owner_id, .organisation = caller->organization_id};
}

/// Returns the refusal of a response that the account has no room for: 503 with Retry-After.
inline error no_response_room() {
  return {
      errc::overloaded,
      "The responses that this user's clients have not read yet already use all the memory allowed for them; read "
      "them or close their connections, and retry after the time in Retry-After."};
}

/// Creates a share of the account that several owners can keep alive; the share is empty at first.
inline std::shared_ptr<account_share> new_share(account& responses, principal const& caller) {
  return std::make_shared<account_share>(responses, response_owner(&caller));
}

}  // namespace svc::api
