#pragma once

#include "postgres/connection.hpp"
#include "postgres/held_connections.hpp"
#include "postgres/opener.hpp"
#include "postgres/pool_policy.hpp"
#include "postgres/waiting_line.hpp"
#include "svc/core/backoff.hpp"
#include "svc/postgres/pool.hpp"

#include <functional>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace svc::postgres {

class lease;

/// The pool itself: executes the decisions of `pool_policy`. Shared by the pool, its leases and its
/// background coroutines, so that none of them outlives it. Worker-local.
class pool_core : public std::enable_shared_from_this<pool_core> {
 public:
  pool_core(asio::io_context& io, settings settings, std::function<void(bool)> on_change);

  void start();
  void stop();
  bool healthy() const { return healthy_; }
  /// Ignores callers whose owner has exhausted its share, because they say nothing about the load of others.
  steady::duration queue_time(steady::time_point now) const;
  steady::duration queue_time(account_owner const& owner, steady::time_point now) const;
  statistics stats() const;
  std::size_t most_waiting() const { return settings_.max_waiting; }

  task<lease> acquire(deadline until, line_end end = line_end::last);
  /// Runs a batch on a lent connection and counts it.
  task<outcome<std::vector<rows>>> run(connection& lent, std::span<query const> batch, framing around,
                                       deadline until);
  void give_back(std::unique_ptr<connection> c);
  void follow(primary_server const& where);

 private:
  /// A waiting caller; lives in its coroutine's frame. The timer is its deadline, and wakes it early when cancelled.
  struct waiter : waiting_caller {
    waiter(asio::io_context& io, pool_core& core, account_owner const& owner)
        : waiting_caller(owner), timer(io), pool(core) {}
    ~waiter();
    waiter(waiter const&) = delete;
    waiter& operator=(waiter const&) = delete;
    bool answered() const { return got || !refused.empty(); }

    steady_timer timer;
    pool_core& pool;
    std::unique_ptr<connection> got{};
    std::string refused{};
    bool in_line = false;
  };

  /// A connection that is lent to a caller, or rolls back that caller's transaction.
  struct lent_session {
    connection* session;
    account_owner owner;
  };

  /// A session whose caller gave up while the server executes its statements. Its owner is charged for it
  /// until the server has ended it, unless commits stall, which no owner causes.
  struct abandoned_session {
    std::unique_ptr<connection> session;
    account_owner owner;
    bool charged = true;
  };
  using abandoned_list = std::list<abandoned_session>;

  pool_view view() const;
  int busy() const { return static_cast<int>(lent_.size()); }
  int room(account_owner const& owner) const;
  waiting_line::room room_of() const {
    return [this](account_owner const& owner) { return room(owner); };
  }
  std::unique_ptr<connection> take_idle();
  void lend(connection& c, account_owner const& owner);
  account_owner take_back(connection const* c);
  task<std::unique_ptr<connection>> wait_in_line(deadline until, line_end end);
  void require_position(account_owner const& owner) const;
  void serve(std::unique_ptr<connection> c);
  void hand_over(std::unique_ptr<connection> c);
  void serve_from_idle();
  void adjust();
  void abandon(std::unique_ptr<connection> c, account_owner const& owner);
  void ended(abandoned_list::iterator position);
  void ask_about_commits();
  void set_read_only(bool now);
  void discard(std::unique_ptr<connection> c);
  void drop_former();
  void set_healthy(bool now);
  void could_not_open(std::string const& reason, bool silent);
  void refuse_line(std::string const& reason);
  void sweep_later();
  void sweep();
  static task<> open_one(std::shared_ptr<pool_core> self);
  static task<> discard(std::shared_ptr<pool_core> self, abandoned_list::iterator position);
  static task<> ask(std::shared_ptr<pool_core> self);
  static task<> roll_back(std::shared_ptr<pool_core> self, std::unique_ptr<connection> c);

  asio::io_context& io_;
  settings settings_;
  std::function<void(bool)> on_change_;
  statistics counted_;
  std::vector<std::unique_ptr<connection>> idle_;  ///< last in, first out: the front ones have been idle longest
  std::vector<lent_session> lent_{};
  held_connections held_;  ///< those in `lent_`, and the charged ones in `abandoned_`
  abandoned_list abandoned_{};
  waiting_line line_{};
  steady_timer retry_, sweep_;
  backoff pause_{milliseconds(50), milliseconds(1000)};  ///< after a connection that could not be opened
  std::shared_ptr<opener> opener_;
  int opening_ = 0;
  int unused_ = 0;  ///< the lowest idle count of the current period
  int sweeps_ = 0;  ///< in the current period
  bool healthy_ = false, cooling_ = false, stopped_ = true;
  bool asking_ = false;     ///< a question whether commits stall is under way
  bool read_only_ = false;  ///< commits stall, so transactions that begin now may not write
};

/// A lent connection. Gives it back in any state; the pool rolls back or closes it where needed.
class lease {
 public:
  lease(std::shared_ptr<pool_core> core, std::unique_ptr<connection> lent)
      : core_(std::move(core)), lent_(std::move(lent)) {}
  lease(lease&&) noexcept = default;
  lease& operator=(lease&&) = delete;
  ~lease() { end(); }

  void end() {
    if (lent_) core_->give_back(std::move(lent_));
  }
  task<outcome<std::vector<rows>>> run(std::span<query const> batch, framing around, deadline until) {
    return core_->run(*lent_, batch, around, until);
  }

 private:
  std::shared_ptr<pool_core> core_;
  std::unique_ptr<connection> lent_;
};

}  // namespace svc::postgres
