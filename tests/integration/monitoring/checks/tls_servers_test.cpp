// Real servers of TLS: nginx, HAProxy and openssl s_server.
#include "integration/egress/nginx.hpp"
#include "integration/monitoring/checks/fixture.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace svc::checks {
namespace {

/// A server of Debian's, which listens once this exists.
class tls_server {
 public:
  tls_server(std::vector<std::string> const& command, int port) : port_(port), pid_(fork()) {
    if (pid_ == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      int const nowhere = open("/dev/null", O_RDWR);
      for (int const fd : {0, 1, 2}) dup2(nowhere, fd);
      std::vector<char*> all;
      for (auto const& text : command) all.push_back(const_cast<char*>(text.c_str()));
      all.push_back(nullptr);
      execv(all[0], all.data());
      _exit(127);
    }
    auto const until = deadline::after(20s);
    while (!listens() && !until.passed()) usleep(10'000);
    REQUIRE(listens());
  }
  ~tls_server() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  tls_server(tls_server const&) = delete;
  tls_server& operator=(tls_server const&) = delete;
  std::string url(std::string const& host) const { return "https://" + host + ":" + std::to_string(port_) + "/"; }

 private:
  bool listens() const {
    int const fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port_));
    bool const good = connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    close(fd);
    return good;
  }

  int port_;
  pid_t pid_;
};

/// `openssl s_server` with that certificate, which answers each request with a page.
class s_server {
 public:
  explicit s_server(throwaway_ca const& authority, std::vector<std::string> const& more = {})
      : port_(free_port()), running_(command(authority, more), port_) {}
  std::string url(std::string const& host) const { return running_.url(host); }

 private:
  std::vector<std::string> command(throwaway_ca const& authority, std::vector<std::string> const& more) {
    std::vector<std::string> out{"/usr/bin/openssl",
                                 "s_server",
                                 "-www",
                                 "-accept",
                                 "127.0.0.1:" + std::to_string(port_),
                                 "-cert",
                                 files_.write("cert", authority.certificate),
                                 "-key",
                                 files_.write("key", authority.key)};
    out.insert(out.end(), more.begin(), more.end());
    return out;
  }

  temporary_directory files_;
  int port_;
  tls_server running_;
};

/// HAProxy that answers by itself. `bind`: what follows the certificate.
class haproxy {
 public:
  haproxy(throwaway_ca const& authority, std::string const& bind)
      : port_(free_port()), running_(command(authority, bind), port_) {}
  std::string url(std::string const& host) const { return running_.url(host); }

 private:
  std::vector<std::string> command(throwaway_ca const& authority, std::string const& bind) {
    auto const text =
        "defaults\n mode http\n timeout client 10s\n timeout server 10s\n timeout connect 10s\nfrontend f\n bind "
        "127.0.0.1:" +
        std::to_string(port_) + " ssl crt " + files_.write("pem", authority.certificate + authority.key) + " " +
        bind + "\n http-request return status 200 content-type text/plain string fine\n";
    return {"/usr/sbin/haproxy", "-db", "-f", files_.write("configuration", text)};
  }

  temporary_directory files_;
  int port_;
  tls_server running_;
};

/// A worker that trusts the authorities of all of these.
struct trusting {
  explicit trusting(std::initializer_list<throwaway_ca const*> all)
      : probe(knowing({{"a.test", {"127.0.0.1"}}, {"b.test", {"127.0.0.1"}}}),
              files.write("ca.pem", joined_of(all))) {}
  static std::string joined_of(std::initializer_list<throwaway_ca const*> all) {
    std::string out;
    for (auto const* authority : all) out += authority->authority;
    return out;
  }
  check_outcome get(std::string const& url, std::string const& tls = "{}", check_values values = {}) {
    return probe.once({.target = url, .config = R"({"tls":)" + tls + "}"}, std::move(values));
  }
  temporary_directory files;
  probing probe;
};

check_values certificate_of(throwaway_ca const& client) {
  check_values out;
  out.all.emplace("CERT", secret_string(std::string_view(client.certificate)));
  out.all.emplace("KEY", secret_string(std::string_view(client.key)));
  out.secret = {"KEY"};
  return out;
}

constexpr char const* with_certificate = R"({"clientCertificate":"{{CERT}}","clientKey":"{{KEY}}"})";

}  // namespace

TEST_CASE("openssl s_server: each fault of a certificate has its code, and the certificate is reported") {
  auto const good = make_throwaway_ca("DNS:a.test"), expired = make_throwaway_ca("DNS:a.test", -60s),
             early = make_throwaway_ca("DNS:a.test", 48h, 24h), other_name = make_throwaway_ca("DNS:b.test"),
             six_days = make_throwaway_ca("DNS:a.test", 72h, -72h), unknown = make_throwaway_ca("DNS:a.test");
  auto const self_signed = make_self_signed("DNS:a.test");
  trusting trust({&good, &expired, &early, &other_name, &six_days});
  struct {
    std::string name;
    throwaway_ca const& authority;
    std::vector<std::string> more;
    std::string tls, wanted;
  } const cases[] = {
      {"good", good, {}, "{}", "up"},
      {"of six days, halfway", six_days, {}, "{}", "up"},
      {"expired", expired, {}, "{}", "down certificate_expired"},
      {"not valid yet", early, {}, "{}", "down certificate_not_yet_valid"},
      {"for another name", other_name, {}, "{}", "down certificate_wrong_host"},
      {"for another name, which is chosen", other_name, {}, R"({"serverName":"b.test"})", "up"},
      {"self-signed", self_signed, {}, "{}", "down certificate_untrusted"},
      {"of an unknown authority", unknown, {}, "{}", "down certificate_untrusted"},
      {"expired, and not verified", expired, {}, R"({"verify":false})", "up"},
      {"TLS 1.2 alone", good, {"-tls1_2"}, "{}", "up"},
      {"TLS 1.2 alone, and 1.3 wanted", good, {"-tls1_2"}, R"({"minVersion":"1.3"})", "down tls_failed"},
      {"TLS 1.3 alone", good, {"-tls1_3"}, R"({"minVersion":"1.3"})", "up"},
      {"TLS 1.1 alone", good, {"-tls1_1", "-cipher", "ALL:@SECLEVEL=0"}, "{}", "down tls_failed"},
      {"no common cipher",
       good,
       {"-tls1_2", "-cipher", "ECDHE-ECDSA-CAMELLIA256-SHA384:@SECLEVEL=0"},
       "{}",
       "down tls_failed"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    s_server const server(c.authority, c.more);
    auto const got = trust.get(server.url("a.test"), c.tls);
    if (got.result.known.error) CAPTURE(got.result.known.error->message);
    CHECK(outcome(got) == c.wanted);
    if (c.wanted == "down tls_failed") continue;
    REQUIRE(got.result.known.tls);
    CHECK(got.result.known.tls->fingerprint.size() == 64);
  }
}

TEST_CASE("which threshold before its end a server's certificate has passed") {
  auto const of_a_year = make_throwaway_ca("DNS:a.test", 240h, -24h * 365);
  s_server const server(of_a_year);
  trusting trust({&of_a_year});
  struct {
    std::string config;
    std::optional<std::uint32_t> wanted;
  } const cases[] = {{"{}", 14},
                     {R"({"sslWarningDays":[60,20]})", 20},
                     {R"({"sslDaysUntilExpirationWarning":9})", std::nullopt},
                     {R"({"enableSslCheck":false})", std::nullopt}};
  for (auto const& c : cases) {
    CAPTURE(c.config);
    auto const got = trust.probe.once({.target = server.url("a.test"), .config = c.config});
    CHECK(outcome(got) == "up");
    CHECK(got.certificate_threshold == c.wanted);
  }
}

TEST_CASE("an own authority of the monitor is trusted") {
  auto const ca = make_throwaway_ca("DNS:a.test");
  auto const other = make_throwaway_ca("DNS:b.test");
  s_server const server(ca);
  trusting trust({&other});
  CHECK(outcome(trust.get(server.url("a.test"))) == "down certificate_untrusted");
  check_values values;
  values.all.emplace("CA", secret_string(std::string_view(ca.authority)));
  CHECK(outcome(trust.get(server.url("a.test"), R"({"ca":"{{CA}}"})", std::move(values))) == "up");
}

TEST_CASE("a revoked certificate that the server staples") {
  auto const ca = make_throwaway_ca("DNS:a.test");
  trusting trust({&ca});
  using stapled = http_server::options::stapled;
  for (auto const& [staple, wanted] :
       {std::pair{stapled::good, "up"}, {stapled::revoked, "down certificate_revoked"}}) {
    http_server server({.tls = &ca, .staple = staple}, saying(answer_of(200)));
    CHECK(outcome(trust.get(server.url("/", "a.test"))) == wanted);
  }
}

TEST_CASE("HAProxy and s_server that require a client certificate") {
  auto const ca = make_throwaway_ca("DNS:a.test");
  auto const client = make_self_signed("DNS:client"), other = make_self_signed("DNS:other");
  temporary_directory files;
  auto const known = files.write("clients.pem", client.certificate);
  haproxy const proxy(ca, "verify required ca-file " + known);
  s_server const server(ca, {"-Verify", "1", "-verify_return_error", "-CAfile", known});
  trusting trust({&ca});
  for (auto const& url : {proxy.url("a.test"), server.url("a.test")}) {
    CAPTURE(url);
    CHECK(outcome(trust.get(url, with_certificate, certificate_of(client))) == "up");
    CHECK(outcome(trust.get(url)).starts_with("down "));
    CHECK(outcome(trust.get(url, with_certificate, certificate_of(other))).starts_with("down "));
  }
  CHECK(outcome(trust.get(proxy.url("a.test"), with_certificate, certificate_of({"", "no PEM", "no PEM"}))) ==
        "error target_invalid");
}

TEST_CASE("HTTP/2 by ALPN, with nginx and HAProxy") {
  auto const ca = make_throwaway_ca("DNS:a.test");
  trusting trust({&ca});
  nginx const two(ca, "ssl http2", "TLSv1.3");
  auto const until = deadline::after(20s);
  while (outcome(trust.get(two.url("a.test"))) != "up" && !until.passed()) usleep(10'000);
  auto got = trust.get(two.url("a.test"));
  CHECK(outcome(got) == "up");
  CHECK(got.result.known.http_version == "2");
  haproxy const both(ca, "alpn h2,http/1.1"), haproxy(ca, "alpn http/1.1"), none(ca, "ssl-max-ver TLSv1.2");
  CHECK(trust.get(both.url("a.test")).result.known.http_version == "2");
  CHECK(trust.get(haproxy.url("a.test")).result.known.http_version == "1.1");
  CHECK(trust.get(none.url("a.test")).result.known.http_version == "1.1");
}

}  // namespace svc::checks
