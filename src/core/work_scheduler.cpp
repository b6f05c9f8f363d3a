#include "svc/core/work_scheduler.hpp"

#include "svc/core/result.hpp"
#include "svc/core/thread_name.hpp"
#include "svc/core/turns.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <exception>
#include <utility>

namespace svc {
namespace {

constexpr account_decision over = account_decision::project_exhausted;

/// Suspends the calling coroutine until the function that it hands out is called, on the thread of its loop.
template <class Start>
task<> suspended(Start start) {
  co_await asio::async_initiate<asio::use_awaitable_t<executor> const, void()>(
      [&start](auto handler) {
        auto const kept = std::make_shared<decltype(handler)>(std::move(handler));
        start([kept] { std::move (*kept)(); });
      },
      asio::use_awaitable_t<executor>{});
}

}  // namespace

account_terms work_scheduler::terms(std::string_view name, std::size_t threads) {
  auto const whole = static_cast<std::size_t>(nanoseconds(window).count());
  return {.name = name,
          .total = whole * std::max<std::size_t>(1, threads),
          .project_share = whole / share_divisor,
          .rule = share_rule::contended,
          .per_unit = 1e9};
}

bool work_scheduler::line::others_than(uuid const& project) const {
  return waiting_.size() > (waiting_.contains(project) ? 1U : 0U);
}

void work_scheduler::line::push(account_owner const& owner, std::function<void()> run) {
  auto& mine = waiting_.try_emplace(owner.project, pieces{owner}).first->second;
  mine.all.push_back([owner, run = std::move(run)] {
    work_for(owner);
    run();
  });
}

std::function<void()> work_scheduler::line::take(account_window const& spent) {
  auto const least = std::ranges::min_element(
      waiting_, {}, [&](auto const& each) { return spent.spent_by(each.second.owner.project); });
  auto run = std::move(least->second.all.front());
  least->second.all.pop_front();
  if (least->second.all.empty()) waiting_.erase(least);
  return run;
}

work_scheduler::work_scheduler(asio::io_context& io, account& time, std::string name)
    : io_(io),
      time_(time),
      share_(terms(time.terms().name, 1)),
      spent_(time, window, steady::now()),
      away_activity_(std::move(name)) {}

work_scheduler::~work_scheduler() {
  away_io_.stop();
  if (away_thread_.joinable()) away_thread_.join();
}

void work_scheduler::observe(loop_activity& loop) {
  loop.charge_to(
      [this](account_owner const& owner, nanoseconds cost, steady::time_point now) { spend(owner, cost, now); });
}

void work_scheduler::spend(account_owner const& owner, nanoseconds spent, steady::time_point now) {
  spent_.spend(owner, static_cast<std::size_t>(std::max<std::int64_t>(0, spent.count())), now);
}

bool work_scheduler::must_wait(account_owner const& owner) {
  auto const mine = spent_.spent_by(owner.project);
  if (mine <= share_.project_share) return false;
  spent_.roll(steady::now());
  account_sums const sums{.total = std::min(spent_.spent(), share_.total), .project = spent_.spent_by(owner.project)};
  bool const others = sums.total > sums.project || here_.others_than(owner.project);
  auto const decision = decide(share_, sums, true);
  if (decision != over) return false;
  // A single project continues, but after ready work: a ready newcomer is first.
  if (others) time_.refuse(owner, decision);
  return true;
}

bool work_scheduler::is_over(uuid const& project) {
  if (spent_.spent_by(project) <= share_.project_share) return false;
  spent_.roll(steady::now());
  auto const mine = spent_.spent_by(project);
  return mine > share_.project_share && spent_.spent() > mine;
}

void work_scheduler::later(account_owner const& owner, std::function<void()> run) {
  here_.push(owner, std::move(run));
  if (!std::exchange(pumping_, true)) asio::post(io_, [this] { pump(); });
}

void work_scheduler::pump() {
  pumping_ = false;
  if (here_.empty()) return;
  auto const run = here_.take(spent_);
  // Before the piece, which may throw.
  if (!here_.empty() && !std::exchange(pumping_, true)) asio::post(io_, [this] { pump(); });
  run();
}

task<> work_scheduler::turn(account_owner owner) {
  if (!must_wait(owner)) co_return;
  co_await suspended([this, owner](std::function<void()> resume) { later(owner, std::move(resume)); });
}

task<> work_scheduler::away(account_owner owner, std::function<void()> job) {
  std::exception_ptr failure;
  co_await suspended([&](std::function<void()> resume) {
    there_.push(owner, [this, owner, job = std::move(job), resume = std::move(resume), &failure] {
      asio::post(away_io_, [this, owner, job, resume, &failure] {
        work_for(owner);
        auto const before = thread_time();
        try {
          if (stopped_) throw unavailable("the thread ends");
          job();
        } catch (...) {
          failure = std::current_exception();
        }
        auto const cost = thread_time() - before;
        asio::post(io_, [this, owner, cost, resume] {
          away_busy_ = false;
          spend(owner, cost, steady::now());
          next_away();
          work_for(owner);
          resume();
        });
      });
    });
    next_away();
  });
  if (failure) std::rethrow_exception(failure);
}

void work_scheduler::next_away() {
  if (away_busy_ || there_.empty()) return;
  away_busy_ = true;
  if (!away_thread_.joinable()) {
    away_runs_ = true;
    away_thread_ = std::thread(&work_scheduler::run_away, this);
  }
  there_.take(spent_)();
}

void work_scheduler::run_away() {
  name_this_thread(away_activity_.name());
  auto const guard = asio::make_work_guard(away_io_);
  turn_meter turns(steady::now(), {});
  run_turns(away_io_, turns, away_activity_);
  away_runs_ = false;
}

void work_scheduler::ask_away_turn() {
  asio::post(away_io_, [] {});
}

}  // namespace svc
