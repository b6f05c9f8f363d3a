// Clients that stall at each deadline, many at once: each is closed at its deadline, the others notice nothing, and
// the memory is released. `TEST_STALLED=1000` is the long form: the number of each kind. `TEST_IDLE=10000`: the
// number of idle connections, which may stay.
#include "integration/system/faults/faults.hpp"
#include "support/process_tree.hpp"
#include "support/stalled_clients.hpp"

#include <doctest/doctest.h>

#include <arpa/inet.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <thread>

namespace svc::test {
namespace {

using std::chrono::duration_cast;

constexpr milliseconds linger{300};

/// Time limits that are long enough for this number of handshakes, so that all clients stall at the same time.
struct patience_of_service {
  explicit patience_of_service(std::size_t count) : deadline(count > 100 ? 12'000 : 1500) {}
  milliseconds deadline;  ///< for everything except a whole body
  milliseconds body{deadline * 2};

  std::vector<std::string> environment() const {
    auto const usual = "=" + std::to_string(deadline.count()) + "ms";
    return {"SVC_HTTP_TLS_TIMEOUT" + usual,
            "SVC_HTTP_HEAD_TIMEOUT" + usual,
            "SVC_HTTP_IDLE_TIMEOUT" + usual,
            "SVC_HTTP_BODY_WINDOW" + usual,
            "SVC_HTTP_WRITE_TIMEOUT" + usual,
            "SVC_HTTP_BODY_TIMEOUT=" + std::to_string(body.count()) + "ms",
            "SVC_HTTP_LINGER_TIMEOUT=" + std::to_string(linger.count()) + "ms",
            "SVC_LOG_LEVEL=warn",
            "SVC_HTTP_CONNECTIONS_PER_ADDRESS=100000",
            "SVC_LIMITS_FEED_LIMIT=1000000"};
  }
};

struct kind {
  stall stall;
  milliseconds deadline;
};

std::vector<kind> kinds(std::string const& token, patience_of_service const& service) {
  auto const upload = "POST /api/tests HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + token +
                      "\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{";
  // The rate is half more than the required one (body_window_bytes), so the service must hold the sent data.
  std::string const enough(static_cast<std::size_t>(7'500 * stall().pace / service.deadline), ' ');
  std::string large;
  for (int i = 0; i < 60; ++i) large += "GET /openapi/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n";
  std::string const head = "GET /livez HTTP/1.1\r\nHost: x\r\n";
  return {
      {{.name = "TCP without TLS", .tls = false}, service.deadline},
      {{.name = "half a ClientHello", .tls = false, .opening = std::string("\x16\x03\x01\x02\x00\x01\x00", 7)},
       service.deadline},
      {{.name = "half a head", .opening = head}, service.deadline},
      {{.name = "head that trickles", .opening = head, .trickle = "X-A: b\r\n"}, service.deadline},
      {{.name = "body that stops", .opening = upload}, service.deadline},
      {{.name = "body below the pace", .opening = upload, .trickle = "          "}, service.deadline},
      {{.name = "body at the pace, without an end", .opening = upload, .trickle = enough}, service.body},
      {{.name = "reader that stops", .opening = large, .reads = false}, service.deadline},
      {{.name = "idle after the handshake"}, service.deadline},
      {{.name = "idle after an answer", .opening = head + "\r\n"}, service.deadline},
  };
}

/// The resources of a process, from /proc.
class held_by {
 public:
  held_by(pid_t pid, std::string const& url)
      : pid_(pid), port_(static_cast<unsigned>(std::stoi(url.substr(url.rfind(':') + 1)))) {}

  /// Returns the accepted connections with stalled clients that the process has not closed.
  std::size_t connections() const {
    std::ifstream table("/proc/net/tcp");
    std::size_t count = 0;
    for (std::string line; std::getline(table, line);) {
      unsigned port = 0, peer = 0;
      unsigned long inode = 0;  // 0: no process has a descriptor for it
      constexpr char const* form = "%*d: %*8x:%4x %8x:%*4x %*2x %*x:%*x %*x:%*x %*x %*d %*d %lu";
      if (std::sscanf(line.c_str(), form, &port, &peer, &inode) != 3) continue;
      count += port == port_ && peer == stalled_ && inode != 0 ? 1 : 0;
    }
    return count;
  }
  long memory() const { return resident_memory(pid_); }

 private:
  pid_t pid_;
  unsigned port_;
  in_addr_t stalled_ = ::inet_addr(stalled_clients::address);  ///< in the form that the kernel prints
};

/// A well-behaved client, and its measurements. It sends one request every 2 ms, so that it measures waiting and not
/// a full machine.
class valid_client {
 public:
  /// The client is connected when the constructor returns.
  valid_client(fleet const& fleet, std::string const& token) : client_(fleet.client(0, token)) {
    client_.get("/livez");
    thread_ = std::thread(&valid_client::run, this);
  }
  ~valid_client() { end(); }
  valid_client(valid_client const&) = delete;
  valid_client& operator=(valid_client const&) = delete;

  void end() {
    over_ = true;
    if (thread_.joinable()) thread_.join();
  }
  int failed() const { return failed_; }
  std::size_t requests() const { return took_.size(); }
  /// Returns the 99th percentile in milliseconds.
  double p99() {
    std::sort(took_.begin(), took_.end());
    return took_.empty() ? 0 : took_[took_.size() * 99 / 100];
  }

 private:
  void run() {
    while (!over_) {
      auto const start = clock::now();
      failed_ += client_.get("/api/auth/whoami").status == 200 ? 0 : 1;
      took_.push_back(std::chrono::duration<double, std::milli>(clock::now() - start).count());
      std::this_thread::sleep_for(milliseconds(2));
    }
  }

  api_client client_;
  std::vector<double> took_{};
  int failed_ = 0;
  std::atomic<bool> over_ = false;
  std::thread thread_{};
};

struct stalled_result {
  milliseconds first_closed{}, last_closed{};  ///< time after the first, and after the last, client started to stall
  long bytes_each = 0;
};

stalled_result play(held_by const& server, std::string const& url, kind const& kind, std::size_t count) {
  auto const memory = server.memory();
  auto most = memory;
  auto const start = clock::now();
  auto all_there = start;
  stalled_clients const clients(url, kind.stall, count);
  auto const limit = start + seconds(60) + kind.deadline;
  for (bool there = false; clock::now() < limit;) {
    most = std::max(most, server.memory());
    if (!there && clients.all_stalling()) {
      there = true;
      all_there = clock::now();
    }
    // The table of all connections is read only at the end: reading it takes milliseconds of a processor. A client
    // that does not read may never learn of the end, because of the data queued before it.
    bool const over = clients.ended() == count || (!kind.stall.reads && clock::now() > all_there + kind.deadline);
    if (there && over && server.connections() == 0) {
      auto const now = clock::now();
      return {duration_cast<milliseconds>(std::min(clients.first_end(), now) - start),
              duration_cast<milliseconds>(now - all_there), (most - memory) / static_cast<long>(count)};
    }
    std::this_thread::sleep_for(milliseconds(10));
  }
  FAIL("they were never closed");
  return {};
}

double quiet_p99(fleet const& fleet, std::string const& token) {
  valid_client client(fleet, token);
  std::this_thread::sleep_for(seconds(4));
  client.end();
  CHECK(client.failed() == 0);
  return client.p99();
}

TEST_CASE("clients that stall are closed at their deadline, and nobody else notices") {
  auto const count = static_cast<std::size_t>(long_form("TEST_STALLED", 40));
  bool const many = count >= 1000;
  patience_of_service const service(count);
  fleet fleet(1, service.environment());
  auto const tenant = fleet.make_tenant();
  held_by const server(fleet.dev().pid_of("svcd"), fleet.url(0));
  auto const before = server.memory();
  auto quiet = quiet_p99(fleet, tenant.token);
  for (auto const& kind : kinds(tenant.token, service)) {
    CAPTURE(kind.stall.name);
    if (many) quiet = quiet_p99(fleet, tenant.token);
    valid_client valid(fleet, tenant.token);
    auto const got = play(server, fleet.url(0), kind, count);
    valid.end();
    MESSAGE(kind.stall.name << ": " << count << " closed from " << got.first_closed.count() << " to "
                            << got.last_closed.count() << " ms, " << got.bytes_each << " bytes each; p99 "
                            << valid.p99() << " ms, quiet " << quiet << " ms, of " << valid.requests());
    CHECK(valid.failed() == 0);
    CHECK(valid.requests() > 100);
    CHECK(got.first_closed + milliseconds(50) >= kind.deadline);
    CHECK(got.last_closed <= kind.deadline + linger + seconds(many ? 2 : 5));
    if (!many) continue;  // the cost of a few is lost among pages and noise
    CHECK(got.bytes_each <= 64 * 1024);
    CHECK(valid.p99() <= 2 * quiet + 1);
  }
  MESSAGE("resident before " << before << ", afterwards " << server.memory());
  // All kinds together have left no more than a sixteenth of the memory that one of them may use.
  if (!many) return;
  auto const left = before + static_cast<long>(count) * 4 * 1024 + 8 * 1024 * 1024;
  CHECK(comes_true([&] { return server.memory() <= left; }, seconds(10)));
}

TEST_CASE("idle connections are all held, and nobody else notices") {
  auto const count = static_cast<std::size_t>(long_form("TEST_IDLE", 300));
  bool const many = count >= 10'000;
  fleet fleet(1, {"SVC_HTTP_IDLE_TIMEOUT=300s", "SVC_HTTP_CONNECTIONS_PER_ADDRESS=100000", "SVC_LOG_LEVEL=warn"});
  auto const tenant = fleet.make_tenant();
  held_by const server(fleet.dev().pid_of("svcd"), fleet.url(0));
  auto const quiet = quiet_p99(fleet, tenant.token);
  auto const before = server.memory();
  stalled_clients const idle(
      fleet.url(0), {.name = "idle", .opening = "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n", .reads = false}, count);
  REQUIRE(comes_true([&] { return idle.all_stalling() && server.connections() == count; }, seconds(120)));
  valid_client valid(fleet, tenant.token);
  std::this_thread::sleep_for(seconds(many ? 10 : 2));
  valid.end();
  auto const each = (server.memory() - before) / static_cast<long>(count);
  MESSAGE(count << " held, " << each << " bytes each; p99 " << valid.p99() << " ms, quiet " << quiet << " ms, of "
                << valid.requests());
  CHECK(valid.failed() == 0);
  CHECK(idle.first_end() == clock::time_point::max());
  CHECK(server.connections() == count);
  if (!many) return;
  CHECK(each <= 22 * 1024);
  CHECK(valid.p99() <= 2 * quiet + 1);
}

}  // namespace
}  // namespace svc::test
