#include "net/session_host.hpp"

#include <doctest/doctest.h>

#include <thread>

namespace svc::net {
namespace {

struct no_service final : http::service {
  task<http::response> serve(http::request const&, http::body_source&) override { co_return http::response{}; }
  http::response refuse(error const&, std::string_view) override { return {}; }
};

TEST_CASE("a worker with room for all connections has none too many, while the listener sends it more") {
  asio::io_context io;
  no_service served;
  session_host host(io, served, {}, {}, nullptr);
  std::atomic<bool> over = false;
  std::thread listener([&] {
    while (!over) {
      ++host.load;
      --host.load;
    }
  });
  std::size_t most = 0;
  for (int i = 0; i < 1'000'000; ++i) most = std::max(most, host.surplus());
  over = true;
  listener.join();
  CHECK(most == 0);
}

}  // namespace
}  // namespace svc::net
