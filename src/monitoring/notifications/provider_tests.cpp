#include "svc/monitoring/notifications/provider_tests.hpp"

#include "svc/core/log.hpp"
#include "svc/core/loop_activity.hpp"
#include "svc/core/spawn_task.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

#include <cstddef>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <variant>

namespace svc::notifications {

/// The places of tests, shared by all threads.
struct provider_tests::slots {
  explicit slots(account* account) : book(account) {}

  account* const book;
  std::mutex mutex{};
  std::size_t all = 0, mails = 0;
  std::map<uuid, std::size_t> of_project{};

  result<> take(uuid project, bool mail) {
    std::lock_guard const lock(mutex);
    if (all >= most || (mail && mails >= most_mails)) return refuse(project, account_decision::total_exhausted);
    auto const found = of_project.find(project);
    if (found != of_project.end() && found->second >= most_of_project)
      return refuse(project, account_decision::project_exhausted);
    ++of_project[project];
    ++all;
    if (mail) ++mails;
    if (book != nullptr) book->charge({.project = project}, 1);
    return {};
  }
  error refuse(uuid project, account_decision decision) {
    if (book != nullptr) book->refuse({.project = project}, decision);
    if (decision != account_decision::project_exhausted) return errc::overloaded;
    return error(errc::rate_limited,
                 "The project has reached its limit of concurrent provider tests; wait until one has ended.");
  }
  void leave(uuid project, bool mail) {
    std::lock_guard const lock(mutex);
    --all;
    if (mail) --mails;
    if (book != nullptr) book->release({.project = project}, 1);
    auto const found = of_project.find(project);
    if (--found->second == 0) of_project.erase(found);
  }
  bool held() {
    std::lock_guard const lock(mutex);
    return all > 0;
  }
};

provider_tests::provider_tests(asio::io_context& io, message_sender send, std::function<bool()> goes_on,
                               account* book)
    : io_(io), send_(std::move(send)), goes_on_(std::move(goes_on)), slots_(std::make_shared<slots>(book)) {}

task<result<outcome>> provider_tests::run(slot held, provider_config config, message message, deadline until) {
  auto const mine = std::make_shared<waiting>(co_await asio::this_coro::executor, until);
  asio::post(io_, [this, whose = mine, held = std::move(held), config = std::move(config),
                   message = std::move(message)]() mutable {
    try {
      begin(whose, std::move(held), std::move(config), std::move(message));
    } catch (...) {
      // The user must not wait until the deadline for a test that could not start. The loop logs the reason.
      waiting::give(std::move(whose), std::nullopt);
      throw;
    }
  });
  auto came = co_await mine->wait();
  if (!came) throw unavailable("a test of a provider was not answered");
  co_return std::move(*came);
}

result<provider_tests::slot> provider_tests::enter(uuid project, provider_type type) {
  bool const mail = type == provider_type::email;
  if (auto const taken = slots_->take(project, mail); !taken) return taken.error();
  // The place carries the project, so that the attempt can charge its thread's work to the project.
  return slot(new uuid(project), [places = slots_, mail](void* pointer) {
    std::unique_ptr<uuid> const owner(static_cast<uuid*>(pointer));
    places->leave(*owner, mail);
  });
}

void provider_tests::begin(waiting_ptr whose, slot held, provider_config config, message message) {
  auto* const mail = std::get_if<email_config>(&config);
  if (mail != nullptr && mail->texts.size() > 1) mail->texts.resize(1);
  if (!goes_on_())
    waiting::give(std::move(whose), result<outcome>(errc::overloaded));
  else
    spawn_task(io_, attempt_once(std::move(whose), std::move(held), std::move(config), std::move(message)));
}

task<> provider_tests::attempt_once(waiting_ptr whose, slot held, provider_config config, message message) {
  std::optional<result<outcome>> came;
  work_for({.project = *static_cast<uuid const*>(held.get())});
  try {
    came = (co_await send_(std::move(config), std::move(message), 1, {})).came;
  } catch (std::exception const& e) {
    log::error("a test of a provider failed", {{"why", e.what()}});
  }
  held.reset();
  waiting::give(std::move(whose), std::move(came));
}

task<> provider_tests::emptied(deadline until) {
  steady_timer pause(io_);
  while (slots_->held() && !until.passed()) {
    pause.expires_after(milliseconds(5));
    co_await pause.async_wait(awaiting);
  }
}

}  // namespace svc::notifications
