#include "integration/system/overload/resources.hpp"
#include "integration/system/overload/worker_connections.hpp"

#include <doctest/doctest.h>

namespace svc::test {
namespace {

bool has_limits(answer const& answer) {
  return answer.header("x-ratelimit-limit") && answer.header("ratelimit-policy");
}

TEST_CASE("which responses carry no limit headers") {
  auto& fleet = shared_fleet();
  auto client = fleet.client(0);
  for (auto const* target : {"/livez", "/readyz"}) {
    auto const got = client.get(target);
    CHECK(got.status == 200);
    CHECK_FALSE(has_limits(got));
  }
  struct {
    std::string target;
    int status;
  } const options[] = {{"/api/jobs", 204}, {"/livez", 204}, {"/api/nothing", 404}};
  for (auto const& c : options) {
    CAPTURE(c.target);
    auto const got = client.call("OPTIONS", c.target);
    CHECK(got.status == c.status);
    CHECK_FALSE(has_limits(got));
    if (c.status == 204) CHECK(got.header("allow").value_or("").find("GET") != std::string::npos);
  }
  struct {
    std::string name, head;
    int status;
  } const heads[] = {
      {"no Host", "GET / HTTP/1.1\r\n\r\n", 400},
      {"two Hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", 400},
      {"two framings", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
      {"other coding", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", 501},
      {"other version", "GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505},
      {"long target", "GET /" + std::string(9000, 'a') + " HTTP/1.1\r\nHost: a\r\n\r\n", 414},
      {"large head", "GET / HTTP/1.1\r\nHost: a\r\nX: " + std::string(17'000, 'a') + "\r\n\r\n", 431},
  };
  for (auto const& c : heads) {
    CAPTURE(c.name);
    client.http().close();
    auto const got = client.http().raw(c.head);
    CHECK(got.status == c.status);
    CHECK_FALSE(has_limits(got));
    CHECK(got.header("connection") == "close");
  }
}

TEST_CASE("the admin pages refuse host names that somebody else chose") {
  auto& fleet = shared_fleet();
  struct {
    char const* name;
    std::string head;
    int status;
  } const cases[] = {
      {"an address", "GET /livez HTTP/1.1\r\nHost: 127.0.0.1:1\r\n\r\n", 200},
      {"localhost", "GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n", 200},
      {"a page's own name", "GET /debug/config HTTP/1.1\r\nHost: rebound.example\r\n\r\n", 400},
      {"the same, changing something",
       "POST /debug/failpoints HTTP/1.1\r\nHost: rebound.example\r\nContent-Length: 0\r\n\r\n", 400},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto pages = fleet.pages(0);
    CHECK(pages.http().raw(c.head).status == c.status);
  }
}

TEST_CASE("each class counts on its own window, by default with the limits of the contract") {
  fleet fleet(1,
              {"SVC_LIMITS_ANONYMOUS_LIMIT=10", "SVC_LIMITS_FEED_LIMIT=60", "SVC_LIMITS_HEALTH_LIMIT=600",
               "SVC_LIMITS_REFUSED_LIMIT=60", "SVC_LIMITS_CLI_LIMIT=1000", "SVC_LIMITS_TRIGGER_DEFAULT_LIMIT=100"});
  auto const config = fleet.pages(0).get("/debug/config");
  CHECK(config.status == 200);
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);
  auto const other = body_of(owner.post("/api/cli-tokens", R"({"name":"o"})"));
  auto const refused = text_of(other, "/token/key");
  CHECK(owner.patch("/api/cli-tokens/" + text_of(other, "/token/id"), R"({"enabled":false})").status == 200);
  struct {
    std::string name, token, target, policy;
    int limit, status;
  } const cases[] = {
      {"refused", refused, "/api/jobs", "\"refused\";q=60;w=60", 60, 401},
      {"anonymous", "", "/api/jobs", "\"anonymous\";q=10;w=60", 10, 401},
      {"feed", "", "/openapi/openapi.json", "\"feed\";q=60;w=60", 60, 200},
      {"feed, for any client", tenant.token, "/openapi/openapi.yaml", "\"feed\";q=60;w=60", 0, 200},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto client = fleet.client(0, c.token);
    for (int i = 0; i < c.limit; ++i) {
      auto const got = client.get(c.target);
      CHECK(got.status == c.status);
      CHECK(got.header("ratelimit-policy") == c.policy);
      CHECK(got.number("x-ratelimit-remaining") == c.limit - 1 - i);
    }
    auto const full = client.get(c.target);
    CHECK(code_of(full) == "rate_limited");
    CHECK(full.header("ratelimit-policy") == c.policy);
    CHECK(full.number("retry-after") >= 1);
    CHECK(full.number("retry-after") <= 60);
  }
  auto const health = owner.get("/api/health");
  CHECK(health.status == 200);
  CHECK(health.header("ratelimit-policy") == "\"health\";q=600;w=60");
  // Other requests from the address, and those of a refused token, do not count in the owner's window.
  auto const mine = owner.get("/api/jobs");
  CHECK(mine.status == 200);
  CHECK(mine.header("ratelimit-policy") == "\"cli\";q=1000;w=60");
  CHECK(mine.number("x-ratelimit-remaining") == 1000 - 3);
}

TEST_CASE("the contract is served in both forms, with an ETag") {
  auto& fleet = shared_fleet();
  auto client = fleet.client(1);
  auto const json = client.get("/openapi/openapi.json");
  CHECK(json.header("content-type") == "application/json");
  auto const document = boost::json::parse(json.body);
  CHECK(text_of(document, "/openapi").starts_with("3.1"));
  CHECK(text_of(document, "/servers/0/url") == fleet.url(1));
  CHECK(document.at("paths").as_object().contains("/api/cli-tokens"));
  auto const yaml = client.get("/openapi/openapi.yaml");
  CHECK(yaml.header("content-type") == "application/yaml");
  CHECK(yaml.body.find("openapi: ") != std::string::npos);
  for (auto const* target : {"/openapi/openapi.json", "/openapi/openapi.yaml"}) {
    auto const etag = client.get(target).header("etag").value();
    struct {
      std::string tag;
      int status;
    } const cases[] = {{etag, 304}, {"W/" + etag, 304}, {"*", 304}, {"\"x\", " + etag, 304}, {"\"x\"", 200}};
    for (auto const& c : cases) {
      CAPTURE(c.tag);
      auto const got = client.call("GET", target, {}, {{"If-None-Match", c.tag}});
      CHECK(got.status == c.status);
      CHECK(got.header("etag") == etag);
      CHECK(has_limits(got));
    }
  }
}

TEST_CASE("a large answer that the client has: 304 with the fields of its 200, until it changes") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto client = fleet.client(0, tenant.token), other = fleet.client(1, tenant.token);
  auto const test = R"({"title":"t","type":"command","script":")" + std::string(3000, 'x') + "\"}";
  std::string path;
  for (int i = 0; i < 30; ++i) path = "/api/tests/" + id_of(client.post("/api/tests", test));
  std::vector<std::pair<std::string, std::string>> const plain, gzip{{"Accept-Encoding", "gzip"}};
  char const* const changes[] = {R"({"title":"u"})", R"({"script":"y"})"};
  for (auto const* const change : changes) {
    for (auto const& target : {path + "?includeScript=true", std::string("/api/tests?limit=30")}) {
      for (auto const& form : {plain, gzip}) {
        CAPTURE(target);
        CAPTURE(form.size());
        auto const whole = client.call("GET", target, {}, form);
        auto known = form;
        known.emplace_back("If-None-Match", whole.header("etag").value());
        auto const got = client.call("GET", target, {}, known);
        CHECK(other.call("GET", target, {}, known).status == 304);
        CHECK(got.status == 304);
        CHECK(got.body.empty());
        // Links name the instance that answers.
        for (auto const* name : {"etag", "vary", "cache-control", "link", "content-security-policy"})
          CHECK(got.header(name) == whole.header(name));
        CHECK(whole.header("vary") == "Accept-Encoding");
        CHECK(client.call("PATCH", path, change).status == 200);
        auto const changed = other.call("GET", target, {}, known);
        CHECK(changed.status == 200);
        CHECK(changed.header("etag") != whole.header("etag"));
        CHECK(client.call("PATCH", path, test).status == 200);
      }
    }
  }
}

TEST_CASE("the admin pages are on their own listener only") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto client = fleet.client(0, tenant.token);
  auto pages = fleet.pages(0);
  for (auto const* target : {"/metrics", "/debug/config"}) {
    CHECK(code_of(client.get(target)) == "route_not_found");
    CHECK(pages.get(target).status == 200);
  }
  CHECK(code_of(pages.get("/api/jobs")) == "route_not_found");
  auto const ready = body_of(pages.get("/readyz?verbose"));
  CHECK(text_of(ready, "/dependencies") == "ok");
  auto const metrics = pages.get("/metrics").body;
  for (auto const* name : {"http_server_requests_total", "http_server_request_duration_seconds_bucket",
                           "svc_admissions_total", "svc_build_info"})
    CHECK(metrics.find(name) != std::string::npos);
}

}  // namespace
}  // namespace svc::test
