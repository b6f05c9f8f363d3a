#pragma once

#include "svc/core/account.hpp"
#include "svc/core/result.hpp"
#include "svc/domain/principal.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace svc::api {

/// How many bytes of memory responses may hold until their clients have read them.
struct response_bytes {
  std::size_t process = 256UL * 1024 * 1024;
  std::size_t user = 64UL * 1024 * 1024;  ///< over all workers
};

/// Responses of fewer bytes are not charged: the socket takes them at once, whether or not the client reads.
inline constexpr std::size_t least_charged = 16UL * 1024;

/// The account of responses: a user may hold `user`, an organization half of the process, and nobody more than is
/// left.
account_terms response_terms(response_bytes const& most);

/// The holder that the responses to a caller are charged to; `caller` is null for public operations.
account_owner response_owner(principal const* caller);

/// The refusal of a response that the account has no room for: 503 with Retry-After.
error no_response_room();

/// A share of the account that several owners can keep alive; it holds nothing yet.
inline std::shared_ptr<account_share> new_share(account& responses, principal const& caller) {
  return std::make_shared<account_share>(responses, response_owner(&caller));
}

}  // namespace svc::api
