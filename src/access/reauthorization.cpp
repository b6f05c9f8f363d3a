#include "svc/access/reauthorization.hpp"

#include "svc/access/gate.hpp"
#include "svc/core/log.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <algorithm>
#include <list>

namespace svc::access {
namespace {

constexpr std::chrono::seconds check_patience{2};

/// Everyone who asked decides what a confirmed record is worth.
struct no_refusal final : decision::refusal_policy {
  std::optional<errc> refusal(token_record const&) const override { return std::nullopt; }
};
constexpr no_refusal nothing_refused{};

}  // namespace

/// One check, for everyone who asked before it began. A check that is under way may have seen less than they know.
struct reauthorization::round {
  std::int64_t at_least = 0;
  std::optional<finding> found{};
  std::list<steady_timer*> waiting{};
};

/// One credential on its way through its decision.
struct reauthorization::attempt {
  sha256_digest secret;
  std::int64_t at_least;
  deadline until;
  decision steps;
  steady::time_point begun = steady::now();
  bool publish = false;    ///< Redis does not have the record
  bool in_memory = false;  ///< worker memory has it
};

permission_check reauthorization::check_for(sha256_digest secret, http::operation const& op, uuid project) {
  // The operation is the contract's, which lives as long as the process.
  return [this, secret, op = &op, project](std::int64_t at_least) { return check(secret, op, project, at_least); };
}

task<permission_state> reauthorization::check(sha256_digest secret, http::operation const* op, uuid project,
                                              std::int64_t at_least) {
  auto const found = co_await ask(secret, at_least);
  if (found.what != permission_state::kind::granted) co_return permission_state{found.what};
  if (!good(*found.record, *op, project)) co_return permission_state{permission_state::kind::withdrawn};
  co_return permission_state{permission_state::kind::granted, found.record->who.epoch};
}

bool reauthorization::good(token_record const& record, http::operation const& op, uuid project) const {
  http::route const route{.found = &op};
  if (refusal_of(record, route, who_.clock().now().value_or(record.read_at))) return false;
  auto const needed = parse_permission(op.permission);
  return record.who.project_id == project && (!needed || allows(record.who.owner_role, *needed));
}

task<reauthorization::finding> reauthorization::ask(sha256_digest secret, std::int64_t at_least) {
  auto const here = co_await asio::this_coro::executor;
  auto& of = asked_[secret];
  if (!of.next) of.next = std::make_shared<round>();
  auto const mine = of.next;
  mine->at_least = std::max(mine->at_least, at_least);
  if (!std::exchange(of.served, true)) asio::co_spawn(here, serve(secret), asio::detached);
  steady_timer told(here, steady::time_point::max());
  auto const place = mine->waiting.insert(mine->waiting.end(), &told);
  if (!mine->found) co_await told.async_wait(awaiting);
  mine->waiting.erase(place);
  co_return mine->found.value_or(finding{});
}

/// Check after check, as long as somebody asks.
task<> reauthorization::serve(sha256_digest secret) {
  while (auto const now = std::exchange(asked_[secret].next, nullptr)) {
    finding found;
    try {
      found = co_await find(secret, now->at_least);
    } catch (std::exception const& odd) {
      // Nobody may wait for a check that failed, whatever its reason.
      log::warn("whether a credential is still good could not be found", {{"reason", odd.what()}});
    }
    now->found = found;
    for (auto* timer : now->waiting) timer->cancel();
  }
  asked_.erase(secret);
}

task<reauthorization::finding> reauthorization::find(sha256_digest secret, std::int64_t at_least) {
  bool const lost = fallback_.redis().is_open();
  attempt l{secret, at_least, deadline::after(check_patience), {nothing_refused, lost}};
  auto held = who_.held(secret);
  if (held.record && held.record->who.epoch < at_least) held = {};
  l.publish = held.unpublished;
  l.in_memory = held.record != nullptr;
  auto next = l.steps.start(std::move(held.record));
  while (next.what != step::finish) next = co_await carry_out(l, next);
  co_return conclude(l);
}

task<action> reauthorization::carry_out(attempt& l, action next) {
  switch (next.what) {
    case step::fetch:
      co_return co_await fetch(l);
    case step::read:
      co_return co_await read(l, next.mode);
    case step::admit:
      co_return co_await admit(l, next);
    case step::lift:
      // The credential's next request does it.
      co_return l.steps.on_lift(false);
    case step::local:
      co_return l.steps.on_local(true);
    case step::finish:
      break;
  }
  co_return next;
}

task<action> reauthorization::fetch(attempt& l) {
  auto found = co_await who_.fetch(l.secret, l.until);
  if (found.what == decision::fetched::lost) fallback_.redis_missed();
  if (found.record && found.record->who.epoch < l.at_least) found = {};
  co_return l.steps.on_fetch(found.what, std::move(found.record));
}

task<action> reauthorization::read(attempt& l, epoch_mode at_least) {
  std::optional<steady::time_point> not_before;
  // A read that is on its way may have left before the change that is asked about.
  if (at_least == epoch_mode::fresh || l.at_least > 0) not_before = l.begun;
  if (at_least == epoch_mode::forced) not_before = steady::now();
  // It was let in: seen.
  auto found = co_await who_.read({.digest = l.secret, .not_before = not_before, .seen = true}, l.until);
  l.publish = true;
  l.in_memory = false;
  co_return l.steps.on_read(found.what, std::move(found.record), found.sent >= l.begun);
}

/// A limit of 0: it confirms the epoch and counts nothing. A credential that nobody knows has no window here.
task<action> reauthorization::admit(attempt& l, action ask) {
  if (ask.about != purpose::use) co_return l.steps.on_admit(decision::admitted::ok, std::nullopt);
  auto const answered = co_await fallback_.ask(
      admission_, {l.steps.record()->who.subject.to_string(), ask.mode, ask.epoch, rate_class::cli, {0, 1}}, l.until);
  if (!answered) co_return l.steps.on_admit(decision::admitted::lost, std::nullopt);
  co_return l.steps.on_admit(outcome_of(answered->verdict), answered->epoch);
}

reauthorization::finding reauthorization::conclude(attempt const& l) {
  auto const& verdict = l.steps.verdict();
  auto const& record = l.steps.record();
  if (verdict.keep && (l.publish || !l.in_memory)) who_.keep(l.secret, record, l.publish);
  if (verdict.what == decided::kind::unknown) return {permission_state::kind::withdrawn};
  bool const known = verdict.what == decided::kind::let_in && record->who.epoch >= l.at_least;
  return known ? finding{permission_state::kind::granted, record} : finding{};
}

}  // namespace svc::access
