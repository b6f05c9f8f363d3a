// Applies the next step, and takes its price from the remaining events.
#include "model/simulator.hpp"

#include <algorithm>

namespace svc::model {
namespace {

using step_kind = step::step_kind;

struct price {
  step_kind kind;
  event event;
};

constexpr price prices[] = {
    {step_kind::fail, event::postgres_fails},
    {step_kind::relay, event::relay},
    {step_kind::flush, event::flush},
    {step_kind::evict_epoch, event::evict_epoch},
    {step_kind::evict_record, event::evict_record},
    {step_kind::redis_replicate, event::redis_replicate},
    {step_kind::redis_failover, event::redis_failover},
    {step_kind::postgres_replicate, event::postgres_replicate},
    {step_kind::postgres_failover, event::postgres_failover},
    {step_kind::kill, event::kill},
    {step_kind::tick, event::tick},
    {step_kind::partition, event::partition},
    {step_kind::stall, event::stall},
    {step_kind::restart, event::restart},
    {step_kind::freeze, event::freeze},
};

event price_of(step const& n) {
  bool const done = n.settings == u8(fate::done);
  bool const command = n.kind == step_kind::act || n.kind == step_kind::bump || n.kind == step_kind::notify;
  if (command && n.settings == u8(fate::later)) return event::late;
  if (command && !done) return event::lose;
  if (n.kind == step_kind::confirm && !done) return event::postgres_fails;
  if (n.kind == step_kind::commit && !done) return event::slow_commit;
  auto const* const found = std::ranges::find(prices, n.kind, &price::kind);
  return found == std::end(prices) ? event::count : found->event;
}

}  // namespace

void simulator::apply_to_request(state& s, step n) {
  request& q = s.requests[n.owner];
  auto const settings = static_cast<fate>(n.settings);
  switch (n.kind) {
    case step_kind::arrive:
      arrive(s, n.owner);
      break;
    case step_kind::act:
      act(s, n.owner, settings);
      break;
    case step_kind::reply:
      notify(q, {heard::admit, q.reply, q.reply_epoch, 0, {}});
      q.reply = q.reply_epoch = 0;
      advance(s, n.owner);
      break;
    case step_kind::confirm:
      confirm(s, q, settings);
      break;
    case step_kind::notify:
      note_confirmation(s, q, settings);
      break;
    case step_kind::notify_ends:
      note_confirmation(s, q, fate::lost);
      break;
    case step_kind::write:
      write(s, q);
      break;
    default:
      break;
  }
}

void simulator::apply_to_change(state& s, step n) {
  change& c = s.changes[n.owner];
  auto const settings = static_cast<fate>(n.settings);
  switch (n.kind) {
    case step_kind::prepare:
      prepare(s, n.owner);
      break;
    case step_kind::lock:
      s.user_lock[0] = static_cast<u8>(n.owner + 1);
      c.phase = doing::locked;
      break;
    case step_kind::fan_out:
      fan_out(s, n.owner);
      break;
    case step_kind::commit:
      commit(s, n.owner);
      if (settings == fate::slow) tally_.add(counted::late_commit);
      c.late = settings == fate::slow ? 1 : 0;
      break;
    case step_kind::publish:
      publish(s, c);
      break;
    case step_kind::bump:
      bump(s, c, settings);
      break;
    case step_kind::hold_ends:
      hold_ends(s, c);
      break;
    case step_kind::time_out:
      tally_.add(counted::ended_idle);
      unlock(s, n.owner);
      c.frozen = 2;
      break;
    case step_kind::answer:
      answer(s, c);
      break;
    default:
      break;
  }
}

void simulator::apply_to_read(state& s, step n) {
  if (n.kind == step_kind::snapshot) return snapshot(s, s.flights[n.owner]);
  complete(s, n.owner, n.kind == step_kind::fail);
}

void simulator::apply_to_worker(state& s, step n) {
  switch (n.kind) {
    case step_kind::late_bump: {
      late_bump const l = s.bumps[n.owner];
      s.bumps[n.owner] = {};
      run_bump(s, l.subject, l.epoch);
      break;
    }
    case step_kind::put: {
      record const r = s.puts[n.owner];
      s.puts[n.owner] = {};
      run_put(s, r);
      break;
    }
    case step_kind::relay:
      begin_relay(s, n.owner, false);
      break;
    case step_kind::mend:
      begin_relay(s, n.owner, true);
      break;
    case step_kind::relay_bump:
      relay_bump(s, s.workers[n.owner]);
      break;
    case step_kind::relay_mark:
      finish_relay(s, n.owner);
      break;
    case step_kind::lose_trust:
      lose_trust(s, n.owner);
      break;
    case step_kind::heal:
      s.workers[n.owner].reaches_redis = 1;
      break;
    default:
      break;
  }
}

char const* simulator::apply(state& s, step n) {
  broken_ = nullptr;
  event const price = price_of(n);
  bool const paid = price != event::count && s.budget[static_cast<std::size_t>(price)] != 0;
  if (paid) --s.budget[static_cast<std::size_t>(price)];
  if (is_environment(n)) {
    environment(s, n);
  } else if (n.kind <= step_kind::write) {
    apply_to_request(s, n);
  } else if (n.kind <= step_kind::fail) {
    apply_to_read(s, n);
  } else if (n.kind <= step_kind::time_out) {
    apply_to_change(s, n);
  } else {
    apply_to_worker(s, n);
  }
  return broken_;
}

}  // namespace svc::model
