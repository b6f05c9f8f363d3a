#include "svc/live/dispatch/dispatcher.hpp"

#include "live/dispatch/claim_policy.hpp"
#include "svc/core/spawn_task.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <exception>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace svc::dispatch {
namespace {

/// The deadline of one command of Redis, or one query of PostgreSQL.
constexpr milliseconds store_patience{2000};

}  // namespace

/// The object outlives the dispatcher while a request waits, or news is on its way.
struct dispatcher::impl final : dispatch_inbox, std::enable_shared_from_this<impl> {
  impl(asio::io_context& target, claim_hub& subject, redis::client& client, changed_runs runs,
       background_loop_ptr loop)
      : dispatch_inbox(target), events(subject), redis(client), changed(std::move(runs)), asks(std::move(loop)) {
    asks->rests();
  }

  std::vector<dispatch_news> take(std::vector<dispatch_news> news) override;
  void publish(std::vector<dispatch_news> news) override;
  std::optional<dispatch_news> take_here(dispatch_news news);
  std::int64_t wake_claims(queued_work const& work);
  bool wake_run(uuid run);
  void wake_one_of_each();
  void notify(dispatch_news news);
  void poll_from_now();
  task<> poll(std::shared_ptr<impl> self);
  task<> send(std::shared_ptr<impl> self);
  task<> ask_database();

  claim_hub& events;
  redis::client& redis;
  changed_runs changed;
  background_loop_ptr asks;
  std::size_t position = 0;
  std::list<claim_wait*> claims{};
  std::list<run_wait*> runs{};
  std::map<uuid, run_wait*> holders{};  ///< the newest wait of each claim
  unsent_news unpassed{};               ///< for the other workers, until the end of the loop's turn
  unsent_news unsent{};                 ///< for other instances
  std::size_t waiting = 0;
  std::size_t polls = 0;
  bool passing = false;
  bool sending = false;
  bool polling = false;
  bool draining = false;
};

/// Wakes claims in order of arrival, and no more than the work needs. A woken claim that has not looked yet also
/// takes the new work, as far as it has room. Returns the number of runs that are left.
std::int64_t dispatcher::impl::wake_claims(queued_work const& work) {
  std::int64_t left = work.count;
  for (auto* wait : claims) {
    if (left <= 0) break;
    claim_view const claim{wait->scope_, wait->labels_, wait->most_, wait->woken_, wait->claimed_};
    auto const taken = runs_for(claim, work, left);
    if (taken <= 0) continue;
    left -= taken;
    wait->claimed_ = claimed_with(claim, work, taken);
    wait->woken_ = true;
    wait->timer_.cancel();
  }
  return left;
}

bool dispatcher::impl::wake_run(uuid run) {
  bool found = false;
  for (auto* wait : runs) {
    if (!std::ranges::binary_search(wait->runs_, run, {}, &waited_run::run)) continue;
    wait->woken_ = found = true;
    wait->timer_.cancel();
  }
  return found;
}

std::optional<dispatch_news> dispatcher::impl::take_here(dispatch_news news) {
  if (news.work) {
    news.work->count = wake_claims(*news.work);
    if (news.work->count <= 0) news.work.reset();
  }
  if (news.cancelled && wake_run(*news.cancelled)) news.cancelled.reset();
  if (!news.work && !news.cancelled) return std::nullopt;
  return news;
}

std::vector<dispatch_news> dispatcher::impl::take(std::vector<dispatch_news> news) {
  std::vector<dispatch_news> out;
  for (auto& entry : news)
    if (auto left = take_here(std::move(entry))) out.push_back(std::move(*left));
  return out;
}

/// Passes news to the other workers. A commit of many triggers ends in one turn of the loop. Their news is passed
/// together at the end of the turn, because each passing wakes other threads.
void dispatcher::impl::notify(dispatch_news news) {
  auto left = take_here(std::move(news));
  if (!left) return;
  unpassed.add(std::move(*left));
  if (std::exchange(passing, true)) return;
  asio::post(io(), [self = shared_from_this()] {
    self->passing = false;
    self->events.pass(self->position, self->unpassed.take());
  });
}

/// Publishes news to other instances. News that arrives during a message is sent together in the next one.
void dispatcher::impl::publish(std::vector<dispatch_news> news) {
  for (auto& entry : news) unsent.add(std::move(entry));
  if (std::exchange(sending, true)) return;
  spawn_task(io(), send(shared_from_this()));
}

task<> dispatcher::impl::send(std::shared_ptr<impl> self) {
  std::exception_ptr failure;
  try {
    while (!self->unsent.empty()) {
      auto const text = write_dispatch(self->events.name(), self->unsent.take());
      std::string_view const words[] = {"PUBLISH", dispatch_channel, text};
      co_await self->redis.command(words, deadline::after(store_patience));
    }
  } catch (...) {
    failure = std::current_exception();
  }
  // The polls of waiting requests find lost news.
  if (failure) log_failure("news of runs", failure);
  self->sending = false;
}

void dispatcher::impl::poll_from_now() {
  if (std::exchange(polling, true)) return;
  spawn_task(io(), poll(shared_from_this()));
}

task<> dispatcher::impl::poll(std::shared_ptr<impl> self) {
  steady_timer pause(self->io());
  while (!self->draining && (!self->claims.empty() || !self->runs.empty())) {
    pause.expires_after(interval);
    co_await pause.async_wait(awaiting);
    self->wake_one_of_each();
    co_await attempt(self->asks, self->ask_database());
  }
  self->asks->rests();
  self->polling = false;
}

/// Wakes the first of the claims that would claim the same runs. If that claim finds more than it can take, it wakes
/// the next. In a scope whose claims name many different lists of labels, which its tokens choose, each poll wakes
/// the next few claims.
void dispatcher::impl::wake_one_of_each() {
  using scope = std::pair<uuid, std::optional<uuid>>;
  std::set<std::pair<scope, std::vector<std::string>>> seen;
  std::map<scope, std::vector<claim_wait*>> firsts;
  for (auto* wait : claims) {
    scope const its{wait->scope_.organization, wait->scope_.project};
    if (seen.emplace(its, wait->labels_).second) firsts[its].push_back(wait);
  }
  for (auto const& [its, all] : firsts) {
    auto const pages = (all.size() + most_woken - 1) / most_woken;
    auto const first = polls % pages * most_woken;
    for (std::size_t i = first; i < std::min(all.size(), first + most_woken); ++i) {
      all[i]->woken_ = true;
      all[i]->timer_.cancel();
    }
  }
  ++polls;
}

task<> dispatcher::impl::ask_database() {
  std::vector<uuid> ids;
  for (auto const* wait : runs) std::ranges::transform(wait->runs_, std::back_inserter(ids), &waited_run::run);
  std::ranges::sort(ids);
  ids.erase(std::ranges::unique(ids).begin(), ids.end());
  for (std::size_t first = 0; first < ids.size(); first += most_asked) {
    auto const begin = ids.begin() + static_cast<std::ptrdiff_t>(first);
    auto const count = std::min(most_asked, ids.size() - first);
    std::vector<uuid> piece(begin, begin + static_cast<std::ptrdiff_t>(count));
    for (uuid const& id : co_await changed(std::move(piece), deadline::after(store_patience))) wake_run(id);
  }
}

dispatcher::dispatcher(asio::io_context& io, claim_hub& events, redis::client& redis, changed_runs changed,
                       background_loop_ptr asks)
    : impl_(std::make_shared<impl>(io, events, redis, std::move(changed), std::move(asks))) {
  impl_->position = events.join(impl_);
}

dispatcher::~dispatcher() = default;

void dispatcher::queued(queued_work work) {
  impl_->notify({.work = std::move(work)});
}

void dispatcher::left(queued_work work) {
  impl_->take_here({.work = std::move(work)});
}

void dispatcher::cancel_requested(uuid run) {
  impl_->notify({.cancelled = run});
}

std::size_t dispatcher::waiting() const {
  return impl_->waiting;
}

void dispatcher::drain() {
  impl_->draining = true;
  for (auto* wait : impl_->claims) wait->timer_.cancel();
  for (auto* run_wait : impl_->runs) run_wait->timer_.cancel();
}

dispatcher::claim_wait::claim_wait(dispatcher& dispatcher, runner_scope scope, std::vector<std::string> labels,
                                   std::int64_t most)
    : impl_(dispatcher.impl_),
      scope_(scope),
      labels_(std::move(labels)),
      most_(most),
      timer_(impl_->io()),
      position_(impl_->claims.insert(impl_->claims.end(), this)) {
  impl_->poll_from_now();
}

dispatcher::claim_wait::~claim_wait() {
  impl_->claims.erase(position_);
  if (claimed_) impl_->notify({.work = std::move(claimed_)});
}

dispatcher::run_wait::run_wait(dispatcher& dispatcher, std::vector<waited_run> runs)
    : impl_(dispatcher.impl_),
      runs_(std::move(runs)),
      timer_(impl_->io()),
      position_(impl_->runs.insert(impl_->runs.end(), this)) {
  std::ranges::sort(runs_, {}, &waited_run::run);
  for (auto const& run : runs_) {
    auto& holder = impl_->holders[run.claim];
    if (holder != nullptr && holder != this) holder->lose(run.claim);
    holder = this;
  }
  impl_->poll_from_now();
}

dispatcher::run_wait::~run_wait() {
  for (auto const& run : runs_) {
    auto const found = impl_->holders.find(run.claim);
    if (found != impl_->holders.end() && found->second == this) impl_->holders.erase(found);
  }
  impl_->runs.erase(position_);
}

/// Removes a run whose claim has a newer wait.
void dispatcher::run_wait::lose(uuid claim) {
  std::erase_if(runs_, [&claim](waited_run const& run) { return run.claim == claim; });
  if (!runs_.empty()) return;
  replaced_ = true;
  timer_.cancel();
}

namespace {

/// Counts a waiting request, whichever way the wait ends.
struct scoped_count {
  explicit scoped_count(std::size_t& number) : count(number) { ++count; }
  scoped_count(scoped_count const&) = delete;
  scoped_count& operator=(scoped_count const&) = delete;
  ~scoped_count() { --count; }
  std::size_t& count;
};

task<bool> wait_for(steady_timer& timer, bool& woken, bool stopped, std::size_t& waiting, deadline over) {
  if (!woken && !stopped && !over.passed()) {
    scoped_count const count(waiting);
    timer.expires_at(over.at());
    co_await timer.async_wait(awaiting);
  }
  co_return std::exchange(woken, false);
}

}  // namespace

task<bool> dispatcher::claim_wait::until(deadline over) {
  return wait_for(timer_, woken_, impl_->draining, impl_->waiting, over);
}

task<bool> dispatcher::run_wait::until(deadline over) {
  return wait_for(timer_, woken_, impl_->draining || replaced_, impl_->waiting, over);
}

}  // namespace svc::dispatch
