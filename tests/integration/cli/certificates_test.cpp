#include "integration/cli/fault_table.hpp"

#include <doctest/doctest.h>

using namespace svc::test;

namespace {

std::string const names = "DNS:localhost,IP:127.0.0.1";

svc_result call(scripted_server const& server, temporary_directory const& directory, throwaway_ca const& trusted,
                std::vector<std::string> const& more = {}) {
  auto variables = environment_of(server, {"SERVICE_CACERT=" + directory.write("ca.pem", trusted.authority)});
  variables.insert(variables.end(), more.begin(), more.end());
  return run_svc({.arguments = {"api", "GET", "/api/jobs", "--json", "--timeout", "20"}, .environment = variables});
}

}  // namespace

TEST_CASE("a certificate must be of this host, of a trusted authority and not expired, or nothing is sent") {
  auto const good = make_throwaway_ca(names);
  auto const other = make_throwaway_ca("DNS:other.example,IP:127.0.0.2");
  auto const expired = make_throwaway_ca(names, -std::chrono::minutes(1));
  struct row {
    std::string name;
    throwaway_ca const& of_server;
    throwaway_ca const& trusted;
    int code;
    std::string words;
  };
  std::vector<row> const table{{"good", good, good, 0, ""},
                               {"of another host", other, other, 4, "127.0.0.1"},
                               {"of an unknown authority", good, other, 4, "issuer"},
                               {"expired", expired, expired, 4, "expired"}};
  temporary_directory const directory;
  for (auto const& each : table) {
    CAPTURE(each.name);
    scripted_server const server([](received const&) { return whole_answer(200, "{}"); }, each.of_server);
    auto const result = call(server, directory, each.trusted);
    CAPTURE(result.err);
    CHECK(result.code == each.code);
    CHECK(failure_code(result) == (each.code == 0 ? "" : "certificate"));
    CHECK(result.err.find(each.words) != std::string::npos);
    CHECK(server.requests().size() == (each.code == 0 ? 1 : 0));
    // A bad certificate does not get better by trying again.
    CHECK(server.connections() == 1);
  }
}

TEST_CASE("a server that does not speak TLS gets no credential") {
  scripted_server const server("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
  auto const url = "SERVICE_URL=https://127.0.0.1:" + std::to_string(server.port());
  auto const result = run_svc({.arguments = {"api", "GET", "/api/jobs", "--json"},
                               .environment = {url, "SERVICE_TRIGGER_KEY=" + some_trigger_key()}});
  CHECK(result.code == 4);
  CHECK(failure_code(result) == "tls");
  CHECK(server.requests().empty());
}

TEST_CASE("a redirect is not followed: the other host sees no connection") {
  auto const identity = make_throwaway_ca(names);
  temporary_directory const directory;
  scripted_server const other([](received const&) { return whole_answer(200, "{}"); }, identity);
  for (int const status : {301, 302, 303, 307, 308}) {
    CAPTURE(status);
    scripted_server const server(
        [&](received const&) { return whole_answer(status, "", "Location: " + other.url("localhost") + "/x\r\n"); },
        identity);
    auto const result = call(server, directory, identity, {"SERVICE_TOKEN=" + some_token()});
    CAPTURE(result.err);
    CHECK(result.code == 4);
    CHECK(failure_code(result) == "redirected");
    CHECK(result.err.find(other.url("localhost")) != std::string::npos);
    CHECK((result.out + result.err).find(some_token()) == std::string::npos);
    REQUIRE(server.requests().size() == 1);
    CHECK(server.requests()[0].field("Authorization") == "Bearer " + some_token());
  }
  CHECK(other.connections() == 0);
}

TEST_CASE("a credential never travels in clear text to another machine") {
  scripted_server const server([](received const&) { return whole_answer(200, "{}"); });
  auto const key = "SERVICE_TRIGGER_KEY=" + some_trigger_key();
  struct row {
    std::string name;
    std::vector<std::string> environment;
    int code;
  };
  // 192.0.2.0/24 is for documentation (RFC 5737): nobody answers there.
  std::vector<row> const table{
      {"loopback", {"SERVICE_URL=" + server.url()}, 0},
      {"elsewhere", {"SERVICE_URL=http://192.0.2.1"}, 3},
      {"loopback through a proxy elsewhere", {"SERVICE_URL=" + server.url(), "http_proxy=http://192.0.2.1:3128"}, 3},
      {"the same without the proxy",
       {"SERVICE_URL=" + server.url(), "http_proxy=http://192.0.2.1:3128", "NO_PROXY=127.0.0.0/8"},
       0},
  };
  for (auto const& each : table) {
    CAPTURE(each.name);
    auto environment = each.environment;
    environment.push_back(key);
    auto const result =
        run_svc({.arguments = {"api", "GET", "/api/jobs", "--json", "--timeout", "20"}, .environment = environment});
    CAPTURE(result.err);
    CHECK(result.code == each.code);
  }
}
