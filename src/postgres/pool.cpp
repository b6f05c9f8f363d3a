#include "svc/postgres/pool.hpp"

#include "postgres/pool_core.hpp"
#include "postgres/shared_reads.hpp"
#include "svc/core/failpoint.hpp"

namespace svc::postgres {

void throw_exception_from_error(server_error const& e, boost::source_location const&) {
  throw unexpected_refusal(e);
}

struct pool::impl final : pool_core {
  impl(asio::io_context& io, settings settings, std::function<void(bool)> on_change)
      : pool_core(io, std::move(settings), std::move(on_change)), reads(io, *this) {}

  shared_reads reads;
};

/// A lent connection and the progress of its transaction.
struct unit_of_work::state {
  lease held;
  deadline until;
  bool begun = false;  ///< BEGIN was sent
  bool over = false;   ///< ended, failed, or in an unknown state

  task<outcome<std::vector<rows>>> run(std::span<query const> batch, framing around) {
    if (over) throw std::logic_error("postgres: the unit of work is over");
    // `over` stays set if this throws or is destroyed; the connection is then given back even if the unit lives on.
    over = begun = true;
    struct releaser {
      state& self;
      ~releaser() {
        if (self.over) self.held.end();
      }
    } const at_end{*this};
    auto answer = co_await held.run(batch, around, until);
    if (around == framing::begins) SVC_FAILPOINT("postgres.after_first_batch");
    if (around == framing::continues) SVC_FAILPOINT("postgres.after_next_batch");
    over = !answer || around == framing::commits || around == framing::implicit;
    co_return answer;
  }
};

pool::pool(asio::io_context& io, settings settings, std::function<void(bool)> on_change)
    : impl_(std::make_shared<impl>(io, std::move(settings), std::move(on_change))) {}

pool::~pool() {
  impl_->stop();
}

void pool::start() {
  impl_->start();
}

void pool::stop() {
  impl_->stop();
}

void pool::follow(primary_server const& where) {
  impl_->follow(where);
}

bool pool::healthy() const {
  return impl_->healthy();
}

steady::duration pool::queue_time(steady::time_point now) const {
  return impl_->queue_time(now);
}

steady::duration pool::queue_time(account_owner const& owner, steady::time_point now) const {
  return impl_->queue_time(owner, now);
}

statistics pool::stats() const {
  return impl_->stats();
}

namespace {

/// The rows of a batch of one.
outcome<rows> only(outcome<std::vector<rows>> answer) {
  if (!answer) return answer.error();
  return std::move(answer->front());
}

}  // namespace

task<outcome<rows>> pool::run(query query, deadline until) {
  lease held = co_await impl_->acquire(until);
  co_return only(co_await held.run({&query, 1}, framing::implicit, until));
}

task<outcome<rows>> pool::run(query query, deadline until, steady::time_point& sent) {
  lease held = co_await impl_->acquire(until);
  sent = steady::now();
  co_return only(co_await held.run({&query, 1}, framing::implicit, until));
}

task<outcome<rows>> pool::read(query query, deadline until) {
  return impl_->reads.read(std::move(query), until);
}

task<outcome<std::vector<rows>>> pool::run(std::vector<query> batch, deadline until) {
  if (batch.empty()) co_return std::vector<rows>{};
  lease held = co_await impl_->acquire(until);
  co_return co_await held.run(batch, framing::implicit, until);
}

task<unit_of_work> pool::begin(deadline until) {
  lease held = co_await impl_->acquire(until);
  co_return unit_of_work(std::make_unique<unit_of_work::state>(std::move(held), until));
}

unit_of_work::unit_of_work(std::unique_ptr<state> s) : state_(std::move(s)) {}
unit_of_work::unit_of_work(unit_of_work&&) noexcept = default;
unit_of_work::~unit_of_work() = default;

task<outcome<std::vector<rows>>> unit_of_work::run(std::vector<query> batch) {
  if (batch.empty()) co_return std::vector<rows>{};
  co_return co_await state_->run(batch, state_->begun ? framing::continues : framing::begins);
}

task<outcome<rows>> unit_of_work::run(query query) {
  co_return only(co_await state_->run({&query, 1}, state_->begun ? framing::continues : framing::begins));
}

task<outcome<std::vector<rows>>> unit_of_work::commit(std::vector<query> last) {
  SVC_FAILPOINT("postgres.before_commit");
  if (state_->begun) co_return co_await state_->run(last, framing::commits);
  // Nothing has been sent yet: the last statements are the only batch, which needs no BEGIN.
  if (!last.empty()) co_return co_await state_->run(last, framing::implicit);
  state_->over = true;
  state_->held.end();
  co_return std::vector<rows>{};
}

}  // namespace svc::postgres
