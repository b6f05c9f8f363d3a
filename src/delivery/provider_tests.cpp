#include "svc/delivery/provider_tests.hpp"

#include "svc/core/log.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

#include <exception>
#include <optional>
#include <utility>
#include <variant>

namespace svc::delivery {

/// Who waits for the outcome. Used on its own thread alone; between them it is handed on whole.
struct provider_tests::waiting {
  executor on;
  steady_timer done;
  std::optional<result<notify::outcome>> came{};

  waiting(executor const& where, deadline until) : on(where), done(where, until.at()) {}

  static void answer(waiting_ptr whose, std::optional<result<notify::outcome>> came) {
    auto const there = whose->on;
    asio::post(there, [whose = std::move(whose), came = std::move(came)]() mutable {
      whose->came = std::move(came);
      whose->done.cancel();
    });
  }
};

task<result<notify::outcome>> provider_tests::run(notify::provider_config to, notify::message what, deadline until) {
  auto const mine = std::make_shared<waiting>(co_await asio::this_coro::executor, until);
  asio::post(io_, [this, whose = mine, to = std::move(to), what = std::move(what)]() mutable {
    begin(std::move(whose), std::move(to), std::move(what));
  });
  co_await mine->done.async_wait(awaiting);
  if (!mine->came) throw unavailable("a test of a provider was not answered");
  co_return *mine->came;
}

result<> provider_tests::take_place(uuid project, bool mail) {
  if (under_way_ >= most || (mail && mails_ >= most_mails) || !goes_on_()) return errc::overloaded;
  auto& mine = of_project_[project];
  if (mine >= most_of_project)
    return error(errc::rate_limited,
                 "As many tests of the project's providers run as may; wait until one has ended.");
  ++mine;
  ++under_way_;
  if (mail) ++mails_;
  return {};
}

void provider_tests::leave_place(uuid project, bool mail) {
  --under_way_;
  if (mail) --mails_;
  auto const found = of_project_.find(project);
  if (--found->second == 0) of_project_.erase(found);
}

void provider_tests::begin(waiting_ptr whose, notify::provider_config to, notify::message what) {
  auto* const mail = std::get_if<notify::email_config>(&to);
  if (mail != nullptr && mail->to.size() > 1) mail->to.resize(1);
  if (auto const place = take_place(what.project.id, mail != nullptr); !place)
    waiting::answer(std::move(whose), result<notify::outcome>(place.error()));
  else
    asio::co_spawn(io_, attempt_once(std::move(whose), std::move(to), std::move(what)), asio::detached);
}

task<> provider_tests::attempt_once(waiting_ptr whose, notify::provider_config to, notify::message what) {
  auto const project = what.project.id;
  bool const mail = std::holds_alternative<notify::email_config>(to);
  std::optional<result<notify::outcome>> came;
  try {
    came = (co_await perform_(std::move(to), std::move(what), 1, {})).came;
  } catch (std::exception const& e) {
    log::error("a test of a provider failed", {{"why", e.what()}});
  }
  leave_place(project, mail);
  waiting::answer(std::move(whose), std::move(came));
}

task<> provider_tests::emptied(deadline until) {
  steady_timer pause(io_);
  while (under_way_ > 0 && !until.passed()) {
    pause.expires_after(milliseconds(5));
    co_await pause.async_wait(awaiting);
  }
}

}  // namespace svc::delivery
