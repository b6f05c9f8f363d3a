// ICMP echo against this machine's own addresses, in the network namespace that the tests run in. Where neither kind
// of socket is allowed, the result is `capability_missing`, and that is what is shown.
#include "integration/probes/fixture.hpp"
#include "svc/outgoing/pinger.hpp"

#include <fstream>

namespace svc::probes {
namespace {

std::string file_of(std::string const& name) {
  return "/proc/sys/net/ipv4/" + name;
}

std::string kernel_value(std::string const& name) {
  std::string out;
  std::ifstream in(file_of(name));
  std::getline(in, out);
  return out;
}

/// What the kernel does in this namespace, until the end of a test. `set()`: whether it could be changed.
class kernel_setting {
 public:
  kernel_setting(std::string name, std::string const& value) : name_(std::move(name)), before_(kernel_value(name_)) {
    set_ = before_ == value || put(value);
  }
  ~kernel_setting() { put(before_); }
  kernel_setting(kernel_setting const&) = delete;
  kernel_setting& operator=(kernel_setting const&) = delete;
  bool set() const { return set_; }
  bool put(std::string const& value) const {
    std::ofstream out(file_of(name_));
    out << value << std::flush;
    return out.good();
  }

 private:
  std::string name_, before_;
  bool set_ = false;
};

/// Opens 127.0.0.0/24, ::1 and a range for documentation that nobody has.
struct ping_place {
  ping_place()
      : dns(knowing({{"a.test", {"127.0.0.3", "::1"}}})),
        made(io, {.names = asking({dns.port()}),
                  .judge = std::make_shared<outgoing::guard const>(std::vector{
                      *cidr::parse("127.0.0.0/24"), *cidr::parse("::1/128"), *cidr::parse("192.0.2.0/24")}),
                  .trust = std::make_shared<outgoing::trust_store const>(std::initializer_list<std::string>{})}) {}

  performed ping(std::string const& target, std::string const& more = {}) {
    auto const what = parsed(
        {check_type::ping_host, target, R"({"retryStrategy":{"maxRetries":0},"timeoutSeconds":1)" + more + "}"});
    return *run_task(io, made.perform(what, std::make_shared<check_values const>(), deadline::after(30s)));
  }
  dns_server dns;
  asio::io_context io{1};
  engine made;
};

}  // namespace

TEST_CASE("echo requests are answered by both families, by each kind of socket") {
  for (auto const* groups : {"1\t0", "0\t2147483647"}) {
    CAPTURE(groups);
    kernel_setting const allowed("ping_group_range", groups);
    if (!allowed.set()) {
      MESSAGE("not shown: net.ipv4.ping_group_range cannot be set here");
      continue;
    }
    ping_place at;
    if (!at.made.can(check_type::ping_host)) {
      MESSAGE("not shown: this process may open no ICMP socket");
      CHECK(outcome(at.ping("127.0.0.1")) == "error capability_missing");
      continue;
    }
    for (auto const* target : {"127.0.0.1", "::1", "a.test"}) {
      CAPTURE(target);
      auto const got = at.ping(target);
      CHECK(outcome(got) == "up");
      REQUIRE(got.result.known.ping);
      CHECK(got.result.known.ping->sent == 3);
      CHECK(got.result.known.ping->received == 3);
      CHECK(got.result.known.ping->min_ms.value_or(0) > 0);
      CHECK(got.result.response_time_ms.value_or(0) > 0);
      CHECK(got.result.known.ip_address == (std::string(target) == "127.0.0.1" ? "127.0.0.1" : "::1"));
    }
    for (auto const* more : {R"(,"payloadBytes":0)", R"(,"payloadBytes":7)", R"(,"payloadBytes":1400,"count":1)"}) {
      CAPTURE(more);
      CHECK(outcome(at.ping("127.0.0.1", more)) == "up");
    }
    CHECK(at.ping("a.test", R"(,"ipVersion":"4")").result.known.ip_address == "127.0.0.3");
    // There is no way to it in a namespace of loopback alone; elsewhere nobody answers.
    auto const lost = outcome(at.ping("192.0.2.9"));
    CHECK((lost == "down connect_unreachable" || lost == "down ping_no_reply"));
  }
}

TEST_CASE("echo requests that are lost, all or some") {
  ping_place at;
  kernel_setting const ignoring("icmp_echo_ignore_all", "1");
  if (!at.made.can(check_type::ping_host) || !ignoring.set()) {
    MESSAGE("not shown: no ICMP socket, or net.ipv4.icmp_echo_ignore_all cannot be set here");
    return;
  }
  auto const lost = at.ping("127.0.0.1");
  CHECK(outcome(lost) == "down ping_no_reply");
  CHECK(lost.result.known.ping->loss_percent() == 100);
  CHECK_FALSE(lost.result.response_time_ms);
  for (auto const& [most, wanted] : {std::pair{"30", "down ping_loss"}, {"99", "up"}}) {
    REQUIRE(ignoring.put("0"));
    steady_timer later(at.io, 500ms);
    later.async_wait([&](boost::system::error_code) { ignoring.put("1"); });
    auto const got = at.ping("127.0.0.1", std::string(R"(,"count":5,"maxLossPercent":)") + most);
    CHECK(outcome(got) == wanted);
    CHECK(got.result.known.ping->sent == 5);
    CHECK(got.result.known.ping->received > 0);
    CHECK(got.result.known.ping->received < 5);
  }
}

TEST_CASE("many pings at once share a socket, and each gets its own replies") {
  ping_place at;
  if (!at.made.can(check_type::ping_host)) return;
  std::vector<std::optional<performed>> got(50);
  std::size_t left = got.size();
  for (std::size_t i = 0; i < got.size(); ++i)
    asio::co_spawn(at.io,
                   at.made.perform(parsed({check_type::ping_host, i % 2 == 0 ? "127.0.0.1" : "127.0.0.2"}),
                                   std::make_shared<check_values const>(), deadline::after(30s)),
                   [&, i](std::exception_ptr failed, std::optional<performed> out) {
                     CHECK_FALSE(failed);
                     got[i] = std::move(out);
                     --left;
                   });
  while (left > 0 && at.io.run_one() > 0) {
  }
  for (auto const& one : got) {
    REQUIRE(one);
    CHECK(outcome(*one) == "up");
    CHECK(one->result.known.ping->received == 3);
  }
}

}  // namespace svc::probes
