#include "svc/monitoring/scheduler/check_tests.hpp"

#include "svc/core/failpoint.hpp"
#include "svc/core/log.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

#include <exception>
#include <optional>
#include <variant>

namespace svc::scheduler {

task<result<check_report>> check_tests::run(check_order order, deadline until) {
  auto const mine = std::make_shared<waiting>(co_await asio::this_coro::executor, until);
  asio::post(io_, [this, whose = mine, order = std::move(order)]() mutable {
    try {
      SVC_FAILPOINT_NOW("checks.begin_test");
      begin(whose, std::move(order));
    } catch (...) {
      // The user must not wait until the deadline for a check that could not start. The loop logs the reason.
      waiting::give(std::move(whose), std::nullopt);
      throw;
    }
  });
  // While the tests are not closed, the loop runs until it has handled this request.
  if (closed_) co_return errc::overloaded;
  auto came = co_await mine->wait();
  if (!came) throw unavailable("the check of an unsaved monitor was not answered");
  if (!*came) co_return came->error();
  auto& end = **came;
  if (auto* const found = std::get_if<check_report>(&end)) co_return std::move(*found);
  if (std::get<skip_reason>(end) != skip_reason::target_busy)
    throw unavailable("the variables of a check could not be read");
  co_return error(errc::rate_limited, "Too many checks of this target are in progress, or were in the last minute.");
}

result<> check_tests::take_slot(uuid const& organization) {
  account_owner const owner{.organisation = organization};
  if (under_way_.size() >= most || closed_) {
    if (book_ != nullptr) book_->refuse(owner, account_decision::total_exhausted);
    return errc::overloaded;
  }
  auto& mine = of_organization_[organization];
  if (mine >= most_of_organization) {
    if (book_ != nullptr) book_->refuse(owner, account_decision::organisation_exhausted);
    return error(
        errc::rate_limited,
        "The organization has reached its limit of concurrent checks of unsaved monitors; wait until one ends.");
  }
  ++mine;
  if (book_ != nullptr) book_->charge(owner, 1);
  return {};
}

void check_tests::leave_slot(uuid const& organization) {
  if (auto const mine = of_organization_.find(organization); --mine->second == 0) of_organization_.erase(mine);
  if (book_ != nullptr) book_->release({.organisation = organization}, 1);
}

void check_tests::begin(waiting_ptr whose, check_order order) {
  if (auto const slot = take_slot(order.organization); !slot) {
    waiting::give(std::move(whose), result<check_end>(slot.error()));
    return;
  }
  auto const mine = under_way_.insert(under_way_.end(), std::make_shared<asio::cancellation_signal>());
  auto const organization = order.organization;
  auto const ended = [this, mine, signal = *mine, organization](std::exception_ptr) {
    under_way_.erase(mine);
    leave_slot(organization);
  };
  asio::co_spawn(io_, check(std::move(whose), std::move(order)),
                 asio::bind_cancellation_slot((*mine)->slot(), ended));
}

task<> check_tests::check(waiting_ptr whose, check_order order) {
  std::optional<result<check_end>> came;
  try {
    came = co_await run_check_(std::move(order));
  } catch (std::exception const& e) {
    log::error("the check of an unsaved monitor failed", {{"why", e.what()}});
  }
  // The result of a check that was given up means nothing.
  auto const asked = co_await asio::this_coro::cancellation_state;
  if (asked.cancelled() != asio::cancellation_type::none) came.reset();
  waiting::give(std::move(whose), std::move(came));
}

void check_tests::give_up() {
  closed_ = true;
  for (auto const& each : std::list(under_way_)) each->emit(asio::cancellation_type::terminal);
}

task<bool> check_tests::stop(deadline until) {
  give_up();
  // Waits until the loop has handled earlier requests.
  co_await asio::post(io_, awaiting);
  steady_timer pause(io_);
  while (!under_way_.empty() && !until.passed()) {
    pause.expires_after(std::chrono::milliseconds(5));
    co_await pause.async_wait(awaiting);
  }
  co_return under_way_.empty();
}

}  // namespace svc::scheduler
