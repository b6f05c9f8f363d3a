#pragma once

#include "internal_operations.hpp"
#include "svc/api/call.hpp"
#include "svc/api/handler_table.hpp"
#include "svc/core/metrics.hpp"
#include "svc/domain/runner.hpp"
#include "svc/http/body_budget.hpp"
#include "svc/http/contract.hpp"
#include "svc/http/message.hpp"
#include "svc/runner_api/claim_pace.hpp"
#include "svc/runner_api/runner_slots.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace svc {
class account;
class load_shedder;
struct limit_table;
}  // namespace svc
namespace svc::access {
class admission;
class authenticator;
class fallback;
}  // namespace svc::access
namespace svc::store {
class runner_store;
}
namespace svc::dispatch {
class dispatcher;
}
namespace svc::output {
class output_writer;
}  // namespace svc::output
namespace svc::feed {
class publisher;
}  // namespace svc::feed

namespace svc::runner_api {

using api::handler_table;
using api::reply;

/// Objects that handlers of runners' requests may use. Worker-local; outlives every request.
struct services {
  store::runner_store& runners;
  output::output_writer& output;
  dispatch::dispatcher& dispatch;
  feed::publisher& feed;  ///< announces new states of runs to open pages
  account& responses;     ///< unread responses of both APIs; a runner's token counts as a user
  claim_pace pace{};
};

/// One authenticated, validated request of a runner on its way to its handler.
struct call {
  services& use;
  runner_scope scope;
  sha256_digest secret;
  http::parameter_list const& path;  ///< checked against the contract
  boost::json::object const& body;   ///< checked against the schema
  http::body_source const& client;   ///< knows if the client is still connected
  runner_slots::slot& slot;          ///< given back while the request waits for news
  deadline until;

  /// Returns the part of the account of responses that a response of `size` bytes holds until it was sent; null for a
  /// small one. Empty if there is no room. The only unread response of a token finds room while the account has any,
  /// because a run must be claimable whatever its size.
  std::optional<std::shared_ptr<void const>> hold_response(std::size_t size) const;
  /// True if the token's unread responses leave no room for a large one.
  bool responses_exhausted() const;
  uuid run() const;    ///< from the path
  uuid claim() const;  ///< `claimId` from the body
  std::string text(std::string_view member) const;
  /// Returns 0 if the member is absent.
  std::int64_t number(std::string_view member) const;
};

/// Waits for news. The request gives its slot among the working requests back for that time.
task<bool> news(call& c, task<bool> wait);

/// Returns a member that may be absent, which means false.
bool flag(boost::json::object const& object, std::string_view member);

using handler = task<result<reply>> (*)(call&);

// Each operation of the runners' contract has a handler of the same name.
#define SVC_DECLARE(name) task<result<reply>> name(call& c);
SVC_INTERNAL_OPERATIONS(SVC_DECLARE)
#undef SVC_DECLARE

/// Returns the handlers of the internal contract by operationId. Startup compares them with the contract.
handler_table<handler> const& handlers();

/// The longest wait of a claim, as in the contract.
inline constexpr std::int64_t long_poll_seconds = 30;

struct pipeline_parts {
  std::shared_ptr<http::contract const> contract;
  services& use;
  access::authenticator& authenticator;  ///< knows the database's time
  access::admission& admission;
  access::fallback& fallback;
  limit_table const& limits;  ///< may change while the worker runs
  load_shedder& load;
  metrics& counters;
  http::body_budget& bodies;  ///< of the worker
  std::size_t most_json_values = 50'000;
  milliseconds request_deadline{2000};
  std::size_t max_in_flight = 1000;  ///< does not count waiting requests
  double unseen_reads = 50;          ///< database reads a second for unknown tokens
};

/// Returns the service for a worker's listeners of kind `internal`. Worker-local.
std::unique_ptr<http::service> make_pipeline(pipeline_parts parts);

}  // namespace svc::runner_api
