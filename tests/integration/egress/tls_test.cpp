#include "integration/egress/fixture.hpp"
#include "integration/egress/nginx.hpp"

#include <unistd.h>

using namespace svc;
using namespace svc::egress;

namespace {

/// A place that trusts the authority.
struct trusting {
  explicit trusting(throwaway_ca const& ca)
      : fixture(knowing({{"a.test", {"127.0.0.1"}}, {"b.test", {"127.0.0.1"}}}),
                files.write("ca.pem", ca.authority)) {}
  temporary_directory files;
  egress_fixture fixture;
};

}  // namespace

TEST_CASE("a verified server gets the request, and its certificate is reported") {
  auto const ca = make_throwaway_ca("DNS:a.test", 48h);
  http_server server({.tls = &ca}, saying(answer_of(200, "", "secret")));
  trusting trust(ca);
  auto const got = trust.fixture.get(server.url("/", "a.test"));
  CHECK(code_of(got.error) == "");
  CHECK(got.message == "");
  CHECK(got.body == "secret");
  CHECK(got.timings.tls > 0us);
  REQUIRE(got.certificate);
  CHECK(got.certificate->subject == "CN=server");
  CHECK(got.certificate->issuer.starts_with("CN=throw-away CA "));
  CHECK(got.certificate->fingerprint.size() == 64);
  auto const lifetime = got.certificate->valid_to - got.certificate->valid_from;
  CHECK(lifetime > 48h);
  CHECK(lifetime < 50h);
  CHECK(server.requests().at(0).ends_with("(sni a.test)"));
}

TEST_CASE("a server that cannot be verified gets no request, and its certificate is reported") {
  auto const expired = make_throwaway_ca("DNS:a.test", -60s);
  auto const early = make_throwaway_ca("DNS:a.test", 48h, 24h);
  auto const other_name = make_throwaway_ca("DNS:b.test,DNS:*.a.test,IP:127.0.0.1");
  auto const self_signed = make_self_signed("DNS:a.test");
  auto const unknown = make_throwaway_ca("DNS:a.test");
  auto const trusted = make_throwaway_ca("DNS:a.test");
  struct {
    std::string name;
    throwaway_ca const& shown;
    throwaway_ca const& trusts;
    char const* wanted;
    char const* subject;
  } const cases[] = {
      {"expired", expired, expired, "certificate_expired", "CN=server"},
      {"not valid yet", early, early, "certificate_not_yet_valid", "CN=server"},
      {"another name", other_name, other_name, "certificate_wrong_host", "CN=server"},
      {"self-signed", self_signed, trusted, "certificate_untrusted", "CN=self-signed"},
      {"unknown issuer", unknown, trusted, "certificate_untrusted", "CN=server"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    http_server server({.tls = &c.shown}, saying(answer_of(200)));
    trusting trust(c.trusts);
    auto request = to(server.url("/", "a.test"));
    request.fields = {{"Authorization", "Bearer hunter2"}};
    auto const got = trust.fixture.fetch(request);
    CHECK(code_of(got.error) == c.wanted);
    CHECK(got.status == 0);
    REQUIRE(got.certificate);
    CHECK(got.certificate->subject == c.subject);
    CHECK(server.requests().empty());
    // Unless that was chosen.
    request.tls.verify = false;
    auto const unverified = trust.fixture.fetch(request);
    CHECK(unverified.status == 200);
    REQUIRE(unverified.certificate);
    CHECK(unverified.certificate == got.certificate);
  }
}

TEST_CASE("a certificate that the server itself staples as revoked gets no request; other staples change nothing") {
  auto const ca = make_throwaway_ca("DNS:a.test");
  trusting trust(ca);
  using stapled = http_server::options::stapled;
  for (auto const& [staple, wanted] :
       {std::pair{stapled::good, ""}, {stapled::garbage, ""}, {stapled::revoked, "certificate_revoked"}}) {
    http_server server({.tls = &ca, .staple = staple}, saying(answer_of(200)));
    auto const got = trust.fixture.get(server.url("/", "a.test"));
    CHECK(code_of(got.error) == wanted);
    CHECK(server.requests().empty() == (staple == stapled::revoked));
    CHECK(got.certificate);
  }
}

TEST_CASE("authorities of a request are trusted in addition to the others, and only by it") {
  auto const ca = make_throwaway_ca("DNS:a.test"), other = make_throwaway_ca("DNS:a.test");
  http_server server({.tls = &ca}, saying(answer_of(200)));
  trusting trust(other);
  auto request = to(server.url("/", "a.test"));
  request.tls.authorities = ca.authority;
  CHECK(trust.fixture.fetch(request).status == 200);
  CHECK(trust.fixture.code_of_get(server.url("/", "a.test")) == "certificate_untrusted");
  http_server usual({.tls = &other}, saying(answer_of(200)));
  request.url = to(usual.url("/", "a.test")).url;
  CHECK(trust.fixture.fetch(request).status == 200);
  request.tls.authorities = "no PEM";
  CHECK(code_of(trust.fixture.fetch(request).error) == "target_invalid");
}

TEST_CASE("another name for SNI and verification, at the same addresses") {
  auto const ca = make_throwaway_ca("DNS:b.test");
  http_server server({.tls = &ca}, saying(answer_of(200)));
  trusting trust(ca);
  auto const named = [&](std::string const& host) {
    auto request = to(server.url("/", host));
    request.tls.server_name = "b.test";
    return trust.fixture.fetch(request);
  };
  CHECK(named("a.test").status == 200);
  CHECK(named("127.0.0.1").status == 200);
  CHECK(has_line(server.requests().at(0), "Host: a.test:" + std::to_string(server.port())));
  CHECK(server.requests().at(0).ends_with("(sni b.test)"));
  CHECK(has_line(server.requests().at(1), "Host: 127.0.0.1:" + std::to_string(server.port())));
  auto content = to(server.url("/", "a.test"));
  for (auto const* name : {"127.0.0.2", "[::1]", "b.test/", "B.test", "b.test:443", "127.2"}) {
    CAPTURE(name);
    content.tls.server_name = name;
    CHECK(code_of(trust.fixture.fetch(content).error) == "target_invalid");
  }
}

TEST_CASE("a client certificate is shown only to the first origin") {
  auto const ca = make_throwaway_ca("DNS:a.test,DNS:b.test");
  http_server second({.tls = &ca}, saying(answer_of(200)));
  http_server first({.tls = &ca}, saying(answer_of(302, "Location: " + second.url("/", "b.test") + "\r\n")));
  trusting trust(ca);
  auto const mine = make_self_signed("DNS:client");
  auto request = to(first.url("/", "a.test"));
  request.tls.certificate = mine.certificate;
  request.tls.key = mine.key;
  CHECK(trust.fixture.fetch(request).status == 200);
  CHECK(first.requests().at(0).find("(with certificate)") != std::string::npos);
  CHECK(second.requests().at(0).find("(with certificate)") == std::string::npos);
  request.tls.key = "no key";
  CHECK(code_of(trust.fixture.fetch(request).error) == "target_invalid");
}

TEST_CASE("no redirect leads from https to http, and one to https is verified") {
  auto const ca = make_throwaway_ca("DNS:a.test");
  http_server plain(saying(answer_of(200)));
  http_server down({.tls = &ca}, saying(answer_of(302, "Location: " + plain.url("/", "a.test") + "\r\n")));
  trusting trust(ca);
  CHECK(trust.fixture.code_of_get(down.url("/", "a.test")) == "redirect_refused");
  CHECK(plain.connections() == 0);
  http_server target({.tls = &ca}, saying(answer_of(200)));
  http_server up(saying(answer_of(302, "Location: " + target.url("/", "a.test") + "\r\n")));
  CHECK(trust.fixture.get(up.url("/", "a.test")).status == 200);
  http_server wrong(saying(answer_of(302, "Location: " + target.url("/", "b.test") + "\r\n")));
  CHECK(trust.fixture.code_of_get(wrong.url("/", "a.test")) == "certificate_wrong_host");
}

TEST_CASE("servers that do not speak TLS") {
  auto const ca = make_throwaway_ca("DNS:a.test");
  trusting trust(ca);
  struct {
    std::string name;
    http_server::script script;
    char const* wanted;
  } const cases[] = {
      {"speaks HTTP", [](http_connection& connection) { connection.send("HTTP/1.1 400 Bad Request\r\n\r\n"); },
       "tls_failed"},
      {"closes", [](http_connection& context) { context.some(); }, "tls_failed"},
      {"resets", [](http_connection& client) { client.some(), client.reset(); }, "connect_reset"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    http_server server(c.script);
    auto const got = trust.fixture.get("https://a.test:" + std::to_string(server.port()) + "/");
    CHECK(code_of(got.error) == c.wanted);
    CHECK_FALSE(got.certificate);
  }
}

TEST_CASE("HTTP/2 and the least version of TLS, with a real server") {
  auto const ca = make_throwaway_ca("DNS:a.test,DNS:b.test");
  trusting trust(ca);
  nginx two(ca, "ssl http2", "TLSv1.3"), entry(ca, "ssl", "TLSv1.2");
  auto const ready = [&](nginx const& which) {
    auto const until = deadline::after(10s);
    while (trust.fixture.code_of_get(which.url("a.test")) == "connect_refused" && !until.passed()) usleep(10'000);
    return trust.fixture.get(which.url("a.test"));
  };
  auto got = ready(two);
  CHECK(got.message == "");
  CHECK(got.http_version == "2");
  CHECK(got.body == "GET HTTP/2.0 a.test");
  CHECK(ready(entry).http_version == "1.1");
  auto request = to(two.url("a.test"));
  request.fields = {{"Host", "b.test"}};
  CHECK(trust.fixture.fetch(request).body == "GET HTTP/2.0 b.test");
  request.tls.only_tls13 = true;
  CHECK(trust.fixture.fetch(request).status == 200);
  request.url = to(entry.url("a.test")).url;
  got = trust.fixture.fetch(request);
  CHECK(code_of(got.error) == "tls_failed");
  CHECK(got.message.find("protocol version") != std::string::npos);
}
