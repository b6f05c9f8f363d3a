#include "svc/egress/mail/mail_turns.hpp"

#include "svc/egress/mail/mail_pace.hpp"

#include <boost/asio/this_coro.hpp>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <utility>

namespace svc::egress {
namespace {

/// A caller that waits. Its own coroutine owns it.
struct waiting_mail {
  explicit waiting_mail(asio::io_context& io, steady::time_point until) : over(io, until) {}

  steady_timer over;
  bool granted = false;
};

/// The waiting mails of one lane.
struct lane_line {
  bool empty() const { return order.empty(); }
  void add(uuid project, waiting_mail* mail) {
    auto& mails = of_project[project];
    if (mails.empty()) order.push_back(project);
    mails.push_back(mail);
  }
  /// Returns the next mail. Requires that the lane is not empty.
  waiting_mail* pop() {
    auto const project = order.front();
    order.pop_front();
    auto const found = of_project.find(project);
    auto* const out = found->second.front();
    found->second.pop_front();
    if (found->second.empty())
      of_project.erase(found);
    else
      order.push_back(project);
    return out;
  }
  void remove(uuid project, waiting_mail* mail) {
    auto const found = of_project.find(project);
    if (found == of_project.end() || std::erase(found->second, mail) == 0 || !found->second.empty()) return;
    of_project.erase(found);
    std::erase(order, project);
  }

  std::map<uuid, std::deque<waiting_mail*>> of_project{};
  std::deque<uuid> order{};  ///< projects that wait, the next one first
};

}  // namespace

class mail_turns::implementation : public std::enable_shared_from_this<implementation> {
 public:
  implementation(asio::io_context& io, std::int64_t per_second) : io_(io), pace_(per_second), next_(io) {}

  task<bool> take(mail_lane lane, uuid project, deadline until);
  void stop() {
    stopped_ = true;
    next_.cancel();
    for (auto& line : lines_)
      while (!line.empty()) line.pop()->over.cancel();
  }
  std::size_t waiting() const { return waiting_; }

 private:
  void grant();
  void wait();

  asio::io_context& io_;
  mail_pace pace_;
  steady_timer next_;
  std::array<lane_line, 3> lines_{};
  std::size_t waiting_ = 0;
  bool armed_ = false, stopped_ = false;
};

task<bool> mail_turns::implementation::take(mail_lane lane, uuid project, deadline until) {
  auto const self = shared_from_this();
  if (stopped_ || until.passed()) co_return false;
  waiting_mail mine(io_, until.at());
  auto& line = lines_.at(static_cast<std::size_t>(lane));
  line.add(project, &mine);
  ++waiting_;
  grant();
  if (!mine.granted) co_await mine.over.async_wait(awaiting);
  --waiting_;
  if (!mine.granted) line.remove(project, &mine);
  auto const state = co_await asio::this_coro::cancellation_state;
  co_return mine.granted && !is_cancelled(state);
}

/// Lets mails start as far as the pace has room.
void mail_turns::implementation::grant() {
  for (auto& line : lines_) {
    while (!line.empty()) {
      if (pace_.room(steady::now()) < 1) return wait();
      pace_.spend(1);
      auto* const mail = line.pop();
      mail->granted = true;
      mail->over.cancel();
    }
  }
}

/// Grants again when the pace has room for a mail.
void mail_turns::implementation::wait() {
  if (std::exchange(armed_, true)) return;
  next_.expires_after(std::max(pace_.until_room(), milliseconds(1)));
  next_.async_wait([weak = weak_from_this()](boost::system::error_code) {
    auto const self = weak.lock();
    if (!self) return;
    self->armed_ = false;
    if (!self->stopped_) self->grant();
  });
}

mail_turns::mail_turns(asio::io_context& io, std::int64_t per_second)
    : impl_(std::make_shared<implementation>(io, per_second)) {}

mail_turns::~mail_turns() {
  impl_->stop();
}

task<bool> mail_turns::take(mail_lane lane, uuid project, deadline until) {
  return impl_->take(lane, project, until);
}

std::size_t mail_turns::waiting() const {
  return impl_->waiting();
}

}  // namespace svc::egress
