#include "svc/core/together.hpp"

#include "svc/core/deadline.hpp"

#include <boost/asio/co_spawn.hpp>

#include <exception>
#include <memory>

namespace svc {

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
