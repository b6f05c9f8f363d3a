// The conventions of HTTP that hold for every operation, derived from the document: new operations are covered, too.
#include "contract/list_conventions.hpp"
#include "support/gzip.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <regex>

namespace svc::test {
namespace {

/// False for a stream: it has no end, and therefore no length, tag or encoding.
bool in_json(contract_fixture& s, http::operation const& op) {
  auto const* const found = s.contract().response(op, 200);
  auto const* const content = found == nullptr ? nullptr : found->if_contains("content");
  return content != nullptr && content->as_object().contains("application/json");
}

support::answer with(contract_fixture& s, request r, std::string name, std::string value) {
  r.headers.emplace_back(std::move(name), std::move(value));
  return s.send(r);
}

std::string without_last_use(std::string const& body) {
  return std::regex_replace(body, std::regex(R"re("lastUsed(At|Ip)":[^,}]*)re"), "");
}

void check_tags(contract_fixture& s, request const& r) {
  auto const first = s.send(r);
  REQUIRE(first.status == 200);
  auto const tag = first.header("ETag").value_or("");
  CHECK(std::regex_match(tag, std::regex(R"("\d+-[0-9a-f]{16}")")));
  CHECK(first.header("Cache-Control") == "private, no-cache");
  for (auto const& same : {tag, "W/" + tag, "\"other\", " + tag, std::string("*")}) {
    CAPTURE(same);
    auto const got = with(s, r, "If-None-Match", same);
    CHECK(got.status == 304);
    CHECK(got.body.empty());
    CHECK(got.header("ETag") == tag);
    CHECK_FALSE(got.header("Content-Type"));
    CHECK(got.header("RateLimit"));
  }
  auto other = tag;
  other[other.size() - 2] = other[other.size() - 2] == '0' ? '1' : '0';
  CHECK(with(s, r, "If-None-Match", other).status == 200);
  for (auto const& allowed : {tag, other + ", " + tag, std::string("*")})
    CHECK(with(s, r, "If-Match", allowed).status == 200);
  for (auto const& refused : {other, "W/" + tag}) CHECK(with(s, r, "If-Match", refused).status == 412);
  // If-Match takes precedence (RFC 9110 13.2.2).
  auto both = r;
  both.headers = {{"If-None-Match", tag}};
  CHECK(with(s, both, "If-Match", tag).status == 304);
  CHECK(with(s, both, "If-Match", other).status == 412);
}

/// True when the answer was large enough to be encoded.
bool check_encoding(contract_fixture& s, request const& r) {
  auto const plain = s.send(r);
  auto const got = with(s, r, "Accept-Encoding", "br, gzip;q=0.8");
  bool const encoded = got.header("Content-Encoding") == "gzip";
  CHECK(encoded == (plain.body.size() >= 1024 && plain.header("Cache-Control") != "no-store"));
  CHECK((plain.header("Vary").value_or("").find("Accept-Encoding") != std::string::npos) == encoded);
  CHECK_FALSE(plain.header("Content-Encoding"));
  if (!encoded) return false;
  CHECK(got.body.size() < plain.body.size());
  CHECK(without_last_use(gunzip(got.body)) == without_last_use(plain.body));
  CHECK_FALSE(with(s, r, "Accept-Encoding", "gzip;q=0").header("Content-Encoding"));
  auto const tag = got.header("ETag").value_or("");
  CHECK(tag != plain.header("ETag").value_or(""));
  auto again = r;
  again.headers.emplace_back("Accept-Encoding", "gzip");
  CHECK(with(s, again, "If-None-Match", tag).status == 304);
  again.method = "HEAD";
  CHECK(s.send(again).header("Content-Encoding") == "gzip");
  return true;
}

void check_any(contract_fixture& s, http::operation const& op) {
  auto r = s.good(op);
  r.method = "OPTIONS";
  auto const options = s.send(r);
  CHECK(options.status == 204);
  auto const allow = ", " + options.header("Allow").value_or("") + ",";
  auto expected = s.contract().methods(op);
  if (holds(expected, "GET")) expected.emplace_back("HEAD");
  expected.emplace_back("OPTIONS");
  for (auto const& method : expected) CHECK(allow.find(" " + method + ",") != allow.npos);
  CHECK(std::count(allow.begin(), allow.end(), ',') == static_cast<long>(expected.size()) + 1);

  auto unknown = s.good(op);
  unknown.target += "?nonsense=1";
  unknown.headers = {{"X-Request-Id", "mine"}};
  if (op.token_kinds.empty()) {
    auto const got = s.send(unknown);
    CHECK(got.status == 200);
    CHECK(got.header("X-Request-Id") == "mine");
  } else {
    auto const got = s.send(unknown);
    CHECK(got.status == 400);
    CHECK(got.header("X-Request-Id") == "mine");
    CHECK(got.body.find("nonsense") != got.body.npos);
  }
  bool const changes = op.method == "PATCH" || op.method == "PUT" || op.method == "DELETE";
  if (changes) CHECK(holds(op.errors, "precondition_failed"));
  if (op.method != "GET" && holds(op.errors, "precondition_failed")) {
    CHECK(parameter(s, op, "If-Match"));
    CHECK(parameter(s, op, "If-None-Match"));
    for (auto const* name : {"If-Match", "If-None-Match"}) CHECK(with(s, s.good(op), name, "garbage").status == 400);
  }
}

/// A last use is not a change: cached copies stay valid.
void check_last_use(contract_fixture& s) {
  auto const& tenant = s.main();
  struct {
    std::string target, sql, id;
  } const cases[] = {
      {"/api/cli-tokens/", "INSERT INTO token_last_use VALUES ($1, now(), '192.0.2.1')", tenant.ids.at("cli-tokens")},
      {"/api/notification-providers/", "UPDATE notification_providers SET last_used_at = now() WHERE id = $1",
       tenant.ids.at("notification-providers")},
  };
  for (auto const& c : cases) {
    CAPTURE(c.target);
    request const r{"GET", c.target + c.id, tenant.token};
    auto const before = s.send(r);
    s.sql().run(c.sql, {c.id});
    auto const after = s.send(r);
    CHECK(before.body != after.body);
    CHECK(before.header("ETag") == after.header("ETag"));
    CHECK(with(s, r, "If-None-Match", before.header("ETag").value_or("")).status == 304);
  }
}

// One case, so that one service serves all operations.
TEST_CASE("every operation keeps the conventions of HTTP") {
  contract_fixture s;
  s.end_outages();
  s.await_first_check(s.main());
  int conditional = 0;
  int encoded = 0;
  for (auto const& op : s.contract().operations()) {
    CAPTURE(op.id);
    check_any(s, op);
    if (op.method != "GET" || !in_json(s, op)) continue;
    CHECK(op.conditional == (!op.token_kinds.empty() || s.contract().response(op, 304) != nullptr));
    auto const r = s.good(op);
    encoded += check_encoding(s, r) ? 1 : 0;
    if (op.token_kinds.empty()) continue;
    check_tags(s, r);
    ++conditional;
  }
  CHECK(conditional >= 12);
  encoded += check_lists(s, check_encoding);
  CHECK(encoded >= 3);
  check_last_use(s);
}

}  // namespace
}  // namespace svc::test
