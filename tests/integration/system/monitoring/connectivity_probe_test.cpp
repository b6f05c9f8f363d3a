// Tokens where they do not belong, and bytes that try to become log lines.
#include "integration/system/jobs.hpp"

#include <doctest/doctest.h>
#include <boost/json/parse.hpp>

#include <chrono>
#include <cstdio>
#include <sstream>
#include <thread>

namespace svc::test {
namespace {

struct misplaced {
  std::string name;
  std::string bytes;  ///< of the whole request
};

std::string get(std::string const& target, std::string const& fields) {
  return "GET " + target + " HTTP/1.1\r\nHost: x\r\n" + fields + "\r\n";
}

std::string post(std::string const& target, std::string const& fields, std::string const& body) {
  return "POST " + target + " HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n" + fields +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::vector<misplaced> in_the_head(std::string const& token, std::string const& auth) {
  std::vector<misplaced> out{
      {"path", get("/" + token, auth)},
      {"path of an id", get("/api/jobs/" + token, auth)},
      {"path after a route", get("/api/jobs/" + token + "/x", auth)},
      {"encoded path", get("/api/%73" + token.substr(1), auth)},
      {"query name", get("/api/jobs?" + token + "=1", auth)},
      {"query value", get("/api/jobs?limit=" + token, auth)},
      {"query of no parameter", get("/api/jobs?access_token=" + token, auth)},
      {"absolute form", get("https://" + token + "/api/jobs", auth)},
      {"dot segments", get("/api/../" + token, auth)},
      {"method", token + " /api/jobs HTTP/1.1\r\nHost: x\r\n" + auth + "\r\n"},
      {"version", "GET / HTTP/" + token + "\r\nHost: x\r\n\r\n"},
      {"request line", token + "\r\n\r\n"},
      {"field name", get("/api/nothing", auth + token + ": 1\r\n")},
      {"bad field name", get("/api/nothing", auth + token + " : 1\r\n")},
      {"two hosts", get("/api/nothing", "Host: " + token + "\r\n")},
      {"host", "GET /api/nothing HTTP/1.1\r\nHost: " + token + "\r\n" + auth + "\r\n"},
      {"bad length", get("/api/nothing", "Content-Length: " + token + "\r\n")},
      {"coding", get("/api/nothing", "Transfer-Encoding: " + token + "\r\n")},
      {"expectation", get("/api/nothing", "Expect: " + token + "\r\n")},
      {"no scheme", get("/api/jobs", "Authorization: " + token + "\r\n")},
      {"other scheme", get("/api/jobs", "Authorization: Basic " + token + "\r\n")},
      {"scheme of its own", get("/api/jobs", "Authorization: " + token + " x\r\n")},
      {"twice", get("/api/jobs", auth + "Authorization: Bearer " + token + "\r\n")},
      {"two in one", get("/api/jobs", "Authorization: Bearer " + token + ", " + token + "\r\n")},
      {"one character more", get("/api/jobs", "Authorization: Bearer " + token + "x\r\n")},
      {"preflight", "OPTIONS /api/" + token + " HTTP/1.1\r\nHost: x\r\nOrigin: https://" + token +
                        "\r\nAccess-Control-Request-Method: " + token + "\r\n\r\n"},
  };
  for (auto const* field : {"X-Api-Key", "Cookie", "User-Agent", "Referer", "X-Request-Id", "Accept", "If-Match",
                            "If-None-Match", "Prefer", "Origin", "Forwarded", "X-Forwarded-For", "Idempotency-Key",
                            "Accept-Encoding", "Connection", "Upgrade", "Proxy-Authorization", "traceparent"}) {
    out.push_back({field, get("/api/nothing", auth + field + ": " + token + "\r\n")});
  }
  return out;
}

std::vector<misplaced> in_the_body(std::string const& token, std::string const& auth, std::string const& job) {
  std::string const tokens = "/api/cli-tokens";
  return {
      {"no JSON", post(tokens, auth, token)},
      {"broken JSON", post(tokens, auth, "{\"name\":\"" + token)},
      {"member", post(tokens, auth, "{\"name\":\"a\",\"" + token + "\":1}")},
      {"value", post(tokens, auth, "{\"name\":\"a\",\"expiresIn\":\"" + token + "\"}")},
      {"a name twice", post(tokens, auth, "{\"" + token + "\":1,\"" + token + "\":2}")},
      {"deep member", post(trigger_path(job), auth, "{\"variables\":{\"" + token + "\":{\"" + token + "\":1}}}")},
      {"wait", post(trigger_path(job) + "?wait=" + token, auth, "{}")},
      {"key of a retry", post(tokens, auth + "Idempotency-Key: " + token + "\r\n", "{}")},
      {"media type", "POST " + tokens + " HTTP/1.1\r\nHost: x\r\n" + auth + "Content-Type: text/" + token +
                         "\r\nContent-Length: 2\r\n\r\n{}"},
      {"chunk extension", "POST " + tokens + " HTTP/1.1\r\nHost: x\r\n" + auth +
                              "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2;" + token +
                              "\r\n{}\r\n0\r\n\r\n"},
      {"trailer", "POST " + tokens + " HTTP/1.1\r\nHost: x\r\n" + auth +
                      "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n" + token +
                      ": " + token + "\r\n\r\n"},
  };
}

void send_by_name_of_server(std::string const& url, std::string const& token) {
  auto const command = "echo | timeout 5 openssl s_client -connect " + url.substr(8) + " -servername " + token +
                       ".example -alpn " + token + " >/dev/null 2>&1";
  // The handshake may fail; that is not tested here.
  static_cast<void>(std::system(command.c_str()));  // NOLINT(cert-env33-c)
}

/// All that the instance has logged up to the line of that request.
std::string log_behind(fleet& fleet, std::string const& request_id) {
  auto client = fleet.client(0);
  CHECK(client.call("GET", "/livez", {}, {{"X-Request-Id", request_id}}).status == 200);
  auto const& log = fleet.process(0).err();
  REQUIRE(log.wait_line([&](std::string const& line) { return line.find(request_id) != std::string::npos; },
                        std::chrono::seconds(10)));
  return log.text();
}

TEST_CASE("a token where it does not belong appears in no log, no metric and no error") {
  fleet fleet(1, {"SVC_LOG_LEVEL=debug", "SVC_CORS_ORIGINS=https://a.example"});
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);
  auto const job = make_job(owner);
  auto const key = make_key(owner, job, "k");
  auto const auth = "Authorization: Bearer " + tenant.token + "\r\n";
  for (auto const& token : {tenant.token, key.key}) {
    auto positions = in_the_head(token, auth);
    auto const bodies = in_the_body(token, auth, job);
    positions.insert(positions.end(), bodies.begin(), bodies.end());
    auto const hidden = token.substr(token.size() - 20, 12);
    for (auto const& spot : positions) {
      CAPTURE(spot.name);
      auto client = fleet.client(0);
      auto const got = client.http().raw(spot.bytes);
      CHECK((got.status >= 400 || spot.name == "preflight"));
      CHECK(got.body.find(hidden) == std::string::npos);
      for (auto const& [name, value] : got.headers) CHECK(value.find(hidden) == std::string::npos);
    }
    send_by_name_of_server(fleet.url(0), token);
    auto const log = log_behind(fleet, "behind-" + token.substr(4, 3));
    CHECK(log.find("route_not_found") == std::string::npos);
    CHECK(log.find(hidden) == std::string::npos);
    CHECK(fleet.pages(0).get("/metrics").body.find(hidden) == std::string::npos);
  }
}

TEST_CASE("no request can forge a log line") {
  auto& fleet = shared_fleet();
  std::string const forged = R"({"level":"info","message":"forged"})";
  struct {
    std::string name, bytes;
  } const attempts[] = {
      {"encoded line end in the path", get("/api/%0d%0a" + forged, "")},
      {"encoded escape in the query", get("/api/jobs?x=%1b%5b2J%0a" + forged, "")},
      {"line end in the path", "GET /\n" + forged + "\n HTTP/1.1\r\nHost: x\r\n\r\n"},
      {"escape in a field", get("/livez", "User-Agent: \x1b[2J\r\n")},
      {"bare line end in a field", get("/livez", "User-Agent: a\n" + forged + "\r\n")},
      {"bare carriage return", get("/livez", "User-Agent: a\r" + forged + "\r\n")},
      {"folded field", get("/livez", "User-Agent: a\r\n " + forged + "\r\n")},
      {"request id with quotes", get("/livez", "X-Request-Id: \",\"message\":\"forged\r\n")},
      {"request id beyond ASCII", get("/livez", "X-Request-Id: \xe2\x80\xa8" + forged + "\r\n")},
      {"user agent", get("/livez", "User-Agent: " + forged + "\r\n")},
      {"method", "\"forged\" / HTTP/1.1\r\nHost: x\r\n\r\n"},
      {"right-to-left override", get("/livez", "User-Agent: \xe2\x80\xae\r\n")},
      {"not HTTP at all", forged + "\n" + forged + "\r\n\r\n"},
  };
  for (auto const& attempt : attempts) {
    CAPTURE(attempt.name);
    auto client = fleet.client(0);
    CHECK(client.http().raw(attempt.bytes).status >= 200);
  }
  std::istringstream lines(log_behind(fleet, "behind-the-forged"));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with('{')) continue;  // what dev itself prints before it serves
    CAPTURE(line);
    CHECK(line.find_first_of("\r\x1b\x7f") == std::string::npos);
    auto const parsed = boost::json::parse(line);
    CHECK(text_of(parsed, "/message") != "forged");
  }
}

}  // namespace
}  // namespace svc::test
