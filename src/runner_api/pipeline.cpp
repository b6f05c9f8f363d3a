#include "runner_api/runner_gate.hpp"
#include "runner_api/runner_limiter.hpp"
#include "svc/access/authenticator.hpp"
#include "svc/api/body_intake.hpp"
#include "svc/api/exchange.hpp"
#include "svc/api/request_log.hpp"
#include "svc/api/request_steps.hpp"
#include "svc/api/response_account.hpp"
#include "svc/core/failpoint.hpp"
#include "svc/core/load_shedder.hpp"
#include "svc/live/dispatch/dispatcher.hpp"
#include "svc/runner_api/runner_api.hpp"

namespace svc::runner_api {

// Both pipelines take the same steps.
using api::body_intake;
using api::exchange;
using api::failure_response;
using api::find_route;
using api::finish_response;
using api::in_flight_guard;
using api::refused_head;
using api::request_id_of;
using api::request_log;
using api::response_of;
using api::thrown_response;

namespace {

/// Returns the purpose of a route's requests. Unknown routes are the first to be refused.
runner_work work_of(http::operation const* op) {
  if (op == nullptr || op->id == "claim_runs" || op->id == "register_executor") return runner_work::claim;
  return runner_work::keep;
}

class pipeline final : public http::service {
 public:
  explicit pipeline(pipeline_parts parts)
      : parts_(std::move(parts)),
        gate_(parts_.use.runners, parts_.unseen_reads),
        limiter_({parts_.admission, parts_.fallback, parts_.authenticator.clock(), parts_.limits}, parts_.counters),
        slots_(runner_slots::bounds::within(parts_.max_in_flight)),
        intake_(parts_.contract, parts_.bodies, parts_.most_json_values),
        log_(*parts_.contract, parts_.counters) {
    for (auto const& op : parts_.contract->operations()) handlers_.push_back(handlers().find(op.id));
    shed_ = parts_.counters.make_counter("svc_requests_shed_total", "Requests refused because of overload",
                                         {{"class", "claims"}});
  }

  task<http::response> serve(http::request const& head, http::body_source& body) override;
  http::response refuse(error const& failure, std::string_view client_address) override;

 private:
  task<http::response> answer(exchange& x, http::body_source& body);
  bool overloaded(exchange const& x, runner_work work);
  static void hold(call const& c, http::response& out);

  pipeline_parts parts_;
  runner_gate gate_;
  runner_limiter limiter_;
  runner_slots slots_;
  body_intake intake_;
  request_log log_;
  std::vector<handler> handlers_;  ///< by operation index
  counter shed_;
  std::size_t in_flight_ = 0;
};

/// Returns true if the request must be refused. A worker's last connections serve requests that keep claims, so that
/// no flood of claims costs a runner its leases.
bool pipeline::overloaded(exchange const& x, runner_work work) {
  bool const claims = work == runner_work::claim;
  if (claims && x.head.reserved) return true;
  // A request that only waits does no work.
  auto const idle = parts_.use.dispatch.waiting() + intake_.receiving();
  if (in_flight_ - std::min(in_flight_, idle) > parts_.max_in_flight) return true;
  if (!claims || !parts_.load.refuses(work_class::claims, x.head.arrived)) return false;
  shed_.add();
  return true;
}

/// Runs the steps of a request, in order.
task<http::response> pipeline::answer(exchange& x, http::body_source& body) {
  deadline const until(x.head.arrived + parts_.request_deadline);
  auto const target = find_route(*parts_.contract, x);
  auto const work = work_of(x.route.found);
  if (overloaded(x, work)) co_return failure_response(x, errc::overloaded);
  // This happens before the answer reveals anything else, and before a body is read.
  auto const passed = co_await gate_.pass(x.head, until);
  if (!passed) co_return failure_response(x, passed.error());
  x.passed.limit = co_await limiter_.count(passed->scope.token, work, until);
  if (!x.passed.limit->admitted) co_return failure_response(x, errc::rate_limited);
  if (x.head.came_by != nullptr) x.head.came_by->admitted(passed->scope.token);
  if (!target) co_return failure_response(x, target.error());
  if (x.unroutable) co_return failure_response(x, *x.unroutable);
  auto const& op = *x.route.found;
  if (x.route.bad_parameter) co_return failure_response(x, *x.route.bad_parameter);
  if (auto const query = parts_.contract->check_query(op, target->query); !query)
    co_return failure_response(x, query.error());
  auto const read = co_await intake_.take(op, x.head, body, passed->scope.token);
  if (!read) co_return failure_response(x, read.error());
  // The request takes its place only now, because a body may take its time to arrive.
  auto slot = slots_.take(passed->scope.token, work);
  if (!slot) co_return failure_response(x, errc::overloaded);

  call c{.use = parts_.use,
         .scope = passed->scope,
         .secret = passed->secret,
         .path = x.route.path,
         .body = read->value.as_object(),
         .client = body,
         .slot = slot,
         .until = deadline::after(parts_.request_deadline)};
  SVC_FAILPOINT("internal.before_handler");
  auto const start = steady::now();
  auto made = co_await handlers_[op.index](c);
  x.handler_time = std::chrono::duration_cast<microseconds>(steady::now() - start);
  if (!made) co_return failure_response(x, made.error());
  auto out = response_of(x, std::move(*made));
  hold(c, out);
  co_return out;
}

/// Charges a large response until it was sent, unless its handler has done so. The response is sent in any case,
/// because the change that it reports has been made.
void pipeline::hold(call const& c, http::response& out) {
  if (out.held || out.body.size() < api::least_charged) return;
  if (auto held = c.hold_response(out.body.size())) out.held = std::move(*held);
}

task<http::response> pipeline::serve(http::request const& head, http::body_source& body) {
  in_flight_guard const counted(in_flight_);
  exchange x{head, request_id_of(head)};
  http::response out;
  try {
    out = co_await answer(x, body);
  } catch (std::exception const&) {
    out = thrown_response(x);
  }
  // This API has no GET, so no response is ever encoded.
  finish_response(x, out);
  log_.record(x, out);
  co_return out;
}

http::response pipeline::refuse(error const& failure, std::string_view client_address) {
  return refused_head(failure, client_address, log_);
}

}  // namespace

std::unique_ptr<http::service> make_pipeline(pipeline_parts parts) {
  return std::make_unique<pipeline>(std::move(parts));
}

handler_table<handler> const& handlers() {
  static constexpr handler_table<handler>::entry entries[] = {
#define SVC_ENTRY(name) {#name, &name},
      SVC_INTERNAL_OPERATIONS(SVC_ENTRY)
#undef SVC_ENTRY
  };
  static constexpr handler_table<handler> table("internal contract", entries);
  return table;
}

task<bool> news(call& c, task<bool> wait) {
  runner_slots::slot::rest const resting(c.slot);
  co_return co_await std::move(wait);
}

bool flag(boost::json::object const& object, std::string_view member) {
  auto const* const found = object.if_contains(member);
  return found != nullptr && found->as_bool();
}

uuid call::run() const {
  return uuid::parse(path.front().second).value();
}

uuid call::claim() const {
  return uuid::parse(text("claimId")).value();
}

std::string call::text(std::string_view member) const {
  return std::string(body.at(member).as_string());
}

std::int64_t call::number(std::string_view member) const {
  auto const* const found = body.if_contains(member);
  return found == nullptr ? 0 : found->to_number<std::int64_t>();
}

}  // namespace svc::runner_api
