#include "svc/egress/mail/mail_client.hpp"

#include "egress/http/multi.hpp"
#include "egress/mail/transaction.hpp"
#include "svc/core/cancelled.hpp"
#include "svc/core/thread_name.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/thread_pool.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <memory>
#include <optional>
#include <unordered_set>
#include <utility>

namespace svc::egress {

namespace {

/// Mails at the same time; further ones wait.
constexpr std::size_t threads = 8;

/// An attempt that a coroutine waits for. The loop's thread owns all but `run`.
struct mail_attempt {
  mail_attempt(asio::io_context& io, std::shared_ptr<mail_settings const> settings,
               std::shared_ptr<trust_store const> trust, mail mail, steady::time_point until)
      : run(std::move(settings), std::move(trust), std::move(mail), until), over(io, until) {}

  mail_transaction run;
  steady_timer over;
  std::optional<mail_answer> answer{};
};

/// Until when each thread may be busy with its attempt, for other threads to see. Outlives the threads.
class busy_threads {
 public:
  /// Returns the place of the calling thread, which `leave` frees. At most one thread for each place is in.
  std::size_t enter(steady::time_point until) {
    for (std::size_t i = 0;; i = (i + 1) % until_.size()) {
      steady::rep free = 0;
      if (until_[i].compare_exchange_strong(free, until.time_since_epoch().count())) return i;
    }
  }
  void leave(std::size_t place) { until_[place] = 0; }
  milliseconds overdue(steady::time_point now) const {
    steady::duration out{0};
    for (auto const& each : until_) {
      auto const until = each.load();
      if (until != 0) out = std::max(out, now.time_since_epoch() - steady::duration(until));
    }
    return std::chrono::duration_cast<milliseconds>(out);
  }

 private:
  std::array<std::atomic<steady::rep>, threads> until_{};
};

}  // namespace

class mail_client::implementation : public std::enable_shared_from_this<implementation> {
 public:
  implementation(asio::io_context& io, std::shared_ptr<mail_settings const> settings,
                 std::shared_ptr<trust_store const> trust)
      : io_(io), settings_(std::move(settings)), trust_(std::move(trust)), pool_(threads) {
    start_curl();
  }

  /// Waits for the threads, for a second at most; they may not post to a loop that is gone.
  void stop() {
    stopped_ = true;
    for (auto const& attempt : open_) {
      attempt->run.give_up();
      attempt->over.cancel();
    }
    pool_.join();
  }
  task<mail_answer> send(mail mail, deadline until);
  milliseconds overdue(steady::time_point now) const { return busy_->overdue(now); }

 private:
  asio::io_context& io_;
  std::shared_ptr<mail_settings const> const settings_;
  std::shared_ptr<trust_store const> const trust_;
  std::unordered_set<std::shared_ptr<mail_attempt>> open_{};
  bool stopped_ = false;
  std::shared_ptr<busy_threads> const busy_ = std::make_shared<busy_threads>();
  // Ends first: its threads use nothing of this, but the attempts that they hold do.
  asio::thread_pool pool_;
};

task<mail_answer> mail_client::implementation::send(mail mail, deadline until) {
  auto const self = shared_from_this();
  if (stopped_) co_return mail_answer{.error = failure::cancelled};
  auto const nonarray = std::make_shared<mail_attempt>(io_, settings_, trust_, std::move(mail), until.at());
  open_.insert(nonarray);
  asio::post(pool_, [nonarray, until, busy = busy_, &io = io_] {
    name_this_thread("mail");
    auto const place = busy->enter(until.at());
    mail_answer came;
    try {
      came = nonarray->run.run();
    } catch (std::exception const&) {
      // Memory is short, or libcurl does not take an option: `internal`.
    }
    busy->leave(place);
    asio::post(io, [nonarray, came] {
      nonarray->answer = came;
      nonarray->over.cancel();
    });
  });
  co_await nonarray->over.async_wait(awaiting);
  nonarray->run.give_up();
  open_.erase(nonarray);
  if (nonarray->answer) co_return *nonarray->answer;
  auto const state = co_await asio::this_coro::cancellation_state;
  bool const given_up = stopped_ || is_cancelled(state);
  co_return mail_answer{.error = given_up ? failure::cancelled : failure::first_byte_timeout};
}

mail_client::mail_client(asio::io_context& io, std::shared_ptr<mail_settings const> settings,
                         std::shared_ptr<trust_store const> trust)
    : impl_(std::make_shared<implementation>(io, std::move(settings), std::move(trust))) {}

mail_client::~mail_client() {
  impl_->stop();
}

milliseconds mail_client::overdue(steady::time_point now) const {
  return impl_->overdue(now);
}

task<mail_answer> mail_client::send(mail mail, deadline until) {
  return impl_->send(std::move(mail), until);
}

}  // namespace svc::egress
