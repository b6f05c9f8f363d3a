#include "svc/monitoring/notifications/recipient_policy.hpp"

#include <doctest/doctest.h>

using svc::notifications::recipient_policy;

TEST_CASE("the operator restricts recipients of mail to members and to domains") {
  using list = std::vector<std::string>;
  list const members{"ada@acme.test", "bo@mail.example"};
  struct {
    char const* name;
    list entries;
    char const* address;
    bool allowed;
  } const cases[] = {
      {"no restriction", {}, "stranger@else.where", true},
      {"a member", {"members"}, "ada@acme.test", true},
      {"a member in capitals", {"members"}, "Ada@ACME.test", true},
      {"a stranger in a member's domain", {"members"}, "eve@acme.test", false},
      {"a domain does not allow members", {"example.org"}, "ada@acme.test", false},
      {"in the domain", {"example.org"}, "x@example.org", true},
      {"in the domain in capitals", {"example.org"}, "x@EXAMPLE.org", true},
      {"below the domain", {"example.org"}, "x@a.example.org", false},
      {"a domain with the same end", {"example.org"}, "x@badexample.org", false},
      {"a domain with the same beginning", {"example.org"}, "x@example.org.evil", false},
      {"below", {"*.example.org"}, "x@a.example.org", true},
      {"two below", {"*.example.org"}, "x@a.b.example.org", true},
      {"not the domain itself", {"*.example.org"}, "x@example.org", false},
      {"not a domain with the same end", {"*.example.org"}, "x@badexample.org", false},
      {"one of several", {"members", "example.org", "*.example.net"}, "x@a.example.net", true},
      {"none of several", {"members", "example.org", "*.example.net"}, "x@example.net", false},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK(recipient_policy(c.entries).allows(c.address, members) == c.allowed);
  }
  CHECK(recipient_policy().is_open());
  CHECK_FALSE(recipient_policy(list{"members"}).is_open());
  CHECK_FALSE(recipient_policy(list{"example.org"}).allows_members());
}

TEST_CASE("an entry is members, a domain or all names below one") {
  for (auto const* text : {"members", "example.org", "*.example.org", "a-b.c1.test", "1.example"}) {
    CAPTURE(text);
    CHECK(recipient_policy::is_entry(text));
  }
  auto const long_label = std::string(64, 'a') + ".test";
  for (std::string const& text :
       {std::string(), std::string("*"), std::string("*."), std::string("localhost"), std::string("Example.org"),
        std::string("@example.org"), std::string("a@example.org"), std::string(".example.org"),
        std::string("example.org."), std::string("a..b"), std::string("-a.test"), std::string("a-.test"),
        std::string("**.example.org"), std::string("a.*.test"), std::string("a b.test"), std::string("Members"),
        long_label}) {
    CAPTURE(text);
    CHECK_FALSE(recipient_policy::is_entry(text));
  }
}
