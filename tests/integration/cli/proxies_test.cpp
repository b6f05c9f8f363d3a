#include "integration/cli/fault_table.hpp"
#include "integration/cli/real_proxy.hpp"
#include "support/comes_true.hpp"

#include <doctest/doctest.h>

#include <memory>

using namespace svc::test;

namespace {

constexpr auto tinyproxy = real_proxy::program::tinyproxy;
constexpr auto squid = real_proxy::program::squid;
constexpr std::chrono::milliseconds log_patience{10'000};
// Characters that each proxy allows: tinyproxy's configuration accepts hardly more than letters.
std::string const simple = "pass-word.7";
std::string const special = "pass/word:7@", encoded = "pass%2Fword%3A7%40";

dev_service const& service_behind() {
  static temporary_directory const directory;
  static dev_service const service(directory.path() + "/dev");
  return service;
}

std::string port_of_service() {
  auto const url = service_behind().text("url");
  return url.substr(url.rfind(':') + 1);
}

svc_result whoami_by(std::vector<std::string> const& variables) {
  return run_svc({.arguments = {"api", "GET", "/api/auth/whoami", "--json", "--timeout", "30"},
                  .environment = environment_of(service_behind(), variables)});
}

bool holds(std::string const& text, std::string const& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("through tinyproxy and squid, with and without a password: the proxy learns where to, and nothing else") {
  struct row {
    real_proxy::program which;
    std::string password, given;
    int code;
  };
  std::vector<row> const table{{tinyproxy, "", "", 0},
                               {tinyproxy, "", simple, 0},
                               {tinyproxy, simple, simple, 0},
                               {tinyproxy, simple, "", 4},
                               {tinyproxy, simple, "wrong-one", 4},
                               {squid, "", "", 0},
                               {squid, special, encoded, 0},
                               {squid, special, "", 4},
                               {squid, special, "wrong-one", 4}};
  for (auto const& each : table) {
    CAPTURE(std::string(each.which == squid ? "squid" : "tinyproxy"));
    CAPTURE(each.password);
    CAPTURE(each.given);
    real_proxy const proxy(each.which, each.password);
    auto const result = whoami_by({"HTTPS_PROXY=" + proxy.url(each.given)});
    CAPTURE(result.err);
    CHECK(result.code == each.code);
    CHECK(failure_code(result) == (each.code == 0 ? "" : "proxy_authentication"));
    for (auto const& secret : {simple, special, encoded, std::string("wrong-one")})
      CHECK_FALSE(holds(result.err, secret));
    // A proxy logs a request after it has answered it.
    CHECK(comes_true([&] { return holds(proxy.log(), "127.0.0.1:" + port_of_service()); }, log_patience));
    auto const log = proxy.log();
    CHECK_FALSE(holds(log, "whoami"));
    CHECK_FALSE(holds(log, service_behind().text("token").substr(9)));
  }
}

TEST_CASE("a proxy that makes no connection says so") {
  for (auto const which : {tinyproxy, squid}) {
    real_proxy const proxy(which, "", 443);
    auto const result = whoami_by({"https_proxy=" + proxy.url()});
    CHECK(result.code == 4);
    CHECK(failure_code(result) == "proxy_refused");
    CHECK(holds(result.err, "(status 403)"));
  }
}

TEST_CASE("a proxy gets its own credentials and no other") {
  scripted_server const proxy(
      [](received const&) { return scripted_answer{.bytes = "HTTP/1.1 403 No\r\n\r\n", .close = true}; });
  auto const spot = "ci:secret-of-proxy@127.0.0.1:" + std::to_string(proxy.port());
  auto const result = whoami_by({"HTTPS_PROXY=http://" + spot});
  CHECK(failure_code(result) == "proxy_refused");
  auto const requests = proxy.requests();
  REQUIRE_FALSE(requests.empty());
  auto const& head = requests[0].head;
  CHECK(requests[0].line() == "CONNECT 127.0.0.1:" + port_of_service() + " HTTP/1.1");
  CHECK(holds(head, "Proxy-Authorization: Basic "));
  CHECK_FALSE(holds(head, "\r\nAuthorization"));
  CHECK_FALSE(holds(head, service_behind().text("token").substr(9)));
  CHECK_FALSE(holds(result.err, "secret-of-proxy"));
}

TEST_CASE("a proxy that refuses by a rule is asked once, and one that cannot connect four times") {
  struct row {
    std::string line;
    std::size_t requests;
  };
  for (auto const& each :
       std::vector<row>{{"403 Forbidden", 1}, {"404 Not Found", 1}, {"429 Too Many Requests", 4}, {"503 No", 4}}) {
    CAPTURE(each.line);
    scripted_server const proxy([&](received const&) {
      return scripted_answer{.bytes = "HTTP/1.1 " + each.line + "\r\n\r\n", .close = true};
    });
    auto const result = whoami_by({"HTTPS_PROXY=http://127.0.0.1:" + std::to_string(proxy.port())});
    CHECK(result.code == 4);
    CHECK(failure_code(result) == "proxy_refused");
    CHECK(proxy.requests().size() == each.requests);
  }
}

TEST_CASE("NO_PROXY, both spellings, and texts that are not proxies") {
  std::string const nobody = "HTTPS_PROXY=http://ci:secret@127.0.0.1:1";
  struct row {
    std::vector<std::string> variables;
    int code;
    std::string error;
  };
  std::vector<row> const table{
      {{nobody}, 4, "not_connected"},
      {{nobody, "NO_PROXY=127.0.0.1"}, 0, ""},
      {{nobody, "no_proxy=127.0.0.0/8"}, 0, ""},
      {{nobody, "NO_PROXY=example.com, 127.0.0.1:" + port_of_service()}, 0, ""},
      {{nobody, "NO_PROXY=127.0.0.1:1"}, 4, "not_connected"},
      {{nobody, "NO_PROXY=example.com"}, 4, "not_connected"},
      {{"HTTP_PROXY=http://127.0.0.1:1"}, 0, ""},  // not for https
      {{"ALL_PROXY=http://127.0.0.1:1"}, 0, ""},   // a variable that svc does not know
      {{"HTTPS_PROXY=gopher://ci:secret@127.0.0.1:1"}, 3, "bad_proxy"},
      {{"HTTPS_PROXY=http://ci:secret@proxy.invalid:3128"}, 4, "unknown_proxy"},
  };
  std::vector<std::unique_ptr<svc_process>> running;
  for (auto const& each : table)
    running.push_back(std::make_unique<svc_process>(invocation{
        .arguments = {"health", "--json"}, .environment = environment_of(service_behind(), each.variables)}));
  for (std::size_t i = 0; i < table.size(); ++i) {
    auto const result = running[i]->wait();
    CAPTURE(table[i].variables.back());
    CAPTURE(result.err);
    CHECK(result.code == table[i].code);
    CHECK(failure_code(result) == table[i].error);
    CHECK_FALSE(holds(result.err, "secret"));
  }
}
