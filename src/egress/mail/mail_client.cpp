#include "svc/egress/mail/mail_client.hpp"

#include "egress/http/multi.hpp"
#include "egress/mail/transaction.hpp"
#include "svc/core/async.hpp"
#include "svc/core/failpoint.hpp"
#include "svc/core/thread_name.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/thread_pool.hpp>

#include <algorithm>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_set>
#include <utility>
#include <vector>

namespace svc::egress {

namespace {

/// An attempt that a coroutine waits for. The loop's thread owns all but `run`.
struct mail_attempt {
  mail_attempt(asio::io_context& io, std::shared_ptr<mail_settings const> settings,
               std::shared_ptr<trust_store const> trust, mail mail, steady::time_point until)
      : run(std::move(settings), std::move(trust), std::move(mail), until), over(io, until) {}

  mail_transaction run;
  steady_timer over;
  std::optional<mail_answer> answer{};
};

/// The attempt that each thread is busy with, for other threads to see. Outlives the threads.
class busy_threads {
 public:
  explicit busy_threads(std::size_t threads) : busy_(threads) {}

  /// Returns the place of the calling thread, which `leave` frees. At most one thread for each place is in.
  std::size_t enter(steady::time_point until, uuid const& project) {
    std::lock_guard const lock(mutex_);
    auto const free = std::ranges::find_if_not(busy_, [](auto const& each) { return each.has_value(); });
    *free = attempt{until, project};
    return static_cast<std::size_t>(free - busy_.begin());
  }
  void leave(std::size_t slot) {
    std::lock_guard const lock(mutex_);
    busy_[slot].reset();
  }
  overdue_attempt overdue(steady::time_point now) const {
    std::lock_guard const lock(mutex_);
    overdue_attempt out;
    for (auto const& each : busy_) {
      if (!each) continue;
      auto const lasted = std::chrono::duration_cast<milliseconds>(now - each->until);
      if (lasted > out.lasted) out = {lasted, each->project};
    }
    return out;
  }

 private:
  struct attempt {
    steady::time_point until;
    uuid project;
  };
  mutable std::mutex mutex_{};
  std::vector<std::optional<attempt>> busy_;
};

}  // namespace

class mail_client::implementation : public std::enable_shared_from_this<implementation> {
 public:
  implementation(asio::io_context& io, std::shared_ptr<mail_settings const> settings,
                 std::shared_ptr<trust_store const> trust, std::size_t threads, std::optional<mail_queue> queue)
      : io_(io),
        settings_(std::move(settings)),
        trust_(std::move(trust)),
        queue_(queue),
        busy_(std::make_shared<busy_threads>(threads)),
        pool_(threads) {
    start_curl();
  }

  /// Waits for the threads, which may not post to a loop that is gone: for a second, or until the process ends if one
  /// of them is stuck (app/process/exit_deadline.hpp).
  void stop() {
    stopped_ = true;
    for (auto const& attempt : open_) {
      attempt->run.give_up();
      attempt->over.cancel();
    }
    pool_.join();
  }
  task<mail_answer> send(mail mail, deadline until);
  overdue_attempt overdue(steady::time_point now) const { return busy_->overdue(now); }

 private:
  asio::io_context& io_;
  std::shared_ptr<mail_settings const> const settings_;
  std::shared_ptr<trust_store const> const trust_;
  std::optional<mail_queue> const queue_;
  std::unordered_set<std::shared_ptr<mail_attempt>> open_{};
  bool stopped_ = false;
  std::shared_ptr<busy_threads> const busy_;
  // Ends first: its threads use nothing of this, but the attempts that they hold do.
  asio::thread_pool pool_;
};

task<mail_answer> mail_client::implementation::send(mail mail, deadline until) {
  auto const self = shared_from_this();
  auto const project = mail.project;
  if (!stopped_ && queue_ && !co_await queue_->turns.take(queue_->lane, project, until))
    co_return mail_answer{.error = until.passed() ? failure::connect_timeout : failure::cancelled};
  if (stopped_) co_return mail_answer{.error = failure::cancelled};
  auto const attempt = std::make_shared<mail_attempt>(io_, settings_, trust_, std::move(mail), until.at());
  open_.insert(attempt);
  asio::post(pool_, [attempt, until, project, busy = busy_, &io = io_] {
    name_this_thread("mail");
    auto const slot = busy->enter(until.at(), project);
    mail_answer came;
    try {
      SVC_FAILPOINT_NOW("mail.send");
      came = attempt->run.run();
    } catch (std::exception const&) {
      // Memory is short, or libcurl does not take an option: `internal`.
    }
    busy->leave(slot);
    asio::post(io, [attempt, came] {
      attempt->answer = came;
      attempt->over.cancel();
    });
  });
  co_await attempt->over.async_wait(awaiting);
  attempt->run.give_up();
  open_.erase(attempt);
  if (attempt->answer) co_return *attempt->answer;
  auto const state = co_await asio::this_coro::cancellation_state;
  bool const given_up = stopped_ || is_cancelled(state);
  co_return mail_answer{.error = given_up ? failure::cancelled : failure::first_byte_timeout};
}

mail_client::mail_client(asio::io_context& io, std::shared_ptr<mail_settings const> settings,
                         std::shared_ptr<trust_store const> trust, std::size_t threads,
                         std::optional<mail_queue> queue)
    : impl_(std::make_shared<implementation>(io, std::move(settings), std::move(trust), threads, queue)) {}

mail_client::~mail_client() {
  impl_->stop();
}

overdue_attempt mail_client::overdue(steady::time_point now) const {
  return impl_->overdue(now);
}

task<mail_answer> mail_client::send(mail mail, deadline until) {
  return impl_->send(std::move(mail), until);
}

}  // namespace svc::egress
