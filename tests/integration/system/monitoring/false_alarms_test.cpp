// Faults of the path must not look like faults of the target.
#include "monitor_rows.hpp"
#include "support/comes_true.hpp"
#include "support/fault_proxy.hpp"
#include "support/fleet.hpp"
#include "support/free_port.hpp"
#include "support/metrics_page.hpp"

#include <doctest/doctest.h>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/streambuf.hpp>
#include <boost/asio/write.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <thread>

namespace svc::test {
namespace {

using namespace std::chrono_literals;

constexpr int short_of_checks = 300, seconds_between = 30;

/// An HTTP server on a Unix socket that is always well.
class healthy_target {
  using local = boost::asio::local::stream_protocol;

 public:
  explicit healthy_target(std::string const& path)
      : acceptor_(io_, local::endpoint(path)), thread_([this] { io_.run(); }) {
    boost::asio::post(io_, [this] { accept(); });
  }
  ~healthy_target() {
    io_.stop();
    thread_.join();
  }
  healthy_target(healthy_target const&) = delete;
  healthy_target& operator=(healthy_target const&) = delete;

 private:
  struct connection {
    local::socket socket;
    boost::asio::streambuf head{};
  };

  void accept() {
    acceptor_.async_accept([this](auto failed, local::socket socket) {
      if (!failed) serve(std::make_shared<connection>(std::move(socket)));
      accept();
    });
  }
  static void serve(std::shared_ptr<connection> const& connection) {
    boost::asio::async_read_until(
        connection->socket, connection->head, "\r\n\r\n", [connection](auto failed, std::size_t) {
          constexpr std::string_view answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";
          if (!failed)
            boost::asio::async_write(connection->socket, boost::asio::buffer(answer),
                                     [connection](auto, std::size_t) {});
        });
  }

  boost::asio::io_context io_;
  local::acceptor acceptor_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> policy_{io_.get_executor()};
  std::thread thread_;
};

/// Monitors with an interval of 30 seconds, as users make them: a shorter interval leaves room for one retry at most.
class frequent_checks {
 public:
  void add(std::string const& kind, std::string const& target, int count, std::string const& config) const {
    add_monitor_rows(fleet_, {.count = count,
                              .name = kind,
                              .target = "http://" + target + "/",
                              .every = seconds_between,
                              .config = "'" + config + "'",
                              .attempts_seconds = 30});
  }
  int checks_made() const {
    return static_cast<int>(sum_of(fleet_.pages(0).get("/metrics").body, "svc_checks_total"));
  }
  int up_of(std::string const& kind) const {
    return std::stoi(
        fleet_.word("SELECT count(*) FROM monitor_status s JOIN monitors m ON m.id = s.monitor_id"
                    " WHERE s.verdict = 'up' AND m.name LIKE '" +
                    kind + "%'"));
  }
  int outages_of(std::string const& kind) const {
    return std::stoi(fleet_.word(
        "SELECT count(*) FROM outages o JOIN monitors m ON m.id = o.monitor_id WHERE m.name LIKE '" + kind + "%'"));
  }

 private:
  fleet fleet_{1, {"SVC_CHECKS_PER_TARGET_PER_MINUTE=1000000"}};
};

/// Disturbs the path, in the long form for each minute: 5 s in which no data arrives, and 2 s of resets.
void disturb(fault_proxy& path, std::function<bool()> const& enough) {
  while (!enough()) {
    std::this_thread::sleep_for(25s);
    path.fall_silent(silence::stalled);
    std::this_thread::sleep_for(5s);
    path.fall_silent(silence::none);
    std::this_thread::sleep_for(25s);
    path.fall_silent(silence::dropped);
    std::this_thread::sleep_for(2s);
    path.fall_silent(silence::none);
  }
}

TEST_CASE("a path that loses attempts: retries make no outages of it, and without them each is one") {
  int const checks = long_form("TEST_FALSE_ALARM_CHECKS", short_of_checks);
  bool const is_long = checks > short_of_checks;
  int const monitors = is_long ? 6000 : 400;
  temporary_directory const directory;
  healthy_target const target(directory.path() + "/target");
  auto const address = "127.0.0.1:" + std::to_string(free_port());
  fault_proxy path(address, directory.path() + "/target", {.cut = is_long ? 0.01 : 0.05}, 1);
  frequent_checks watched;
  watched.add("default", address, monitors, "{}");
  watched.add("control", address, monitors, R"({"retryStrategy":{"maxRetries":0}})");
  // Monitors with and without retries have one share each. An instance runs at most eight concurrent checks for one
  // address.
  auto const latest = std::chrono::steady_clock::now() + (is_long ? 1h : 1min);
  auto const enough = [&] {
    return watched.checks_made() >= 2 * checks || std::chrono::steady_clock::now() > latest;
  };
  if (is_long) disturb(path, enough);
  while (!enough()) std::this_thread::sleep_for(100ms);
  auto const made = watched.checks_made();
  CHECK(made >= 2 * checks);
  // A result is counted before the decision on it, so the outages come later. The monitors are checked, except those
  // that are still between their attempts: a refused config makes no outage either.
  CHECK(comes_true([&] { return watched.outages_of("control") >= checks / (is_long ? 200 : 60); }, 30s));
  CHECK(comes_true([&] { return watched.up_of("default") > monitors / 2; }, 30s));
  CHECK(watched.outages_of("default") <= 2);
  MESSAGE(made << " checks, " << path.cuts() << " attempts cut, outages: " << watched.outages_of("default")
               << " with two retries, " << watched.outages_of("control") << " without");
}

}  // namespace
}  // namespace svc::test
