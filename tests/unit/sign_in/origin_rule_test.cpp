#include "svc/sign_in/origin_rule.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace svc::sign_in;

namespace {

constexpr auto own = origin_verdict::own_page;
constexpr auto foreign = origin_verdict::foreign_page;
constexpr auto unknown = origin_verdict::unknown_page;

constexpr std::string_view own_url = "https://svc.example.org";

/// Absent: "-". A field that came twice: "x2" after its value.
received_field field_of(std::string_view text) {
  if (text == "-") return {};
  if (text.ends_with(" x2")) return {text.substr(0, text.size() - 3), 2};
  return {text, 1};
}

origin_verdict decided(origin_rule const& rule, std::string_view method, std::string_view site,
                       std::string_view origin, std::string_view host = "svc.example.org") {
  return rule.decide({.method = method, .fetch_site = field_of(site), .origin = field_of(origin), .host = host});
}

}  // namespace

TEST_CASE("Sec-Fetch-Site decides: pages of the service read and write, an address typed by the user only reads") {
  origin_rule const rule(own_url);
  struct {
    std::string_view site;
    origin_verdict read, write;
  } const sites[] = {
      {"same-origin", own, own},
      {"none", own, foreign},
      {"same-site", foreign, foreign},
      {"cross-site", foreign, foreign},
      {"-", unknown, unknown},
      {"", foreign, foreign},
      {"Same-Origin", foreign, foreign},
      {"same-origin, same-origin", foreign, foreign},
      {"same-origin x2", foreign, foreign},
      {"null", foreign, foreign},
  };
  for (auto const& row : sites) {
    CAPTURE(row.site);
    for (std::string_view const method : {"GET", "HEAD"}) CHECK(decided(rule, method, row.site, "-") == row.read);
    for (std::string_view const method : {"POST", "PUT", "PATCH", "DELETE", "OPTIONS", "get", "BREW"}) {
      CAPTURE(method);
      CHECK(decided(rule, method, row.site, "-") == row.write);
      CHECK(decided(rule, method, row.site, own_url) == row.write);
    }
  }
}

TEST_CASE("an Origin on a write must be the service's own, whatever Sec-Fetch-Site says") {
  origin_rule const rule(own_url);
  struct {
    std::string_view name, origin;
    origin_verdict write;
  } const rows[] = {
      {"missing", "-", own},
      {"own", own_url, own},
      {"a sandboxed page", "null", foreign},
      {"empty", "", foreign},
      {"sibling", "https://evil.example.org", foreign},
      {"parent", "https://example.org", foreign},
      {"our name as a prefix", "https://svc.example.org.evil.org", foreign},
      {"our name as a suffix", "https://evilsvc.example.org", foreign},
      {"another scheme", "http://svc.example.org", foreign},
      {"another port", "https://svc.example.org:8443", foreign},
      {"the usual port, which browsers do not write", "https://svc.example.org:443", foreign},
      {"a path, which browsers do not write", "https://svc.example.org/", foreign},
      {"twice", "https://svc.example.org x2", foreign},
  };
  for (auto const& row : rows) {
    CAPTURE(row.name);
    CHECK(decided(rule, "POST", "same-origin", row.origin) == row.write);
    CHECK(decided(rule, "POST", "cross-site", row.origin) == foreign);
    CHECK(decided(rule, "POST", "-", row.origin) == unknown);
  }
  CHECK(decided(rule, "GET", "same-origin", "https://evil.example.org") == own);
}

TEST_CASE("without public_url the origin is https and the request's Host") {
  origin_rule const rule("");
  struct {
    std::string_view host, origin;
    origin_verdict write;
  } const rows[] = {
      {"svc.example.org", "https://svc.example.org", own},
      {"SVC.Example.org:443", "https://svc.example.org", own},
      {"svc.example.org:8443", "https://svc.example.org:8443", own},
      {"[::1]:8443", "https://[::1]:8443", own},
      {"svc.example.org", "http://svc.example.org", foreign},
      {"svc.example.org:8443", "https://svc.example.org", foreign},
      {"", "https://", foreign},
      {"", "", foreign},
      {"user@svc.example.org", "https://svc.example.org", foreign},
      {"user@svc.example.org", "", foreign},
  };
  for (auto const& row : rows) {
    CAPTURE(row.host);
    CAPTURE(row.origin);
    CHECK(decided(rule, "POST", "same-origin", row.origin, row.host) == row.write);
  }
  // With public_url the Host does not count: proxies may change it.
  CHECK(decided(origin_rule(own_url), "POST", "same-origin", "https://other", "other") == foreign);
  CHECK(decided(origin_rule(own_url), "POST", "same-origin", own_url, "other") == own);
}

TEST_CASE("the origin of a URL is what browsers write") {
  struct {
    std::string_view url, origin;
  } const rows[] = {
      {"https://svc.example.org", "https://svc.example.org"},
      {"HTTPS://SVC.example.ORG:443/svc", "https://svc.example.org"},
      {"http://svc.example.org:80", "http://svc.example.org"},
      {"http://svc.example.org:443", "http://svc.example.org:443"},
      {"https://svc.example.org:8443/a/b", "https://svc.example.org:8443"},
      {"https://[::1]:8443?q", "https://[::1]:8443"},
      {"ftp://svc.example.org", ""},
      {"svc.example.org", ""},
      {"https://", ""},
      {"https://:443", ""},
      {"https://a@b", ""},
      {"", ""},
  };
  for (auto const& row : rows) {
    CAPTURE(row.url);
    CHECK(origin_of(row.url) == row.origin);
  }
}

TEST_CASE("a refusal says what proxies must forward") {
  CHECK(refusal_sentence(own).empty());
  for (auto const verdict : {foreign, unknown}) {
    CHECK(refusal_sentence(verdict).find("Sec-Fetch-Site") != std::string_view::npos);
    CHECK(refusal_sentence(verdict).find("prox") != std::string_view::npos);
  }
}
