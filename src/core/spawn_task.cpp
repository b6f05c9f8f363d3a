#include "svc/core/spawn_task.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/log.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/this_coro.hpp>

#include <exception>
#include <memory>

namespace svc {
namespace {

constexpr std::chrono::seconds before_restart{1};

}  // namespace

void log_failure(std::string_view work, std::exception_ptr const& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (std::exception const& e) {
    log::error("work on which others depend failed", {{"work", work}, {"why", e.what()}});
  } catch (...) {
    log::error("work on which others depend failed", {{"work", work}, {"why", "unknown"}});
  }
}

task<> keep_running(std::string work, std::function<bool()> goes_on, std::function<void()> reset,
                    std::function<task<>()> run) {
  steady_timer pause(co_await asio::this_coro::executor);
  while (goes_on()) {
    std::exception_ptr failure;
    try {
      co_await run();
    } catch (...) {
      failure = std::current_exception();
    }
    if (!failure) co_return;
    log_failure(work, failure);
    if (reset) reset();
    pause.expires_after(before_restart);
    co_await pause.async_wait(awaiting);
  }
}

task<> together(std::vector<task<>> all) {
  struct state {
    explicit state(executor const& executor, std::size_t count)
        : left(count), over(executor, steady::time_point::max()) {}
    std::size_t left;
    std::exception_ptr failed{};
    steady_timer over;
  };
  auto const here = co_await asio::this_coro::executor;
  auto const group = std::make_shared<state>(here, all.size());
  for (auto& part : all) {
    asio::co_spawn(here, std::move(part), [group](std::exception_ptr failed) {
      if (failed && !group->failed) group->failed = failed;
      if (--group->left == 0) group->over.cancel();
    });
  }
  if (group->left > 0) co_await group->over.async_wait(awaiting);
  if (group->failed) std::rethrow_exception(group->failed);
}

}  // namespace svc
