#include "svc/access/reauthorization.hpp"

#include "access/record_lookup.hpp"
#include "svc/access/gate.hpp"
#include "svc/core/log.hpp"
#include "svc/core/spawn_task.hpp"

#include <algorithm>
#include <list>

namespace svc::access {
namespace {

constexpr std::chrono::seconds check_patience{2};

/// Refuses nothing: each caller judges the confirmed record by itself (`good`).
struct no_refusal final : decision::refusal_policy {
  std::optional<errc> refusal(token_record const&) const override { return std::nullopt; }
};
constexpr no_refusal nothing_refused{};

}  // namespace

/// One check serves all callers that asked before its start. A check in progress may have missed a change that they
/// know of.
struct reauthorization::round {
  std::int64_t at_least = 0;
  std::optional<finding> found{};
  std::list<steady_timer*> waiting{};
};

/// The state of one check.
struct reauthorization::attempt {
  attempt(authenticator& authenticator, fallback& fallback, sha256_digest const& secret,
          std::optional<presented_session> session, std::int64_t at_least)
      : steps(nothing_refused, fallback.redis().is_open()),
        // It was let in before, so it counts as seen.
        lookup(authenticator, fallback, steps,
               {.digest = secret, .arrived = steady::now(), .at_least = at_least, .seen = true, .session = session}),
        until(deadline::after(check_patience)) {}

  decision steps;
  record_lookup lookup;
  deadline until;
};

permission_check reauthorization::check_for(sha256_digest secret, http::operation const& op, uuid project,
                                            std::shared_ptr<session_facts const> session) {
  auto const presented = session ? std::optional(session->presented) : std::nullopt;
  // The operation is the contract's, which lives as long as the process.
  return [this, secret, op = &op, project, presented](std::int64_t at_least) {
    return check(secret, op, project, presented, at_least);
  };
}

task<permission_state> reauthorization::check(sha256_digest secret, http::operation const* op, uuid project,
                                              std::optional<presented_session> session, std::int64_t at_least) {
  auto const found = co_await ask(secret, session, at_least);
  if (found.kind != permission_state::kind::granted) co_return permission_state{found.kind};
  if (!good(*found.record, *op, project)) co_return permission_state{permission_state::kind::withdrawn};
  auto const& caller = found.record->caller;
  co_return permission_state{permission_state::kind::granted, caller.epoch, caller.owner_role};
}

bool reauthorization::good(token_record const& record, http::operation const& op, uuid project) const {
  http::route const route{.found = &op};
  if (refusal_of(record, route, authenticator_.clock().now().value_or(record.read_at))) return false;
  auto const needed = parse_permission(op.permission);
  return record.caller.project_id == project && (!needed || allows(record.caller.owner_role, *needed));
}

task<reauthorization::finding> reauthorization::ask(sha256_digest secret, std::optional<presented_session> session,
                                                    std::int64_t at_least) {
  auto const here = co_await asio::this_coro::executor;
  auto& value = asked_[secret];
  value.session = session;
  if (!value.next) value.next = std::make_shared<round>();
  auto const mine = value.next;
  mine->at_least = std::max(mine->at_least, at_least);
  if (!std::exchange(value.served, true)) spawn_task(here, serve(secret));
  steady_timer notified(here, steady::time_point::max());
  auto const slot = mine->waiting.insert(mine->waiting.end(), &notified);
  if (!mine->found) co_await notified.async_wait(awaiting);
  mine->waiting.erase(slot);
  co_return mine->found.value_or(finding{});
}

/// Runs one check after another, as long as any are asked for.
task<> reauthorization::serve(sha256_digest secret) {
  while (auto const now = std::exchange(asked_[secret].next, nullptr)) {
    finding found;
    try {
      found = co_await find(secret, asked_[secret].session, now->at_least);
    } catch (std::exception const& odd) {
      // Whatever the reason, the waiting callers must learn of a failed check.
      log::warn("whether a credential is still valid could not be determined", {{"reason", odd.what()}});
    }
    now->found = found;
    for (auto* timer : now->waiting) timer->cancel();
  }
  asked_.erase(secret);
}

task<reauthorization::finding> reauthorization::find(sha256_digest secret, std::optional<presented_session> session,
                                                     std::int64_t at_least) {
  attempt a(authenticator_, fallback_, secret, session, at_least);
  auto next = a.lookup.start();
  while (next.content != step::finish) next = co_await carry_out(a, next);
  a.lookup.keep();
  auto const& verdict = a.steps.verdict();
  if (verdict.content == decision_result::kind::unknown) co_return finding{permission_state::kind::withdrawn};
  bool const known = verdict.content == decision_result::kind::let_in && a.steps.record()->caller.epoch >= at_least;
  co_return known ? finding{permission_state::kind::granted, a.steps.record()} : finding{};
}

task<action> reauthorization::carry_out(attempt& a, action next) {
  switch (next.content) {
    case step::fetch:
      co_return co_await a.lookup.fetch(a.until);
    case step::read:
      co_return co_await a.lookup.read(next.mode, {}, a.until);
    case step::admit:
      co_return co_await admit(a, next);
    case step::advance:
      // The credential's next request does it.
      co_return a.steps.on_advance(false);
    case step::local:
      co_return a.steps.on_local(true);
    case step::finish:
      break;
  }
  co_return next;
}

/// Asks with a limit of 0, which confirms the epoch and counts nothing. An unknown credential has no window here.
task<action> reauthorization::admit(attempt& a, action ask) {
  if (ask.about != purpose::use) co_return a.steps.on_admit(decision::admission_outcome::ok, std::nullopt);
  auto const answered = co_await fallback_.ask(
      admission_, {a.steps.record()->caller.subject.to_string(), ask.mode, ask.epoch, rate_class::cli, {0, 1}},
      a.until);
  if (!answered) co_return a.steps.on_admit(decision::admission_outcome::lost, std::nullopt);
  co_return a.steps.on_admit(outcome_of(answered->verdict), answered->epoch);
}

}  // namespace svc::access
