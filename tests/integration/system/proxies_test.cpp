#include "integration/system/faults/faults.hpp"
#include "jobs.hpp"
#include "support/free_port.hpp"

#include <doctest/doctest.h>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

namespace svc::test {
namespace {

/// Debian's HAProxy in front of one address; it passes bytes through with a PROXY header. Its clients seem to come
/// from 192.0.2.50, so that they differ from HAProxy itself.
class haproxy {
 public:
  haproxy(std::string const& behind, std::string const& option) : port_(free_port()) {
    auto const file =
        directory_.write("haproxy.cfg",
                         "defaults\n mode tcp\n timeout connect 5s\n timeout client 20s\n timeout server 20s\n"
                         "listen front\n bind 127.0.0.1:" +
                             std::to_string(port_) +
                             "\n"
                             " tcp-request connection set-src ipv4(192.0.2.50)\n"
                             " server svcd " +
                             behind + " " + option + "\n");
    pid_ = ::fork();
    if (pid_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::execl("/usr/sbin/haproxy", "haproxy", "-q", "-db", "-f", file.c_str(), nullptr);
      ::_exit(127);
    }
  }
  haproxy(haproxy const&) = delete;
  haproxy& operator=(haproxy const&) = delete;
  ~haproxy() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }

  std::string address() const { return "127.0.0.1:" + std::to_string(port_); }

 private:
  temporary_directory directory_{};
  int port_;
  pid_t pid_;
};

/// Returns the status of a first answer; HAProxy may still be starting.
int status_through(api_client& client) {
  int status = 0;
  comes_true(
      [&] {
        try {
          return (status = client.get("/livez").status) != 0;
        } catch (std::exception const&) {
          return false;
        }
      },
      milliseconds(10'000));
  return status;
}

std::string const listeners =
    "trusted_proxies = ['127.0.0.1/32']\n"
    "[[listeners]]\naddress = '127.0.0.1:0'\nproxy_protocol = true\n"
    "[[listeners]]\naddress = '127.0.0.1:0'\nproxy_protocol = true\ntls = false\n"
    "[[listeners]]\naddress = '127.0.0.1:0'\ntls = false\n";

TEST_CASE("through HAProxy the address is the client's, not HAProxy's") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);
  auto const job = make_job(owner);
  auto const trigger = trigger_path(job);
  auto const key = make_key(owner, job, "k", R"("allowedCidrs":["192.0.2.0/24"])").key;
  configured_service fronted(fleet.dev(), listeners);

  struct {
    std::string scheme, option;
    std::size_t listener;
  } const ways[] = {{"https://", "send-proxy", 0},
                    {"https://", "send-proxy-v2", 0},
                    {"http://", "send-proxy", 1},
                    {"http://", "send-proxy-v2", 1}};
  for (auto const& way : ways) {
    CAPTURE(way.scheme);
    CAPTURE(way.option);
    haproxy const front(fronted.address(way.listener), way.option);
    api_client inside(way.scheme + front.address(), fleet.text("caFile"), key);
    REQUIRE(status_through(inside) == 200);
    CHECK(inside.post(trigger).status == 202);
    // The client's claim changes nothing, because 192.0.2.50 is not one of our proxies.
    CHECK(inside.call("POST", trigger, {}, {{"X-Forwarded-For", "198.51.100.1"}}).status == 202);
  }

  // Without HAProxy the connection is closed where a PROXY header is required, and refused for its address elsewhere.
  api_client bare("http://" + fronted.address(1), {}, key);
  CHECK_THROWS(bare.get("/livez"));
  api_client direct("http://" + fronted.address(2), {}, key);
  auto const refused = direct.post(trigger);
  CHECK(refused.status == 403);
  CHECK(code_of(refused) == "address_not_allowed");
  CHECK(direct.call("POST", trigger, {}, {{"X-Forwarded-For", "192.0.2.9"}}).status == 202);
  CHECK(direct.call("POST", trigger, {}, {{"X-Real-IP", "192.0.2.9"}}).status == 403);

  // The last use shows the derived address; stopping writes the uses that are still pending.
  CHECK(direct.call("POST", trigger, {}, {{"X-Forwarded-For", "192.0.2.77"}}).status == 202);
  CHECK(fronted.process().stop() == 0);
  CHECK(text_of(body_of(owner.get("/api/jobs/" + job + "/trigger-keys")), "/data/0/lastUsedIp") == "192.0.2.77");
}

TEST_CASE("with a proxy anonymous windows are the clients', IPv6 by /64, and the audit trail has their address") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  // A decision that Redis does not make in time counts in a window of the instance itself.
  configured_service fronted(fleet.dev(), listeners, {"SVC_REDIS_DEADLINE=1s"});
  REQUIRE(comes_true([&] { return limits_of(api_client(fronted.admin_url(), {}, {})) == "shared"; }, patience));
  api_client stranger("http://" + fronted.address(2), {}, {});
  auto const remaining = [&](std::string const& hops) {
    return stranger.call("GET", "/api/jobs", {}, {{"X-Forwarded-For", hops}}).number("x-ratelimit-remaining");
  };
  CHECK(remaining("2001:db8:1:2::1") == 9);
  CHECK(remaining("2001:db8:1:2:ffff::2") == 8);
  CHECK(remaining("2001:db8:1:3::1") == 9);
  CHECK(remaining("203.0.113.1") == 9);
  CHECK(remaining("::ffff:203.0.113.1") == 8);
  CHECK(remaining("198.51.100.1, 203.0.113.1, 127.0.0.1") == 7);

  api_client owner("http://" + fronted.address(2), {}, tenant.token);
  CHECK(owner.call("POST", "/api/cli-tokens", R"({"name":"n"})", {{"X-Forwarded-For", "203.0.113.200"}}).status ==
        201);
  auto const trail = boost::json::serialize(fleet.admin({"audit", "--organization", tenant.organization}));
  CHECK(trail.find("203.0.113.200") != std::string::npos);
}

}  // namespace
}  // namespace svc::test
