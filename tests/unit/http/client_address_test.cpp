#include "svc/http/client_address.hpp"

#include <doctest/doctest.h>

#include <vector>

using svc::http::client_address;
using svc::http::forwarding;
using svc::http::request;

namespace {

/// 10.*, fd* and the Unix socket are our proxies.
forwarding rules(std::string header = "x-forwarded-for") {
  return {std::move(header), [](std::string_view address) {
            return address.starts_with("10.") || address.starts_with("fd") || address == "unix";
          }};
}

std::string derived(std::string_view peer, std::vector<std::string_view> const& values,
                    forwarding const& forwarding) {
  request head;
  for (auto const value : values) head.fields.push_back({"X-Forwarded-For", value});
  return client_address(head, peer, forwarding);
}

}  // namespace

TEST_CASE("the right-most hop that is not trusted") {
  struct {
    std::string_view name, peer;
    std::vector<std::string_view> values;
    std::string_view client;
  } const cases[] = {
      {"no header", "10.0.0.1", {}, "10.0.0.1"},
      {"one hop", "10.0.0.1", {"192.0.2.7"}, "192.0.2.7"},
      {"peer not trusted", "198.51.100.1", {"192.0.2.7"}, "198.51.100.1"},
      {"peer by Unix socket", "unix", {"192.0.2.7"}, "192.0.2.7"},
      {"Unix socket, no header", "unix", {}, "unix"},
      {"forged in front", "10.0.0.1", {"203.0.113.9, 192.0.2.7"}, "192.0.2.7"},
      {"our own proxies after it", "10.0.0.1", {"203.0.113.9, 192.0.2.7, 10.0.0.2,10.0.0.3"}, "192.0.2.7"},
      {"a field each", "10.0.0.1", {"203.0.113.9", "192.0.2.7", "10.0.0.2"}, "192.0.2.7"},
      {"all trusted: the left-most", "10.0.0.1", {"10.0.0.3, 10.0.0.2"}, "10.0.0.3"},
      {"empty", "10.0.0.1", {""}, "10.0.0.1"},
      {"empty elements", "10.0.0.1", {" ,, 192.0.2.7 ,\t,"}, "192.0.2.7"},
      {"garbage from the peer: the peer", "10.0.0.1", {"192.0.2.7, unknown"}, "10.0.0.1"},
      {"garbage from a trusted hop: that hop", "10.0.0.1", {"192.0.2.7, _hidden, 10.0.0.2"}, "10.0.0.2"},
      {"garbage after the client's own word", "10.0.0.1", {"<script>, 192.0.2.7"}, "192.0.2.7"},
      {"nobody is called unix", "10.0.0.1", {"192.0.2.7, unix"}, "10.0.0.1"},
      {"IPv6", "fd00::1", {"2001:DB8:0::7"}, "2001:db8::7"},
      {"IPv6 in brackets", "10.0.0.1", {"[2001:db8::7]"}, "2001:db8::7"},
      {"IPv6 with a port", "10.0.0.1", {"[2001:db8::7]:4711"}, "2001:db8::7"},
      {"IPv4 with a port", "10.0.0.1", {"192.0.2.7:4711"}, "192.0.2.7"},
      {"mapped", "10.0.0.1", {"::ffff:192.0.2.7"}, "192.0.2.7"},
      {"a mapped proxy is trusted", "10.0.0.1", {"192.0.2.7, ::ffff:10.0.0.2"}, "192.0.2.7"},
      {"bad port", "10.0.0.1", {"192.0.2.7:x"}, "10.0.0.1"},
      {"empty port", "10.0.0.1", {"192.0.2.7:"}, "10.0.0.1"},
      {"IPv4 in brackets", "10.0.0.1", {"[192.0.2.7]"}, "10.0.0.1"},
      {"open bracket", "10.0.0.1", {"[2001:db8::7"}, "10.0.0.1"},
      {"text after the bracket", "10.0.0.1", {"[2001:db8::7]x"}, "10.0.0.1"},
      {"zone", "10.0.0.1", {"fe80::1%eth0"}, "10.0.0.1"},
      {"quoted", "10.0.0.1", {"\"192.0.2.7\""}, "10.0.0.1"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK(derived(c.peer, c.values, rules()) == c.client);
  }
}

TEST_CASE("only the configured field is read, in any letter case") {
  request head;
  head.fields = {{"X-Real-IP", "192.0.2.1"}, {"Forwarded", "for=192.0.2.2"}, {"x-FORWARDED-for", "192.0.2.3"}};
  CHECK(client_address(head, "10.0.0.1", rules()) == "192.0.2.3");
  CHECK(client_address(head, "10.0.0.1", rules("X-Real-Ip")) == "192.0.2.1");
  CHECK(client_address(head, "10.0.0.1", rules("x-client")) == "10.0.0.1");
  CHECK(client_address(head, "10.0.0.1", rules("")) == "10.0.0.1");
  CHECK(client_address(head, "10.0.0.1", {"x-forwarded-for", {}}) == "10.0.0.1");
}
