#include "svc/core/together.hpp"

#include "svc/core/deadline.hpp"

#include <boost/asio/co_spawn.hpp>

#include <exception>
#include <memory>

namespace svc {

task<> together(std::vector<task<>> all) {
  struct state {
    explicit state(executor const& on, std::size_t count) : left(count), over(on, steady::time_point::max()) {}
    std::size_t left;
    std::exception_ptr failed{};
    steady_timer over;
  };
  auto const here = co_await asio::this_coro::executor;
  auto const of = std::make_shared<state>(here, all.size());
  for (auto& one : all) {
    asio::co_spawn(here, std::move(one), [of](std::exception_ptr failed) {
      if (failed && !of->failed) of->failed = failed;
      if (--of->left == 0) of->over.cancel();
    });
  }
  if (of->left > 0) co_await of->over.async_wait(awaiting);
  if (of->failed) std::rethrow_exception(of->failed);
}

}  // namespace svc
