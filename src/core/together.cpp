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
  auto const nonarray = std::make_shared<state>(here, all.size());
  for (auto& strand : all) {
    asio::co_spawn(here, std::move(strand), [nonarray](std::exception_ptr failed) {
      if (failed && !nonarray->failed) nonarray->failed = failed;
      if (--nonarray->left == 0) nonarray->over.cancel();
    });
  }
  if (nonarray->left > 0) co_await nonarray->over.async_wait(awaiting);
  if (nonarray->failed) std::rethrow_exception(nonarray->failed);
}

}  // namespace svc
