#include "svc/api/pipeline.hpp"

#include "api/audit_announcement.hpp"
#include "api/conditional_request.hpp"
#include "api/replies.hpp"
#include "svc/access/confirm_secret.hpp"
#include "svc/access/reauthorization.hpp"
#include "svc/api/body_intake.hpp"
#include "svc/api/exchange.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/request_log.hpp"
#include "svc/api/request_steps.hpp"
#include "svc/api/response_account.hpp"
#include "svc/api/sign_in_services.hpp"
#include "svc/core/failpoint.hpp"
#include "svc/core/joined.hpp"
#include "svc/http/public_pages/site.hpp"
#include "svc/http/site/pages.hpp"
#include "svc/live/output/run_watch.hpp"
#include "svc/store/repositories.hpp"

#include <algorithm>
#include <array>

namespace svc::api {
namespace {

work_class class_of(http::operation const& op) {
  if (op.method != "GET") return work_class::changes;
  bool const list = op.id.starts_with("list_") || op.id.starts_with("stream_");
  return list ? work_class::lists : work_class::reads;
}

/// Multiples of the time that requests may wait in a worker, by work class. If a project waits longer for its share
/// of the database, its lists are refused first and its changes last.
constexpr std::array<int, work_classes> waits_of_project{1, 1, 2, 4};

/// A session outside of a project is charged to its organisation, or to its user.
account_owner owner_of(principal const& caller) {
  if (!caller.session || caller.project_id != uuid{})
    return {.project = caller.project_id, .organisation = caller.organization_id};
  auto const own = caller.organization_id != uuid{} ? caller.organization_id : caller.owner_id;
  return {.project = own, .organisation = own};
}

/// Names the method of the last sign-in, which can be repeated.
error stale_sign_in(session_facts const& session) {
  auto const method = session.provider.empty() ? session.method : session.method + " (" + session.provider + ")";
  return {errc::fresh_sign_in_required, {}, {{"method", method}}};
}

class pipeline final : public http::service {
 public:
  explicit pipeline(pipeline_parts parts)
      : parts_(std::move(parts)),
        gate_({parts_.authenticator, parts_.admission, parts_.fallback, parts_.advancer, parts_.use.limits,
               [this](sha256_digest key, deadline until) { return parts_.use.stores.hearts.find(key, until); },
               parts_.key_reads, parts_.public_url},
              parts_.counters),
        confirmer_(parts_.use.stores.tokens, parts_.use.changes),
        reauthorization_(parts_.authenticator, parts_.admission, parts_.fallback),
        intake_(parts_.contract, parts_.bodies, parts_.most_json_values),
        log_(*parts_.contract, parts_.counters) {
    for (auto const& op : parts_.contract->operations()) {
      auto const own = handlers().find(op.id);
      handlers_.push_back(own != nullptr ? own : dashboard_handlers().find(op.id));
      bool const by_organization = op.scope == session_scope_kind::organization;
      permissions_.push_back(by_organization ? std::nullopt : parse_permission(op.permission));
      organization_permissions_.push_back(by_organization ? parse_organization_permission(op.permission)
                                                          : std::nullopt);
      classes_.push_back(class_of(op));
    }
    for (auto i = static_cast<std::size_t>(work_class::lists); char const* text : {"lists", "reads", "changes"})
      shed_[i++] = parts_.counters.make_counter("svc_requests_shed_total", "Requests refused because of overload",
                                                {{"class", text}});
  }

  task<http::response> serve(http::request const& head, http::body_source& body) override;
  http::response refuse(error const& failure, std::string_view client_address) override;

 private:
  task<std::optional<http::response>> show_page(exchange& x, http::body_source& body);
  task<http::response> answer(exchange& x, http::body_source& body, deadline until);
  bool full() const;
  bool waits(exchange const& x) const;
  bool overloaded(exchange const& x);
  bool project_overloaded(exchange const& x, access::record_ptr const& record);
  bool authorised(exchange const& x) const;
  bool is_fresh(exchange const& x) const;
  bool has_response_room(exchange const& x) const;
  bool hold(exchange const& x, http::response& out) const;
  static bool from_allowed_address(exchange const& x);
  task<> confirm(exchange const& x, deadline until);
  void note_use(exchange const& x);
  http::response options(exchange const& x) const;

  pipeline_parts parts_;
  access::gate gate_;
  access::secret_confirmer confirmer_;
  access::reauthorization reauthorization_;
  body_intake intake_;
  request_log log_;
  std::vector<handler> handlers_;                                                 ///< by operation index
  std::vector<std::optional<permission>> permissions_;                            ///< by operation index
  std::vector<std::optional<organization_permission>> organization_permissions_;  ///< the same
  std::vector<work_class> classes_;                                               ///< by operation index
  std::array<counter, work_classes> shed_;
  principal const nobody_;  ///< the caller of a public operation
  std::size_t in_flight_ = 0;
};

/// Carries out the steps of a request in order. Only this function orders the steps.
task<http::response> pipeline::answer(exchange& x, http::body_source& body, deadline until) {
  // Routing is first, because the rate class and the accepted kinds of credential depend on it. A missing route is
  // only noted here, so that a stranger learns nothing about paths before authentication and counting.
  auto const target = find_route(*parts_.contract, x);
  if (x.head.method == "OPTIONS" && target) co_return options(x);
  // An instance decides nothing before it knows the schema of the database and the other instances.
  if (waits(x)) co_return failure_response(x, error(errc::unavailable, "This instance waits for its stores."));
  // Shedding precedes any request to a store.
  if (overloaded(x)) co_return failure_response(x, errc::overloaded);
  // A project that asks for more than its share of the database is refused; other projects are not. If this worker
  // remembers the token's project, the check precedes authentication, which takes a busy worker many turns.
  bool const database_busy = parts_.database_wait && parts_.database_wait();
  auto const remembered = database_busy ? gate_.remembered(x.head, x.route) : nullptr;
  if (project_overloaded(x, remembered)) co_return failure_response(x, errc::overloaded);
  // One step authenticates and admits, so that a revoked token and a full window are seen at the same moment.
  x.passed = co_await gate_.pass(x.head, x.route, until);
  if (x.passed.refusal) co_return failure_response(x, *x.passed.refusal);
  note_use(x);
  if (x.passed.record && x.head.came_by != nullptr) x.head.came_by->admitted(x.passed.record->caller.subject);
  // A stolen key is worthless at any other address. The check precedes the confirmation of a rotated secret: this
  // 403 does not tell the client that the switch is done.
  if (!from_allowed_address(x))
    co_return failure_response(
        x, error(errc::address_not_allowed,
                 "The trigger key may not be used from " + x.head.client_address + "; see its allowedCidrs."));
  // Only authentication reveals the project of a token that this worker does not remember.
  if (database_busy && !remembered && project_overloaded(x, x.passed.record))
    co_return failure_response(x, errc::overloaded);
  // Authorisation precedes the reading of the body: no client uploads a body that it may not store.
  if (!authorised(x)) co_return failure_response(x, errc::permission_denied);
  if (!is_fresh(x)) co_return failure_response(x, stale_sign_in(*x.passed.record->caller.session));
  // The first use of a rotated secret settles when the old one ends. The confirmation follows authorisation, because
  // a secret that may not do this has not replaced anything. The confirmation precedes every later answer. Any answer
  // but 401, 403, 429 and 503 (also a 404 for a path) tells the client that the switch is done.
  if (x.passed.record && x.passed.record->pending) co_await confirm(x, until);
  // Only a counted, authenticated request learns the router's findings.
  if (!target) co_return failure_response(x, target.error());
  if (x.unroutable) co_return failure_response(x, *x.unroutable);
  auto const& op = *x.route.found;
  if (x.route.bad_parameter) co_return failure_response(x, *x.route.bad_parameter);
  if (auto const readable = check_conditions(x.head); !readable) co_return failure_response(x, readable.error());
  if (x.head.find("Idempotency-Key") && !op.accepts_idempotency)
    co_return failure_response(x, errc::idempotency_not_supported);
  auto query = parts_.contract->check_query(op, target->query);
  if (!query) co_return failure_response(x, query.error());
  // A list's response is charged when it is made. If the account has no room for it now, the list is not read at all.
  if (classes_[op.index] == work_class::lists && !has_response_room(x))
    co_return failure_response(x, no_response_room());
  // The body counts for the user, who may have many keys and tokens.
  auto const user = x.passed.record ? x.passed.record->caller.owner_id : uuid();
  auto read = co_await intake_.take(op, x.head, body, user);
  if (!read) co_return failure_response(x, read.error());
  // The body has deadlines of its own. The request is complete only now, so its time starts only now.
  if (x.head.has_body) until = deadline::after(parts_.request_deadline);
  // From here on the work is charged to the project.
  if (x.passed.record) until = until.charged_to(owner_of(x.passed.record->caller));

  audit_announcement const announcement(parts_.use.feed.publisher, !reads(x.head));
  call c{x.head,
         op,
         parts_.use,
         intake_.validator(),
         reauthorization_,
         x.passed.record ? x.passed.record->caller : nobody_,
         x.route.path,
         std::move(*query),
         std::move(read->value),
         x.request_id,
         until,
         x.passed.secret,
         x.passed.session_key,
         x.passed.ping,
         &x.passed.limit,
         announcement.audited()};
  if (auto const paged = c.check_page(); !paged) co_return failure_response(x, paged.error());
  SVC_FAILPOINT("pipeline.before_handler");
  auto const start = steady::now();
  auto made = co_await handlers_[op.index](c);
  x.handler_time = std::chrono::duration_cast<microseconds>(steady::now() - start);
  // Only a heartbeat refuses a method that its path has: GET, where only POST counts.
  if (!made && made.error().code == errc::method_not_allowed) x.route.allowed = {"POST", "OPTIONS"};
  if (!made) {
    // The change was refused, so its rows were not written.
    if (c.audited) c.audited->clear();
    co_return failure_response(x, made.error());
  }
  auto out = response_of(x, std::move(*made));
  if (!hold(x, out)) co_return failure_response(x, no_response_room());
  if (!matches(x.head, out)) co_return failure_response(x, errc::precondition_failed);
  co_return out;
}

/// Returns true if this worker has too many requests in flight.
bool pipeline::full() const {
  // A request that only waits does no work: it waits for a run, for an external system or for the rest of a body.
  auto const idle = parts_.use.watch.waiting() + parts_.use.outside.waiting() + intake_.receiving();
  return in_flight_ - idle > parts_.max_in_flight;
}

/// Returns true if only pages are served now, and this request is for something else. Liveness and readiness always
/// answer.
bool pipeline::waits(exchange const& x) const {
  if (!parts_.waiting || !parts_.waiting()) return false;
  return x.route.found == nullptr || x.route.found->rate_class != "none";
}

/// Returns true if this request must be shed. Liveness and readiness always answer; health answers unless there are
/// too many requests.
bool pipeline::overloaded(exchange const& x) {
  auto const* op = x.route.found;
  if (op != nullptr && op->rate_class == "none") return false;
  if (full()) return true;
  if (op != nullptr && op->rate_class == "health") return false;
  // The last connections of a worker are reserved for health checks.
  if (x.head.reserved) return true;
  auto const work_class = op != nullptr ? classes_[op->index] : work_class::reads;
  if (!parts_.load.refuses(work_class, x.head.arrived)) return false;
  shed_[static_cast<std::size_t>(work_class)].add();
  return true;
}

/// Returns true if the first waiting request of the record's project has waited too long for the database.
bool pipeline::project_overloaded(exchange const& x, access::record_ptr const& record) {
  if (!record || !parts_.project_wait || parts_.queue_time == milliseconds(0)) return false;
  auto const work_class = x.route.found != nullptr ? classes_[x.route.found->index] : work_class::reads;
  auto const wait = parts_.project_wait(owner_of(record->caller), steady::now());
  if (wait <= waits_of_project[static_cast<std::size_t>(work_class)] * parts_.queue_time) return false;
  shed_[static_cast<std::size_t>(work_class)].add();
  return true;
}

/// Returns true if the caller's role permits the operation. Operations without a permission decide in their handlers,
/// by the owner of the resource.
bool pipeline::authorised(exchange const& x) const {
  if (x.route.found == nullptr) return true;
  auto const& caller = x.passed.record ? x.passed.record->caller : nobody_;
  if (auto const needed = organization_permissions_[x.route.found->index])
    return caller.session && allows(caller.session->in_organization, *needed);
  auto const needed = permissions_[x.route.found->index];
  return !needed || allows(caller.owner_role, *needed);
}

/// Returns true unless the operation needs a fresh sign-in and the session's last one is too long ago.
bool pipeline::is_fresh(exchange const& x) const {
  if (x.route.found == nullptr || !x.route.found->fresh || !x.passed.record) return true;
  auto const& session = x.passed.record->caller.session;
  if (!session) return true;
  auto const now = parts_.authenticator.clock().now().value_or(x.passed.record->read_at);
  auto const age = microseconds(now.micros - session->authenticated_at.micros);
  return age <= parts_.use.sign_in.times().fresh;
}

bool pipeline::has_response_room(exchange const& x) const {
  auto const owner = response_owner(x.passed.record ? &x.passed.record->caller : nullptr);
  return parts_.use.responses.decide_for(owner, least_charged, false) == account_decision::granted;
}

/// Charges a large body until it was sent, unless its handler has done so. Returns false if there is no room for it.
/// The answer to a change always passes, because the change has been made; its handler asks before that.
bool pipeline::hold(exchange const& x, http::response& out) const {
  if (out.held || out.body.size() < least_charged) return true;
  auto const share = new_share(parts_.use.responses, x.passed.record ? x.passed.record->caller : nobody_);
  if (!share->hold(out.body.size())) return !reads(x.head);
  out.held = share;
  return true;
}

bool pipeline::from_allowed_address(exchange const& x) {
  if (!x.passed.record || !x.passed.record->allowed) return true;
  auto const& allowed = *x.passed.record->allowed;
  auto const address = ip_address::parse(x.head.client_address);
  return address &&
         std::any_of(allowed.begin(), allowed.end(), [&](cidr const& range) { return range.contains(*address); });
}

task<> pipeline::confirm(exchange const& x, deadline until) {
  // The role does not matter: this operation's permission has just been checked.
  auto actor = actor_of(x.passed.record->caller, x.passed.secret, x.head, x.request_id, roles_with(std::nullopt));
  // A page that shows the new secret reports its first use.
  audit_announcement const announcement(parts_.use.feed.publisher, true);
  actor.audited = announcement.audited();
  co_await confirmer_.confirm(x.passed.secret.value(), x.passed.record, std::move(actor), until);
}

void pipeline::note_use(exchange const& x) {
  if (!x.passed.record) return;
  if (auto const now = parts_.authenticator.clock().now()) {
    auto const& caller = x.passed.record->caller;
    if (!caller.session) {
      parts_.uses.note(caller.token_id, *now, x.head.client_address);
    } else if (x.head.find("Svc-Background") != "1") {
      parts_.uses.note_session(caller.token_id, *now, x.head.client_address);
    }
  }
}

http::response pipeline::options(exchange const& x) const {
  // "*" asks about the server, not about a path (RFC 9110 9.3.7).
  bool const of_server = x.head.target == "*";
  if (!of_server && x.route.found == nullptr && x.route.allowed.empty())
    return failure_response(x, errc::route_not_found);
  http::response out;
  out.status = 204;
  auto const methods = of_server ? joined(known_methods, ", ") : joined(x.route.allowed, ", ");
  out.set("Allow", methods);
  set_preflight_fields(x.head, parts_.cors_origins, methods, out);
  return out;
}

/// Answers requests for public status pages and for the dashboard. Status pages precede, because all paths of a
/// page's domain are theirs. The last connections of a worker are reserved for health checks.
task<std::optional<http::response>> pipeline::show_page(exchange& x, http::body_source& body) {
  bool const busy = full() || x.head.reserved;
  if (parts_.status_pages != nullptr && parts_.status_pages->concerns(x.head)) {
    auto const is_member = [&](uuid project, deadline until) -> task<bool> {
      if (parts_.waiting && parts_.waiting()) throw unavailable("the instance waits for its stores");
      co_return co_await gate_.is_member(x.head, project, until);
    };
    auto page = co_await parts_.status_pages->answer(
        {x.head, body, x.request_id, busy, is_member, deadline(x.head.arrived + parts_.request_deadline)});
    x.page = page ? page_kind::status : page_kind::none;
    if (page) co_return std::move(page);
  }
  auto page = parts_.use.pages.answer(x.head, x.request_id, busy);
  x.page = page ? page_kind::dashboard : page_kind::none;
  co_return page;
}

task<http::response> pipeline::serve(http::request const& head, http::body_source& body) {
  in_flight_guard const counted(in_flight_);
  exchange x{head, request_id_of(head)};
  http::response out;
  try {
    // Pages come first: they need no credential, and they have fields of their own.
    if (auto page = co_await show_page(x, body)) {
      log_.record(x, *page);
      co_return std::move(*page);
    }
    out = co_await answer(x, body, deadline(head.arrived + parts_.request_deadline));
  } catch (std::exception const&) {
    out = thrown_response(x);
  }
  bool const encode = finish_response(x, out);
  set_cors_fields(x.head, parts_.cors_origins, out);
  if (encode) out.body = co_await gzip_in_turns(std::move(out.body));
  log_.record(x, out);
  co_return out;
}

http::response pipeline::refuse(error const& failure, std::string_view client_address) {
  return refused_head(failure, client_address, log_);
}

}  // namespace

handler_table<handler> const& handlers() {
  static constexpr handler_table<handler>::entry entries[] = {
#define SVC_ENTRY(name) {#name, &name},
      SVC_OPERATIONS(SVC_ENTRY)
#undef SVC_ENTRY
  };
  static constexpr handler_table<handler> table("contract", entries);
  return table;
}

handler_table<handler> const& dashboard_handlers() {
  static constexpr handler_table<handler>::entry entries[] = {
#define SVC_ENTRY(name) {#name, &name},
      SVC_DASHBOARD_OPERATIONS(SVC_ENTRY)
#undef SVC_ENTRY
  };
  static constexpr handler_table<handler> table("dashboard's contract", entries);
  return table;
}

std::unique_ptr<http::service> make_pipeline(pipeline_parts parts) {
  return std::make_unique<pipeline>(std::move(parts));
}

}  // namespace svc::api
