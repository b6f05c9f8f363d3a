#include "svc/core/kept_running.hpp"

#include "svc/core/log.hpp"

#include <boost/asio/this_coro.hpp>

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

}  // namespace svc
