// Sessions that a pool's callers have given up while the server executes their statements. A backend that waits for a
// synchronous standby does not notice that its client has gone, so each timed-out COMMIT would leave one behind,
// until the server has no connections left for reads.
#include "postgres/pool_core.hpp"
#include "svc/core/log.hpp"
#include "svc/core/spawn_task.hpp"

namespace svc::postgres {

namespace {

constexpr milliseconds question_deadline{1000};
/// Sees the sessions of its own role. A commit that waits for less time may simply be slow.
constexpr statement commits_stall{
    .name = "pool_commits_stall",
    .sql =
        "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE usename = current_user AND wait_event = 'SyncRep' AND "
        "state_change < now() - interval '500 milliseconds')",
    .planned_each_time = true};

}  // namespace

void pool_core::abandon(std::unique_ptr<connection> c, account_owner const& owner) {
  ++counted_.timeouts;
  // Common work is not charged, so that the question about commits finds room.
  bool const charged = !read_only_ && owner.project != uuid();
  if (charged) held_.take(owner);
  auto const position =
      abandoned_.insert(abandoned_.end(), {.session = std::move(c), .owner = owner, .charged = charged});
  spawn_task(io_, discard(shared_from_this(), position));
  ask_about_commits();
}

task<> pool_core::discard(std::shared_ptr<pool_core> self, abandoned_list::iterator position) {
  try {
    co_await position->session->discard_answers();
  } catch (std::exception const&) {
    // The session is lost, which also ends it. No caller waits for the reason.
  }
  self->ended(position);
}

void pool_core::ended(abandoned_list::iterator position) {
  if (position->charged) held_.give_back(position->owner);
  ++counted_.closed;
  abandoned_.erase(position);
  if (!many_abandoned(settings_.size, static_cast<int>(abandoned_.size()))) set_read_only(false);
  serve_from_idle();
  adjust();
}

/// Asks the server while many sessions are abandoned, because locks and slow statements leave sessions too, for a
/// short time, and must not stop writes.
void pool_core::ask_about_commits() {
  bool const due = many_abandoned(settings_.size, static_cast<int>(abandoned_.size())) && !read_only_;
  if (!due || asking_ || stopped_) return;
  asking_ = true;
  spawn_task(io_, ask(shared_from_this()));
}

task<> pool_core::ask(std::shared_ptr<pool_core> self) {
  try {
    auto const until = deadline::after(question_deadline);
    // Before callers whose commits may stall too.
    auto held = co_await self->acquire(until, line_end::first);
    query const question{commits_stall};
    auto const answer = co_await held.run({&question, 1}, framing::implicit, until);
    if (answer && answer->front().front().boolean(0) &&
        many_abandoned(self->settings_.size, static_cast<int>(self->abandoned_.size())))
      self->set_read_only(true);
  } catch (std::exception const&) {
    // The sweep asks again.
  }
  self->asking_ = false;
}

void pool_core::set_read_only(bool now) {
  if (read_only_ == now) return;
  read_only_ = now;
  if (!now) return log::info("PostgreSQL confirms commits again", {});
  log::warn("PostgreSQL does not confirm commits, since no synchronous standby answers: changes are refused",
            {{"abandoned", abandoned_.size()}});
  for (auto& session : abandoned_) {
    if (session.charged) held_.give_back(session.owner);
    session.charged = false;
  }
  serve_from_idle();
  adjust();
}

}  // namespace svc::postgres
