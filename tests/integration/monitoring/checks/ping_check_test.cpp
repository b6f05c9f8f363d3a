// Tests ICMP echo in a network namespace of the test.
#include "integration/monitoring/checks/fixture.hpp"
#include "integration/monitoring/checks/own_network.hpp"
#include "svc/egress/icmp/pinger.hpp"

#include <linux/capability.h>
#include <sys/syscall.h>

#include <map>

namespace svc::checks {
namespace {

constexpr char const* nobody = "1\t0";
constexpr char const* everybody = "0\t2147483647";

/// Opens 127.0.0.0/24, ::1 and a range for documentation.
struct ping_fixture {
  ping_fixture()
      : dns(knowing({{"a.test", {"127.0.0.3", "::1"}}})),
        made(io, {.names = asking({dns.port()}),
                  .policy = std::make_shared<egress::address_policy const>(std::vector{
                      *cidr::parse("127.0.0.0/24"), *cidr::parse("::1/128"), *cidr::parse("192.0.2.0/24")}),
                  .trust = std::make_shared<egress::trust_store const>(std::initializer_list<std::string>{})}) {}

  check_outcome ping(std::string const& target, std::string const& more = R"(,"timeoutSeconds":1)") {
    auto const config = parsed({"ping_host", target, R"({"retryStrategy":{"maxRetries":0})" + more + "}"});
    return *run_task(io, made.run(config, std::make_shared<check_values const>(), deadline::after(30s)));
  }
  dns_server dns;
  asio::io_context io{1};
  engine made;
};

void in_network(std::function<void()> const& content) {
  if (!in_own_network(content)) MESSAGE("not shown: no network namespace can be made here");
}

/// Puts 192.0.2.0/24 behind an interface where nobody answers, and runs `more`. False: this cannot be shown here.
bool has_dead_end(std::string const& more = "true") {
  auto const all =
      "ip link add v0 type veth peer name v1 && ip addr add 192.0.2.1/24 dev v0 && "
      "ip link set v0 up && ip link set v1 up && " +
      more;
  if (std::system(all.c_str()) == 0) return true;
  MESSAGE("not shown: no such interfaces can be made here");
  return false;
}

/// Takes the right to open raw sockets from this thread.
bool without_raw_sockets() {
  __user_cap_header_struct head{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> sets{};
  if (syscall(SYS_capget, &head, sets.data()) != 0) return false;
  sets[0].effective &= ~(1U << CAP_NET_RAW);
  return syscall(SYS_capset, &head, sets.data()) == 0;
}

void check_replies() {
  ping_fixture fixture;
  REQUIRE(fixture.made.can(*check_type_named("ping_host")));
  for (auto const* target : {"127.0.0.1", "::1", "a.test"}) {
    CAPTURE(target);
    auto const got = fixture.ping(target);
    CHECK(outcome(got) == "up");
    REQUIRE(got.result.known.ping);
    CHECK(got.result.known.ping->sent == 3);
    CHECK(got.result.known.ping->received == 3);
    CHECK(got.result.known.ping->min_ms.value_or(0) > 0);
    CHECK(got.result.response_time_ms.value_or(0) > 0);
    CHECK(got.result.known.ip_address == (std::string(target) == "127.0.0.1" ? "127.0.0.1" : "::1"));
  }
  for (auto const* more :
       {R"(,"count":1,"payloadBytes":0)", R"(,"count":1,"payloadBytes":7)", R"(,"count":1,"payloadBytes":1400)"}) {
    CAPTURE(more);
    CHECK(outcome(fixture.ping("127.0.0.1", more)) == "up");
  }
  CHECK(fixture.ping("a.test", R"(,"count":1,"ipVersion":"4")").result.known.ip_address == "127.0.0.3");
  CHECK(outcome(fixture.ping("192.0.2.9")) == "down connect_unreachable");
}

}  // namespace

TEST_CASE("echo requests are answered by both families, by each kind of socket") {
  in_network([] {
    REQUIRE(set_kernel("ipv4/ping_group_range", nobody));
    check_replies();
    REQUIRE(set_kernel("ipv4/ping_group_range", everybody));
    REQUIRE(without_raw_sockets());
    check_replies();
  });
}

TEST_CASE("where no ICMP socket is allowed nothing is sent in its place") {
  in_network([] {
    REQUIRE(set_kernel("ipv4/ping_group_range", nobody));
    REQUIRE(without_raw_sockets());
    http_server web(saying(answer_of(200)));
    ping_fixture fixture;
    CHECK_FALSE(fixture.made.can(*check_type_named("ping_host")));
    CHECK(fixture.made.can(*check_type_named("port_check")));
    CHECK(outcome(fixture.ping("127.0.0.1")) == "error capability_missing");
    CHECK(web.connections() == 0);
  });
}

TEST_CASE("echo requests that are lost, all or some") {
  in_network([] {
    ping_fixture fixture;
    REQUIRE(set_kernel("ipv4/icmp_echo_ignore_all", "1"));
    auto const lost = fixture.ping("127.0.0.1");
    CHECK(outcome(lost) == "down ping_no_reply");
    CHECK(lost.result.known.ping->loss_percent() == 100);
    CHECK_FALSE(lost.result.response_time_ms);
    for (auto const& [most, wanted] : {std::pair{"30", "down ping_loss"}, {"99", "up"}}) {
      REQUIRE(set_kernel("ipv4/icmp_echo_ignore_all", "0"));
      steady_timer later(fixture.io, 500ms);
      later.async_wait([&](boost::system::error_code) { set_kernel("ipv4/icmp_echo_ignore_all", "1"); });
      auto const got =
          fixture.ping("127.0.0.1", std::string(R"(,"timeoutSeconds":2,"count":5,"maxLossPercent":)") + most);
      CHECK(outcome(got) == wanted);
      CHECK(got.result.known.ping->sent == 5);
      CHECK(got.result.known.ping->received > 0);
      CHECK(got.result.known.ping->received < 5);
    }
  });
}

TEST_CASE("a router that says that there is no way") {
  in_network([] {
    // Nobody answers ARP behind the pair, so this machine itself reports it, by ICMP, after half a second.
    if (!has_dead_end()) return;
    REQUIRE(set_kernel("ipv4/neigh/v0/retrans_time_ms", "200"));
    for (auto const* groups : {nobody, everybody}) {
      CAPTURE(groups);
      REQUIRE(set_kernel("ipv4/ping_group_range", groups));
      ping_fixture fixture;
      auto const got = fixture.ping("192.0.2.9", R"(,"timeoutSeconds":10,"count":2)");
      CHECK(outcome(got) == "down connect_unreachable");
      CHECK(got.result.known.ping->sent == 2);
    }
  });
}

TEST_CASE("a router's message about one target affects no other target") {
  in_network([] {
    if (!has_dead_end()) return;
    REQUIRE(set_kernel("ipv4/neigh/v0/retrans_time_ms", "100"));
    ping_fixture fixture;
    auto const config = parsed({"ping_host", "192.0.2.9", R"({"retryStrategy":{"maxRetries":0},"count":1})"});
    std::optional<check_outcome> lost;
    asio::co_spawn(fixture.io, fixture.made.run(config, std::make_shared<check_values const>(), deadline::after(30s)),
                   [&](std::exception_ptr, std::optional<check_outcome> out) { lost = std::move(out); });
    fixture.io.run_for(50ms);
    // The next request finds the kernel's messages.
    std::this_thread::sleep_for(1s);
    CHECK(outcome(fixture.ping("127.0.0.1")) == "up");
    while (!lost && fixture.io.run_one() > 0) {
    }
    CHECK(outcome(*lost) == "down connect_unreachable");
  });
}

TEST_CASE("requests that find no room in the buffers are no loss of the target's") {
  in_network([] {
    // Sent packets wait at the interface, and fill the socket's buffer.
    if (!has_dead_end("ip neigh add 192.0.2.9 lladdr 02:00:00:00:00:09 dev v0 && "
                      "tc qdisc replace dev v0 root tbf rate 1kbit burst 2000 limit 10000000"))
      return;
    ping_fixture fixture;
    std::vector<std::optional<check_outcome>> got(400);
    std::size_t left = got.size();
    auto const config =
        parsed({"ping_host", "192.0.2.9",
                R"({"retryStrategy":{"maxRetries":0},"count":1,"payloadBytes":1400,"timeoutSeconds":1})"});
    for (auto& result : got)
      asio::co_spawn(fixture.io,
                     fixture.made.run(config, std::make_shared<check_values const>(), deadline::after(30s)),
                     [&](std::exception_ptr, std::optional<check_outcome> out) { result = std::move(out), --left; });
    while (left > 0 && fixture.io.run_one() > 0) {
    }
    std::map<std::string, int> outcomes;
    for (auto const& result : got) ++outcomes[outcome(result.value())];
    CHECK(outcomes.size() == 2);
    CHECK(outcomes["down ping_no_reply"] > 0);
    CHECK(outcomes["error internal"] > 0);
  });
}

TEST_CASE("many pings at once share a socket, and each gets its own replies") {
  in_network([] {
    ping_fixture fixture;
    // The test sends all requests before it reads the first reply.
    std::vector<std::optional<check_outcome>> got(400);
    std::size_t left = got.size();
    for (std::size_t i = 0; i < got.size(); ++i)
      asio::co_spawn(fixture.io,
                     fixture.made.run(parsed({"ping_host", i % 2 == 0 ? "127.0.0.1" : "127.0.0.2", R"({"count":1})"}),
                                      std::make_shared<check_values const>(), deadline::after(30s)),
                     [&, i](std::exception_ptr failed, std::optional<check_outcome> out) {
                       CHECK_FALSE(failed);
                       got[i] = std::move(out);
                       --left;
                     });
    while (left > 0 && fixture.io.run_one() > 0) {
    }
    for (auto const& result : got) {
      REQUIRE(result);
      CHECK(outcome(*result) == "up");
      CHECK(result->result.known.ping->received == 1);
      CHECK(result->attempts == 1);
    }
  });
}

}  // namespace svc::checks
