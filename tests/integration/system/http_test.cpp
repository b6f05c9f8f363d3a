#include "jobs.hpp"
#include "support/service.hpp"

#include <doctest/doctest.h>

namespace svc::test {
namespace {

constexpr char const* limit_headers[] = {"x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset",
                                         "ratelimit-policy", "ratelimit"};

bool has_all_limits(answer const& answer) {
  int found = 0;
  for (auto const* name : limit_headers) found += answer.header(name) ? 1 : 0;
  CHECK((found == 0 || found == 5));
  return found == 5;
}

struct exchange {
  std::string name, method, target;
  header_list headers;
  std::string body;
  int status;
  std::string code;
};

/// Checks the properties of every response, then the expectations of the case.
void check_answer(exchange const& c, answer const& got, bool limited = true) {
  CAPTURE(c.name);
  CAPTURE(got.body);
  CHECK(got.status == c.status);
  CHECK(code_of(got) == c.code);
  CHECK(has_all_limits(got) == limited);
  CHECK_FALSE(got.header("server").has_value());
  CHECK(got.header("date").has_value());
  if (!limited) return;
  CHECK(got.header("x-content-type-options") == "nosniff");
  if (!c.code.empty()) {
    CHECK(got.header("content-type") == "application/json");
    CHECK(text_of(body_of(got), "/requestId") == got.header("x-request-id"));
    CHECK_FALSE(text_of(body_of(got), "/error").empty());
  }
  if (c.status == 401) CHECK(got.header("www-authenticate").value_or("").starts_with("Bearer realm="));
}

std::string bearer(std::string const& token) {
  return "Bearer " + token;
}

TEST_CASE("refusals in the order of the steps, on one kept connection") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(0, tenant.token);
  auto const job = make_job(owner);
  auto const key = make_key(owner, job, "k");
  auto const viewer = fleet.make_member(tenant, "project_viewer");
  std::string const jobs = "/api/jobs", tokens = "/api/cli-tokens", none = {};
  header_list const mine{{"Authorization", bearer(tenant.token)}};
  header_list const keys{{"Authorization", bearer(key.key)}};
  header_list const views{{"Authorization", bearer(viewer.token)}};
  auto const json = [&](header_list header_list) {
    header_list.emplace_back("Content-Type", "application/json");
    return header_list;
  };
  auto bad = tenant.token;
  bad.back() = bad.back() == 'x' ? 'y' : 'x';
  std::string const deep = R"({"name":)" + std::string(33, '[') + std::string(33, ']') + "}";
  exchange const cases[] = {
      {"nobody", "GET", jobs, {}, none, 401, "token_required"},
      {"nobody, no such path", "GET", "/api/nothing", {}, none, 401, "token_required"},
      {"nobody, wrong method", "DELETE", jobs, {}, none, 401, "token_required"},
      {"other scheme", "GET", jobs, {{"Authorization", "Basic dTpw"}}, none, 401, "invalid_token"},
      {"unknown prefix", "GET", jobs, {{"Authorization", "Bearer ghp_x"}}, none, 401, "invalid_token"},
      {"bad checksum", "GET", jobs, {{"Authorization", bearer(bad)}}, none, 401, "invalid_token"},
      {"unknown",
       "GET",
       jobs,
       {{"Authorization", bearer("job_" + std::string(32, '0'))}},
       none,
       401,
       "invalid_token"},
      {"twice", "GET", jobs, {mine[0], mine[0]}, none, 400, "malformed_request"},
      {"scheme in capitals", "GET", jobs, {{"Authorization", "BEARER " + tenant.token}}, none, 200, none},
      {"key on a general path", "GET", jobs, keys, none, 401, "wrong_token_kind"},
      {"key on no path", "GET", "/api/nothing", keys, none, 401, "wrong_token_kind"},
      {"key on a path that cannot be decoded", "POST", jobs + "/" + job + "/trigger%", keys, none, 400,
       "malformed_request"},
      {"key on a general path that cannot be decoded", "GET", jobs + "/%ff", keys, none, 400, "malformed_request"},
      {"nobody, a path that cannot be decoded", "GET", jobs + "/%ff", {}, none, 401, "token_required"},
      {"key on its job, malformed query", "POST", jobs + "/" + job + "/trigger?x=%00", keys, none, 400,
       "malformed_request"},
      {"nobody, malformed query of a public path", "GET", "/api/health?x=%00", {}, none, 400, "malformed_request"},
      {"no such path", "GET", "/api/nothing", mine, none, 404, "route_not_found"},
      {"wrong method", "DELETE", jobs, mine, none, 405, "method_not_allowed"},
      {"unknown method", "BREW", jobs, mine, none, 501, "not_implemented"},
      {"no permission, before the body is looked at", "POST", jobs, views, "{", 403, "permission_denied"},
      {"unknown query", "GET", jobs + "?colour=red", mine, none, 400, "validation_failed"},
      {"page below 1", "GET", jobs + "?page=0", mine, none, 400, "validation_failed"},
      {"101 rows", "GET", jobs + "?limit=101", mine, none, 400, "validation_failed"},
      {"100 rows", "GET", jobs + "?limit=100", mine, none, 200, none},
      {"past the end", "GET", jobs + "?page=9", mine, none, 200, none},
      {"no uuid", "GET", jobs + "/42", mine, none, 400, "validation_failed"},
      {"not ours", "GET", jobs + "/" + fleet.text("jobId"), mine, none, 404, "not_found"},
      {"no JSON", "POST", tokens, json(mine), "{", 400, "malformed_json"},
      {"a name twice", "POST", tokens, json(mine), R"({"name":"a","name":"b"})", 400, "malformed_json"},
      {"a NUL", "POST", tokens, json(mine), R"({"name":"\u0000"})", 400, "malformed_json"},
      {"33 deep", "POST", tokens, json(mine), deep, 400, "malformed_json"},
      {"unknown member", "POST", tokens, json(mine), R"({"name":"a","x":1})", 400, "validation_failed"},
      {"no name", "POST", tokens, json(mine), "{}", 400, "validation_failed"},
      {"no body", "POST", tokens, json(mine), none, 400, "validation_failed"},
      {"other media type",
       "POST",
       tokens,
       {mine[0], {"Content-Type", "text/plain"}},
       "{}",
       415,
       "unsupported_media_type"},
      {"key of a retry", "POST", tokens, {mine[0], {"Idempotency-Key", "a"}}, "{}", 400, "idempotency_not_supported"},
      {"still alive", "GET", jobs, mine, none, 200, none},
  };
  for (auto const& c : cases) check_answer(c, owner.http().request(c.method, c.target, c.headers, c.body));
  auto const allow = owner.call("DELETE", jobs).header("allow").value_or("");
  for (auto const* method : {"GET", "HEAD", "POST", "OPTIONS"}) CHECK(allow.find(method) != std::string::npos);
  CHECK(allow.find("DELETE") == std::string::npos);
}

TEST_CASE("a body larger than its operation accepts is refused before it is read, whole or chunked") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto owner = fleet.client(1, tenant.token);
  auto const job = make_job(owner);
  struct {
    std::string name, target;
    std::size_t most;
  } const cases[] = {{"token", "/api/cli-tokens", 1U << 20U}, {"trigger", trigger_path(job), 65536}};
  for (auto const& c : cases) {
    CAPTURE(c.name);
    std::string const fits = R"({"name":")" + std::string(c.most - 11, 'x') + "\"}";
    REQUIRE(fits.size() == c.most);
    CHECK(code_of(owner.post(c.target, fits)) == "validation_failed");
    auto const got = owner.post(c.target, fits + " ");
    CHECK(code_of(got) == "body_too_large");
    CHECK(has_all_limits(got));
  }
  owner.http().close();
  auto const announced =
      owner.http().raw("POST /api/cli-tokens HTTP/1.1\r\nHost: x\r\nAuthorization: " + bearer(tenant.token) +
                       "\r\nContent-Length: 99999999999\r\n\r\n");
  CHECK(code_of(announced) == "body_too_large");
  CHECK(announced.header("connection") == "close");
}

TEST_CASE("chunks, Expect, pipelined requests and HEAD on one connection") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  auto client = fleet.client(0, tenant.token);
  auto const head = "Host: x\r\nAuthorization: " + bearer(tenant.token) + "\r\n";
  auto const json = head + "Content-Type: application/json\r\n";
  auto const chunked =
      client.http().raw("POST /api/cli-tokens HTTP/1.1\r\n" + json +
                        "Transfer-Encoding: chunked\r\n\r\n8\r\n{\"name\":\r\n4\r\n\"c\"}\r\n0\r\n\r\n");
  CHECK(chunked.status == 201);
  auto const expected = client.http().raw("POST /api/cli-tokens HTTP/1.1\r\n" + json +
                                          "Expect: 100-continue\r\nContent-Length: 12\r\n\r\n{\"name\":\"e\"}");
  CHECK(expected.status == 201);

  std::string burst;
  constexpr int many = 50;
  for (int i = 0; i < many; ++i)
    burst += "GET /api/auth/whoami HTTP/1.1\r\nX-Request-Id: p" + std::to_string(i) + "\r\n" + head + "\r\n";
  for (int i = 0; i < many; ++i) {
    auto const got = client.http().raw(i == 0 ? burst : "");
    CHECK(got.status == 200);
    CHECK(got.header("x-request-id") == "p" + std::to_string(i));
  }

  for (auto const* target : {"/api/jobs", "/api/auth/whoami", "/livez", "/openapi/openapi.yaml", "/api/nothing"}) {
    CAPTURE(target);
    auto const whole = client.get(target);
    auto const bare = client.call("HEAD", target);
    CHECK(bare.status == whole.status);
    CHECK(bare.body.empty());
    CHECK(bare.number("content-length") == static_cast<long long>(whole.body.size()));
    CHECK(has_all_limits(bare) == has_all_limits(whole));
  }
}

TEST_CASE("a request's id is kept when it is valid, and generated otherwise") {
  auto& fleet = shared_fleet();
  auto client = fleet.client(0);
  struct {
    std::string name, given;
    bool kept;
  } const cases[] = {{"plain", "build-42", true},
                     {"none", "", false},
                     {"with a space", "a b", false},
                     {"very long", std::string(300, 'x'), false}};
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto const got = client.call("GET", "/api/jobs", {}, {{"X-Request-Id", c.given}});
    auto const id = got.header("x-request-id").value_or("");
    CHECK((id == c.given) == c.kept);
    if (!c.kept) CHECK(id.size() == 36);
    if (!c.kept) CHECK(id[14] == '7');
    CHECK(text_of(body_of(got), "/requestId") == id);
  }
  auto const two =
      client.http().raw("GET /livez HTTP/1.1\r\nHost: x\r\nX-Request-Id: one\r\nX-Request-Id: two\r\n\r\n");
  CHECK(two.header("x-request-id").value_or("").size() == 36);
}

TEST_CASE("the access line names the trace that a valid traceparent names") {
  auto& fleet = shared_fleet();
  auto client = fleet.client(0);
  std::string const trace = "4bf92f3577b34da6a3ce929d0e0e4736";
  struct {
    std::string id, given, logged;
  } const cases[] = {{"traced-1", "00-" + trace + "-00f067aa0ba902b7-01", trace},
                     {"traced-2", "00-" + trace + "-00f067aa0ba902b7", ""},
                     {"traced-3", "", ""}};
  for (auto const& c : cases) {
    CAPTURE(c.id);
    auto const got = client.call("GET", "/livez", {}, {{"X-Request-Id", c.id}, {"traceparent", c.given}});
    CHECK(got.status == 200);
    CHECK(logged(fleet.dev().process(), R"("requestId":")" + c.id + R"(","trace_id":")" + c.logged + "\"", 1));
  }
}

TEST_CASE("an error is sent as problem+json when the client asks for it") {
  auto& fleet = shared_fleet();
  auto client = fleet.client(0);
  struct {
    std::string accept, type;
  } const cases[] = {{"application/problem+json", "application/problem+json"},
                     {"application/json;q=0.5, application/problem+json", "application/problem+json"},
                     {"application/problem+json;q=0.5, application/json", "application/json"},
                     {"*/*", "application/json"}};
  for (auto const& c : cases) {
    CAPTURE(c.accept);
    auto const got = client.call("GET", "/api/jobs", {}, {{"Accept", c.accept}});
    CHECK(got.header("content-type") == c.type);
    auto const body = body_of(got);
    CHECK(text_of(body, "/code") == "token_required");
    CHECK(body.contains("status") == (c.type == "application/problem+json"));
  }
}

}  // namespace
}  // namespace svc::test
