#include "svc/egress/address_policy.hpp"

#include <doctest/doctest.h>

#include <arpa/inet.h>
#include <netinet/in.h>

#include <string>
#include <string_view>
#include <vector>

using namespace svc;
using egress::address_policy;

namespace {

ip_address ip(std::string_view text) {
  CAPTURE(text);
  auto const address = ip_address::parse(text);
  REQUIRE(address);
  return *address;
}

address_policy opening(std::initializer_list<std::string_view> ranges) {
  std::vector<cidr> out;
  for (auto const range : ranges) out.push_back(cidr::parse(range).value());
  return address_policy(std::move(out));
}

}  // namespace

TEST_CASE("the first and the last address of each special range are blocked, and their neighbours are not") {
  struct {
    char const* before;  // empty: blocked for another reason, or none
    char const* first;
    char const* last;
    char const* after;
  } const ranges[] = {
      {"", "0.0.0.0", "0.255.255.255", "1.0.0.0"},
      {"9.255.255.255", "10.0.0.0", "10.255.255.255", "11.0.0.0"},
      {"100.63.255.255", "100.64.0.0", "100.127.255.255", "100.128.0.0"},
      {"126.255.255.255", "127.0.0.0", "127.255.255.255", "128.0.0.0"},
      {"169.253.255.255", "169.254.0.0", "169.254.255.255", "169.255.0.0"},
      {"172.15.255.255", "172.16.0.0", "172.31.255.255", "172.32.0.0"},
      {"191.255.255.255", "192.0.0.0", "192.0.0.255", "192.0.1.0"},
      {"192.0.1.255", "192.0.2.0", "192.0.2.255", "192.0.3.0"},
      {"192.88.98.255", "192.88.99.0", "192.88.99.255", "192.88.100.0"},
      {"192.167.255.255", "192.168.0.0", "192.168.255.255", "192.169.0.0"},
      {"198.17.255.255", "198.18.0.0", "198.19.255.255", "198.20.0.0"},
      {"198.51.99.255", "198.51.100.0", "198.51.100.255", "198.51.101.0"},
      {"203.0.112.255", "203.0.113.0", "203.0.113.255", "203.0.114.0"},
      {"223.255.255.255", "224.0.0.0", "255.255.255.255", ""},
      {"", "::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2000::"},
      {"2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "2001:200::"},
      {"2001:db7:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
       "2001:db9::"},
      {"2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2003::"},
      {"3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff:1000::"},
      {"3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "4000::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", ""},
  };
  address_policy const g;
  for (auto const& r : ranges) {
    CAPTURE(r.first);
    CHECK_FALSE(g.allows(ip(r.first)));
    CHECK_FALSE(g.allows(ip(r.last)));
    for (auto const* neighbour : {r.before, r.after}) {
      CAPTURE(neighbour);
      if (*neighbour != '\0') CHECK(g.allows(ip(neighbour)));
    }
  }
}

TEST_CASE("single addresses, in the spellings that they have") {
  struct {
    char const* address;
    bool allowed;
  } const cases[] = {
      // loopback and this host
      {"127.0.0.1", false},
      {"127.1.2.3", false},
      {"0.0.0.0", false},
      {"0.0.0.1", false},
      {"::", false},
      {"::1", false},
      {"0:0:0:0:0:0:0:1", false},
      {"0000:0000:0000:0000:0000:0000:0000:0001", false},
      {"::0001", false},
      {"::127.0.0.1", false},
      {"::7f00:1", false},
      // an IPv4 address inside
      {"::ffff:127.0.0.1", false},
      {"::ffff:7f00:1", false},
      {"::FFFF:7F00:0001", false},
      {"0:0:0:0:0:ffff:127.0.0.1", false},
      {"::ffff:0.0.0.0", false},
      {"::ffff:10.0.0.1", false},
      {"::ffff:a00:1", false},
      {"::ffff:169.254.169.254", false},
      {"::ffff:a9fe:a9fe", false},
      {"::ffff:192.168.1.1", false},
      {"::ffff:8.8.8.8", true},
      {"::ffff:808:808", true},
      {"::ffff:0:127.0.0.1", false},
      {"::ffff:0:8.8.8.8", false},
      {"64:ff9b::127.0.0.1", false},
      {"64:ff9b::7f00:1", false},
      {"64:ff9b::10.1.2.3", false},
      {"64:ff9b::169.254.169.254", false},
      {"64:ff9b::a9fe:a9fe", false},
      {"64:ff9b::192.0.2.1", false},
      {"64:ff9b::8.8.8.8", true},
      {"64:ff9b::0808:0808", true},
      {"64:ff9b:1::8.8.8.8", false},
      {"64:ff9b:0:0:0:1:8.8.8.8", false},
      {"2002:7f00:1::", false},
      {"2002:808:808::1", false},
      {"2001:0:808:808::1", false},
      {"2001::5efe:10.0.0.1", false},
      // private networks and links
      {"10.1.2.3", false},
      {"172.20.10.5", false},
      {"192.168.0.254", false},
      {"100.100.100.200", false},
      {"100.64.0.1", false},
      {"fc00::1", false},
      {"fd12:3456:789a::1", false},
      {"fd00:ec2::254", false},
      {"fd00:ec2::253", false},
      {"fe80::1", false},
      {"fe80::1%eth0", false},
      {"febf::1", false},
      {"fec0::1", false},
      {"169.254.169.254", false},
      {"169.254.170.2", false},
      // protocols, documentation, benchmarks, multicast
      {"192.0.0.1", false},
      {"192.0.0.192", false},
      {"192.0.2.55", false},
      {"192.88.99.1", false},
      {"198.18.0.1", false},
      {"198.51.100.7", false},
      {"203.0.113.80", false},
      {"224.0.0.1", false},
      {"239.255.255.250", false},
      {"240.0.0.1", false},
      {"255.255.255.255", false},
      {"ff02::1", false},
      {"ff0e::1", false},
      {"100::1", false},
      {"2001:2::1", false},
      {"2001:10::1", false},
      {"2001:20::1", false},
      {"2001:1::1", false},
      {"2001:db8::1", false},
      {"3fff::1", false},
      {"5f00::1", false},
      // public
      {"1.1.1.1", true},
      {"8.8.8.8", true},
      {"9.9.9.9", true},
      {"93.184.216.34", true},
      {"192.0.3.1", true},
      {"172.217.16.14", true},
      {"100.0.0.1", true},
      {"198.41.0.4", true},
      {"2606:4700:4700::1111", true},
      {"2001:4860:4860::8888", true},
      {"2001:4860:4860:0:0:0:0:8888", true},
      {"2001:4860:4860:0000:0000:0000:0000:8888", true},
      {"2001:4860:4860::0:8888", true},
      {"2a00:1450:4001::1", true},
      {"2400:cb00::1", true},
      {"2c0f:fb50::1", true},
  };
  address_policy const g;
  for (auto const& c : cases) {
    CAPTURE(c.address);
    CHECK(g.allows(ip(c.address)) == c.allowed);
  }
}

TEST_CASE("ranges of the operator open the addresses in them; addresses of credentials only by ranges inside") {
  struct {
    char const* opened;
    char const* address;
    bool allowed;
  } const cases[] = {
      {"127.0.0.0/8", "127.0.0.1", true},
      {"127.0.0.0/8", "::ffff:127.0.0.1", true},
      {"127.0.0.0/8", "64:ff9b::127.0.0.1", true},
      {"127.0.0.0/8", "::1", false},
      {"127.0.0.0/8", "10.0.0.1", false},
      {"127.0.0.1/32", "127.0.0.2", false},
      {"::1/128", "::1", true},
      {"::1/128", "127.0.0.1", false},
      {"10.0.0.0/8", "10.255.0.1", true},
      {"10.0.0.0/8", "11.0.0.1", true},
      {"10.0.0.0/24", "10.0.1.1", false},
      {"fd00::/8", "fd12::1", true},
      {"::ffff:10.0.0.0/104", "10.0.0.1", true},
      {"::ffff:0:0/96", "10.0.0.1", true},
      // only the IPv4 inside decides
      {"64:ff9b::/96", "64:ff9b::10.0.0.1", false},
      {"::/0", "64:ff9b::10.0.0.1", false},
      {"64:ff9b::/96", "64:ff9b::8.8.8.8", true},
      // everything, but for credentials
      {"0.0.0.0/0", "10.0.0.1", true},
      {"0.0.0.0/0", "127.0.0.1", true},
      {"0.0.0.0/0", "169.254.169.254", false},
      {"0.0.0.0/0", "::ffff:169.254.169.254", false},
      {"0.0.0.0/0", "64:ff9b::169.254.169.254", false},
      {"169.254.0.0/15", "169.254.169.254", false},
      {"169.254.0.0/16", "169.254.169.254", true},
      {"169.254.0.0/16", "64:ff9b::a9fe:a9fe", true},
      {"169.254.169.254/32", "169.254.169.254", true},
      {"169.254.169.254/32", "169.254.169.253", false},
      {"::/0", "fe80::1", false},
      {"::/0", "fd00::1", true},
      {"::/0", "fd00:ec2::254", false},
      {"fd00::/8", "fd00:ec2::254", false},
      {"fd00::/8", "fd00:ec2::253", true},
      {"fd00:ec2::/64", "fd00:ec2::254", false},
      {"fd00:ec2::254/127", "fd00:ec2::254", false},
      {"fd00:ec2::254/128", "fd00:ec2::254", true},
      {"fe80::/9", "fe80::1", false},
      {"fe80::/10", "fe80::1", true},
      {"fe80::/64", "fe80::1", true},
      {"fe80::/64", "fe80:0:0:1::1", false},
  };
  for (auto const& c : cases) {
    CAPTURE(c.opened);
    CAPTURE(c.address);
    CHECK(opening({c.opened}).allows(ip(c.address)) == c.allowed);
  }
  CHECK(opening({"10.0.0.0/8", "0.0.0.0/0", "169.254.169.0/24"}).allows(ip("169.254.169.254")));
}

TEST_CASE("the allowed addresses of a name, four of each family") {
  std::vector<ip_address> all{ip("10.0.0.1"), ip("::1")};
  for (char const digit : std::string_view("123456")) {
    all.push_back(ip(std::string("2606::") + digit));
    all.push_back(ip(std::string("8.8.8.") + digit));
  }
  auto const got = address_policy().allowed(all);
  REQUIRE(got.size() == 8);
  CHECK(got[0] == ip("2606::1"));
  CHECK(got[1] == ip("8.8.8.1"));
  CHECK(got[6] == ip("2606::4"));
  CHECK(got[7] == ip("8.8.8.4"));
  CHECK(address_policy().allowed({ip("10.0.0.1")}).empty());
}

TEST_CASE("the address of a socket is judged like its text") {
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  CHECK(egress::address_of(reinterpret_cast<sockaddr const*>(&v4)) == ip("127.0.0.1"));
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  REQUIRE(inet_pton(AF_INET6, "::ffff:127.0.0.1", &v6.sin6_addr) == 1);
  CHECK(egress::address_of(reinterpret_cast<sockaddr const*>(&v6)) == ip("127.0.0.1"));
  sockaddr other{};
  other.sa_family = AF_UNIX;
  CHECK_FALSE(egress::address_of(&other));
}

TEST_CASE("a policy of the operator's ranges allows nothing else") {
  auto const policy = address_policy::of_opened_only({*cidr::parse("10.1.0.0/16"), *cidr::parse("0.0.0.0/1")});
  struct {
    char const* address;
    bool allowed;
  } const table[] = {{"10.1.2.3", true},   {"10.2.0.1", true},         {"8.8.8.8", true}, {"192.0.2.1", false},
                     {"200.1.2.3", false}, {"2606:4700::1111", false}, {"::1", false}};
  for (auto const& row : table) {
    CAPTURE(row.address);
    CHECK(policy.allows(*ip_address::parse(row.address)) == row.allowed);
  }
  CHECK_FALSE(address_policy::of_opened_only({}).allows(*ip_address::parse("8.8.8.8")));
}
