#include "integration/monitoring/checks/fixture.hpp"

namespace svc::checks {
namespace {

std::string config_of(std::string const& type, std::string const& more = {}) {
  std::string out = R"({"recordType":")" + type + "\"" + more + "}";
  for (char& c : out)
    if (c == '\'') c = '"';
  return out;
}

std::string u16(int value) {
  return {static_cast<char>(value >> 8), static_cast<char>(value & 0xFF)};
}

/// A zone with each type of record, and names that are broken in each way.
dns_script zone(dns_question const& q) {
  auto const record = [&](std::string const& data) { return dns_script{.records = {{"", q.type, 60, data}}}; };
  if (q.name == "silent.test") return {.behaviour = dns_script::kind::silence};
  if (q.name == "failing.test") return {.rcode = 2};
  if (q.name == "refused.test") return {.rcode = 5};
  if (q.name == "gone.test") return {.rcode = 3};
  if (q.name == "empty.test") return {};
  if (q.name == "alias.test")
    return {.records = {{"", 5, 60, dns_name("all.test")}, {"all.test", 1, 60, dns_address("192.0.2.1")}}};
  switch (q.type) {
    case 1:
      return {.records = {{"", 1, 60, dns_address("192.0.2.2")}, {"", 1, 60, dns_address("192.0.2.1")}}};
    case 28:
      return record(dns_address("2001:db8::1"));
    case 5:
    case 2:
    case 12:
      return record(dns_name("Ns.Test"));
    case 15:
      return record(u16(10) + dns_name("mail.test"));
    case 16:
      return record("\x06v=spf1\x05 -all");
    case 33:
      return record(u16(1) + u16(2) + u16(443) + dns_name("srv.test"));
    case 257:
      return record(std::string("\0\x05issue", 7) + "ca.test");
    case 6:
      return record(dns_name("ns.test") + dns_name("me.test") + std::string(16, '\0') + std::string("\0\0\0\x05", 4));
    default:
      return {};
  }
}

}  // namespace

TEST_CASE("each type of record, sorted, a line each") {
  struct {
    char const* type;
    char const* wanted;
  } const cases[] = {
      {"A", "192.0.2.1\\n192.0.2.2"},
      {"AAAA", "2001:db8::1"},
      {"CNAME", "ns.test"},
      {"MX", "10 mail.test"},
      {"NS", "ns.test"},
      {"TXT", "v=spf1 -all"},
      {"SRV", "1 2 443 srv.test"},
      {"CAA", "0 issue \\\"ca.test\\\""},
      {"SOA", "ns.test me.test 0 0 0 0 5"},
      {"PTR", "ns.test"},
  };
  probing probe(zone);
  for (auto const& c : cases) {
    CAPTURE(c.type);
    auto const asserting =
        std::string(",'assertions':[{'source':'dnsAnswer','comparison':'equals','expected':'") + c.wanted + "'}]";
    std::string config = config_of(c.type, asserting);
    auto const got = probe.once({"dns", "all.test", config});
    if (got.result.known.assertion) CAPTURE(got.result.known.assertion->actual);
    CHECK(outcome(got) == "up");
  }
}

TEST_CASE("codes and answers that are not expected, and servers that fail") {
  struct {
    std::string name, target, config, wanted;
  } const cases[] = {
      {"there", "all.test", config_of("A"), "up"},
      {"an alias", "alias.test", config_of("A"), "up"},
      {"no such name", "gone.test", config_of("A"), "down dns_not_found"},
      {"no such record", "empty.test", config_of("A"), "down dns_not_found"},
      {"SERVFAIL", "failing.test", config_of("A"), "down dns_failed"},
      {"REFUSED", "refused.test", config_of("A"), "down dns_failed"},
      {"silence", "silent.test", config_of("A", ",'timeoutSeconds':1"), "timeout dns_timeout"},
      {"no such name, as it should be", "gone.test", config_of("A", ",'expectedRcode':'NXDOMAIN'"), "up"},
      {"there, and should not be", "all.test", config_of("A", ",'expectedRcode':'NXDOMAIN'"), "down dns_mismatch"},
      {"REFUSED, as it should be", "refused.test", config_of("A", ",'expectedRcode':'REFUSED'"), "up"},
      {"SERVFAIL, and REFUSED expected", "failing.test", config_of("A", ",'expectedRcode':'REFUSED'"),
       "down dns_mismatch"},
      {"silence, and a code expected", "silent.test", config_of("A", ",'expectedRcode':'REFUSED','timeoutSeconds':1"),
       "timeout dns_timeout"},
      {"another record", "all.test",
       config_of("MX", ",'assertions':[{'source':'dnsAnswer','comparison':'contains','expected':'other.test'}]"),
       "down assertion_failed"},
      {"another record, softly", "all.test",
       config_of("MX",
                 ",'assertions':[{'source':'dnsAnswer','comparison':'contains','expected':'other.test',"
                 "'onFail':'degraded'}]"),
       "up degraded"},
  };
  probing probe(zone);
  std::vector<check_of> all;
  for (auto const& c : cases) all.push_back({"dns", c.target, c.config});
  auto const got = run_once(probe, all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    CAPTURE(cases[i].name);
    CHECK(outcome(got[i]) == cases[i].wanted);
    CHECK(got[i].result.known.dns.has_value() == (cases[i].wanted.find("timeout") == std::string::npos));
  }
}

TEST_CASE("a DNS server in the configuration is asked instead, and is itself the target of the check") {
  dns_server own([](dns_question const& q) { return dns_addresses(q, {"192.0.2.77"}); });
  dns_server silent([](dns_question const&) { return dns_script{.behaviour = dns_script::kind::silence}; });
  dns_server failing([](dns_question const&) { return dns_script{.rcode = 2}; });
  probing probe(zone);
  auto const asking_at = [&](int port, std::string const& more) {
    return probe.once(
        {"dns", "all.test", config_of("A", ",'resolver':'127.0.0.1:" + std::to_string(port) + "'" + more)});
  };
  auto const got = asking_at(own.port(), "");
  CHECK(outcome(got) == "up");
  CHECK(got.result.known.dns->answers == std::vector<std::string>{"192.0.2.77"});
  CHECK(probe.dns.questions() == 0);
  CHECK(outcome(asking_at(silent.port(), ",'timeoutSeconds':1")) == "timeout dns_timeout");
  CHECK(outcome(asking_at(failing.port(), "")) == "down dns_failed");
  CHECK(probe.dns.questions() == 0);
}

TEST_CASE("the location's own servers that answer nobody are no evidence") {
  probing probe([](dns_question const&) { return dns_script{.behaviour = dns_script::kind::silence}; });
  CHECK(outcome(probe.once({"dns", "a.test", config_of("A", ",'timeoutSeconds':1")})) ==
        "error resolver_unreachable");
  CHECK(outcome(probe.once({"http_request", "http://a.test/", R"({"timeoutSeconds":1})"})) ==
        "error resolver_unreachable");
}

}  // namespace svc::checks
