#include "svc/core/masker.hpp"

#include "svc/core/deadline.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>

#include <doctest/doctest.h>

#include <future>

using namespace svc;

TEST_CASE("the loop continues while patterns are built, however long that takes") {
  asio::io_context io;
  asio::thread_pool builders(1);
  // The builder's thread is blocked until the loop has done something else.
  std::promise<void> loop_went_on;
  asio::post(builders, [&] { loop_went_on.get_future().wait(); });
  secret_patterns_ptr made;
  std::vector<secret_string> secrets;
  secrets.emplace_back("a secret");
  asio::co_spawn(io, build_patterns(io, builders, std::move(secrets)),
                 [&made](std::exception_ptr e, secret_patterns_ptr out) {
                   CHECK(!e);
                   made = std::move(out);
                 });
  steady_timer other(io.get_executor(), milliseconds(1));
  bool early = true;
  other.async_wait([&](boost::system::error_code) {
    early = made != nullptr;
    loop_went_on.set_value();
  });
  io.run();
  CHECK(!early);
  REQUIRE(made);
  CHECK(masker(made).feed("<a secret>") == "<***>");
}
