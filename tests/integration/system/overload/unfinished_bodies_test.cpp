// Many large bodies of one user that never end. They hold no more memory than allowed, further ones get 503, other
// requests pass, and all memory is released. `TEST_UNFINISHED=300` is the long form: the number of bodies, of both
// framings.
#include "integration/system/extra_instance.hpp"
#include "integration/system/faults/faults.hpp"
#include "support/metrics_page.hpp"
#include "support/process_tree.hpp"

#include <doctest/doctest.h>

#include <atomic>

namespace svc::test {
namespace {

constexpr std::size_t mib = 1024UL * 1024;
constexpr std::size_t user_budget = 16 * mib;
constexpr std::size_t sent_of_each = 2 * mib;

/// Returns the bytes of all workers.
double body_bytes(extra_instance const& instance) {
  return sum_of(instance.pages().get("/metrics").body, "svc_body_bytes{");
}

/// Returns a request whose body stops in the middle.
std::string half_a_request(std::string const& token, bool chunked) {
  std::string out = "POST /api/tests HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + token +
                    "\r\nContent-Type: application/json\r\n";
  out += chunked ? "Transfer-Encoding: chunked\r\n\r\nA00000\r\n" : "Content-Length: 11534336\r\n\r\n";
  return out.append(sent_of_each, ' ');
}

/// Many unfinished bodies at once, with both framings in turn; each waits for its answer.
class unfinished_bodies {
 public:
  unfinished_bodies(extra_instance const& instance, std::string const& token, int count)
      : counted_(half_a_request(token, false)), chunked_(half_a_request(token, true)) {
    for (int i = 0; i < count; ++i) {
      threads_.emplace_back([this, &instance, i] { send(instance, i % 2 == 0 ? counted_ : chunked_); });
    }
  }
  ~unfinished_bodies() { end(); }
  unfinished_bodies(unfinished_bodies const&) = delete;
  unfinished_bodies& operator=(unfinished_bodies const&) = delete;

  void end() {
    for (auto& each : threads_) each.join();
    threads_.clear();
  }
  /// 503, or the connection was closed before the client had sent its part, so that it could not read the answer.
  int refused() const { return refused_; }
  /// 408: there was room, so the body waited until it was too slow.
  int held() const { return held_; }
  int other() const { return other_; }

 private:
  void send(extra_instance const& instance, std::string const& bytes) {
    try {
      auto const status = instance.client().http().raw(bytes).status;
      ++(status == 503 ? refused_ : status == 408 ? held_ : other_);
    } catch (std::runtime_error const&) {
      ++refused_;
    }
  }

  std::string const counted_, chunked_;
  std::atomic<int> refused_ = 0, held_ = 0, other_ = 0;
  std::vector<std::thread> threads_{};
};

std::string script_of(std::size_t size) {
  return R"({"title":"t","script":")" + std::string(size, 'x') + "\"}";
}

TEST_CASE("unfinished bodies of one user hold the user's share, and further ones are refused") {
  auto const count = long_form("TEST_UNFINISHED", 40);
  extra_instance const instance({"SVC_HTTP_BODY_BYTES_PER_USER=" + std::to_string(user_budget),
                                 "SVC_HTTP_BODY_WINDOW=4s", "SVC_HTTP_DEADLINE=10s"});
  auto const attacker = shared_fleet().make_tenant();
  auto owner = instance.client(attacker.token);
  auto third = instance.client(shared_fleet().make_tenant().token);
  owner.get("/livez"), third.get("/livez");
  auto const before = resident_memory(instance.pid());
  unfinished_bodies bodies(instance, attacker.token, count);
  // When enough bodies have been refused, all have sent their part: 2 MiB and a connection's share fit 7 times.
  constexpr int fit = static_cast<int>(user_budget / (sent_of_each + 32 * 1024));
  auto most = before;
  CHECK(comes_true(
      [&] {
        most = std::max(most, resident_memory(instance.pid()));
        return bodies.refused() >= count - fit;
      },
      patience));
  auto const refused = owner.post("/api/tests", script_of(4 * mib));
  CHECK(refused.status == 503);
  CHECK(code_of(refused) == "overloaded");
  CHECK(refused.header("retry-after") == "1");
  CHECK(owner.get("/api/auth/whoami").status == 200);
  CHECK(third.post("/api/tests", script_of(mib)).status == 201);
  most = std::max(most, resident_memory(instance.pid()));
  bodies.end();
  MESSAGE(count << " bodies, " << bodies.refused() << " refused; " << (most - before) / 1024 << " KiB more at most");
  CHECK(bodies.other() == 0);
  CHECK(bodies.held() > 0);
  // The limit consists of the bodies' budget, the third user's script in flight, and the cost of connections. Freed
  // pages of one worker stay for a moment while the other takes new ones.
  CHECK(most - before <= static_cast<long>(2 * user_budget + 12 * mib) + count * 128L * 1024);
  CHECK(comes_true([&] { return body_bytes(instance) == 0; }, seconds(10)));
  CHECK(owner.post("/api/tests", script_of(4 * mib)).status == 201);
}

TEST_CASE("a body larger than its operation accepts is refused before it is read, and no stranger's is stored") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  struct {
    std::string name, request;
    int status;
    bool closes = true;  ///< the client announces more than would be read and dropped; for chunks that is not known
                         ///< yet
  } const cases[] = {
      {"announced one byte too large",
       "POST /api/tests HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + tenant.token +
           "\r\nContent-Type: application/json\r\nContent-Length: 11534337\r\n\r\n",
       413},
      {"a chunk too large",
       "POST /api/tests HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + tenant.token +
           "\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nB00001\r\n",
       413},
      {"an operation with a smaller limit",
       "POST /api/jobs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + tenant.token +
           "\r\nContent-Type: application/json\r\nContent-Length: 1048577\r\n\r\n",
       413},
      {"nobody", "POST /api/tests HTTP/1.1\r\nHost: x\r\nContent-Length: 11534336\r\n\r\n", 401},
      {"nobody, chunked", "POST /api/tests HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nA00000\r\n", 401,
       false},
      {"nobody, where no token is needed", "GET /api/health HTTP/1.1\r\nHost: x\r\nContent-Length: 11534336\r\n\r\n",
       413},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    // None of the body is sent: only a server that does not wait for it can answer.
    auto const got = fleet.client(0).http().raw(c.request);
    CHECK(got.status == c.status);
    CHECK((got.header("connection") == "close") == c.closes);
  }
}

}  // namespace
}  // namespace svc::test
