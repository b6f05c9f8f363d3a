#include "svc/core/mask_builder.hpp"

#include "svc/core/deadline.hpp"

#include <boost/asio/post.hpp>

#include <exception>

namespace svc {
namespace {

/// Of the builder's thread until `done`, then of the loop's.
struct building {
  explicit building(asio::io_context& io) : ready(io.get_executor(), steady::time_point::max()) {}

  secret_patterns_ptr made{};
  std::exception_ptr failure{};
  bool done = false;
  steady_timer ready;  ///< never expires
};

void tell(std::shared_ptr<building> const& of) {
  of->done = true;
  of->ready.cancel();
}

void build(building& to, std::vector<secret_string> const& secrets) {
  try {
    to.made = std::make_shared<secret_patterns const>(secrets);
  } catch (...) {
    to.failure = std::current_exception();
  }
}

}  // namespace

task<secret_patterns_ptr> build_patterns(asio::io_context& io, asio::thread_pool& builders,
                                         std::vector<secret_string> secrets) {
  auto const shared = std::make_shared<building>(io);
  asio::post(builders, [&io, shared, from = std::move(secrets)] {
    build(*shared, from);
    asio::post(io, [shared] { tell(shared); });
  });
  while (!shared->done) static_cast<void>(co_await shared->ready.async_wait(awaiting));
  if (shared->failure) std::rethrow_exception(shared->failure);
  co_return shared->made;
}

}  // namespace svc
