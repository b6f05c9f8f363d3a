#include "integration/cli/fault_table.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <ctime>
#include <thread>

using namespace svc::test;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

std::vector<std::string> const get{"api", "GET", "/api/jobs"};
std::vector<std::string> const post{"api", "POST", "/api/jobs", "-d", "{}"};
std::vector<std::string> const keyed{"api", "POST", "/api/jobs/1/trigger", "--idempotency-key", "auto"};
std::vector<std::string> const erase{"api", "DELETE", "/api/jobs/1"};

// `{}` as gzip, and that as gzip again.
std::string const once("\037\213\010\000\000\000\000\000\002\003\253\256\005\000\103\277\246\243\002\000\000\000",
                       22);
std::string const twice(
    "\037\213\010\000\000\000\000\000\002\003\223\357\346\140\000\001\046\346\325\353\130\031\234\367"
    "\057\133\314\004\344\001\000\143\344\306\037\026\000\000\000",
    39);

scripted_answer const cut{.close = true};
auto const good = whole_answer(200, "{}");

std::vector<std::string> with(std::vector<std::string> arguments, std::vector<std::string> const& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

scripted_answer refused(int status, std::string const& code, std::string const& fields = {}) {
  return whole_answer(status, error_body(code), fields);
}

/// Bytes, then the end of the connection.
scripted_answer bytes(std::string const& text) {
  return {.bytes = text, .close = true};
}

seconds gap(fault_result const& r) {
  REQUIRE(r.requests.size() == 2);
  return std::chrono::duration_cast<seconds>(r.requests[1].time - r.requests[0].time);
}

}  // namespace

TEST_CASE("the exit code follows the status, and the code of the service's error is kept") {
  check_faults({{"401", get, {refused(401, "token_revoked")}, 2, "token_revoked", 1},
                {"403", get, {refused(403, "permission_denied")}, 2, "permission_denied", 1},
                {"404", get, {refused(404, "not_found")}, 1, "not_found", 1},
                {"408", get, {refused(408, "timeout")}, 4, "timeout", 1},
                {"409", get, {refused(409, "job_disabled")}, 1, "job_disabled", 1},
                {"422", keyed, {refused(422, "idempotency_mismatch")}, 1, "idempotency_mismatch", 1},
                {"500", get, {refused(500, "internal")}, 4, "internal", 1},
                {"503 four times", get, {refused(503, "unavailable")}, 4, "unavailable", 4},
                {"good", get, {good}, 0, "", 1}});
}

TEST_CASE("requests that may not be sent twice are not, all others are") {
  auto const results = check_faults({
      {"cut", get, {cut}, 4, "connection_broken", 4},
      {"cut once", get, {cut, good}, 0, "", 2},
      {"cut in the body", get, {bytes("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"), good}, 0, "", 2},
      {"POST without a key", post, {cut, good}, 4, "connection_broken", 1},
      {"POST without a key, 503", post, {refused(503, "unavailable"), good}, 4, "unavailable", 1},
      {"POST with a key", keyed, {cut, good}, 0, "", 2},
      {"DELETE was done", erase, {cut, refused(404, "not_found")}, 0, "", 2},
      {"DELETE was done behind a 502", erase, {refused(502, "bad_gateway"), refused(404, "not_found")}, 0, "", 2},
      {"DELETE was done behind a 503", erase, {refused(503, "unavailable"), refused(404, "not_found")}, 0, "", 2},
      {"DELETE was done behind a 504", erase, {refused(504, "timeout"), refused(404, "not_found")}, 0, "", 2},
      {"DELETE of nothing after a 429",
       erase,
       {refused(429, "rate_limited"), refused(404, "not_found")},
       1,
       "not_found",
       2},
      {"DELETE of nothing", erase, {refused(404, "not_found")}, 1, "not_found", 1},
      {"DELETE of another's", erase, {cut, refused(403, "permission_denied")}, 2, "permission_denied", 2},
      {"409 in progress", keyed, {refused(409, "idempotency_in_progress"), good}, 0, "", 2},
      {"409 full, without a key", post, {refused(409, "queue_full"), good}, 0, "", 2},
      {"502 of a proxy", get, {refused(502, "bad_gateway"), good}, 0, "", 2},
  });
  CHECK(results[3].result.err.find("The request may have taken effect") != std::string::npos);
  auto const& twice = results[5].requests;
  CHECK(twice[0].field("Idempotency-Key").size() >= 16);
  CHECK(twice[0].field("Idempotency-Key") == twice[1].field("Idempotency-Key"));
}

TEST_CASE("waits that the service asks for are kept, and not begun when they do not fit") {
  auto const soon = "X-RateLimit-Reset: " + std::to_string(std::time(nullptr) + 2) + "\r\n";
  auto const results = check_faults({
      {"seconds", post, {refused(429, "rate_limited", "Retry-After: 1\r\n"), good}, 0, "", 2},
      {"a date",
       get,
       {refused(429, "rate_limited", "Retry-After: " + http_date(seconds(2)) + "\r\n"), good},
       0,
       "",
       2},
      {"the window's end", get, {refused(429, "rate_limited", soon), good}, 0, "", 2},
      {"503", get, {refused(503, "unavailable", "Retry-After: 1\r\n"), good}, 0, "", 2},
      {"an hour", get, {refused(429, "rate_limited", "Retry-After: 3600\r\n")}, 4, "long_wait", 1},
      {"an hour, bounded",
       with(get, {"--timeout", "9"}),
       {refused(429, "rate_limited", "Retry-After: 3600\r\n")},
       5,
       "deadline",
       1},
      {"429 four times", get, {refused(429, "rate_limited")}, 4, "rate_limited", 4},
  });
  for (std::size_t i : {0U, 1U, 2U, 3U}) {
    CAPTURE(results[i].fault->name);
    CHECK(gap(results[i]) >= seconds(1));  // dates are whole seconds: of the two, one at least
  }
  CHECK(results[4].result.err.find("3600 s") != std::string::npos);
  auto const late = check_faults({
      {"a lost store, bounded",
       with(get, {"--timeout", "2"}),
       {refused(503, "unavailable", "Retry-After: 9\r\n")},
       5,
       "deadline",
       1},
      {"busy, bounded",
       with(get, {"--timeout", "2"}),
       {refused(503, "overloaded", "Retry-After: 9\r\n")},
       5,
       "deadline",
       1},
  });
  CHECK(late[0].result.err.find("The service cannot reach what it needs (status 503).") != std::string::npos);
  CHECK(late[1].result.err.find("The service is busy (status 503).") != std::string::npos);
  CHECK(results[5].result.err.find("3600 s, after the end of --timeout") != std::string::npos);
}

TEST_CASE("garbage ends the command with the reason") {
  std::string const head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n";
  std::string const deep(100'000, '[');
  std::vector<std::string> const health{"health"};
  check_faults({
      {"not HTTP", get, {bytes("220 mail.example.com ESMTP\r\n")}, 4, "malformed_answer"},
      {"broken chunks",
       get,
       {bytes(head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n")},
       4,
       "connection_broken"},
      {"broken gzip",
       get,
       {bytes(head + "Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello")},
       4,
       "malformed_answer"},
      {"unknown coding",
       get,
       {bytes(head + "Content-Encoding: rot13\r\nContent-Length: 2\r\n\r\n{}")},
       4,
       "malformed_answer"},
      {"gzip twice", get, {bytes(head + "Content-Encoding: gzip, gzip\r\n\r\n" + twice)}, 4, "malformed_answer"},
      {"an interim answer with another gzip",
       get,
       {bytes("HTTP/1.1 103 Early Hints\r\nContent-Encoding: gzip\r\n\r\n" + head + "Content-Encoding: gzip\r\n\r\n" +
              twice)},
       4,
       "malformed_answer"},
      {"gzip for the transfer", get, {bytes(head + "Transfer-Encoding: gzip\r\n\r\n" + once)}, 4, "malformed_answer"},
      {"two lengths", get, {bytes(head + "Content-Length: 2\r\nContent-Length: x\r\n\r\n{}")}, 4, "malformed_answer"},
      {"not JSON", health, {whole_answer(200, "well")}, 4, "not_the_service"},
      {"deep JSON", health, {whole_answer(200, deep)}, 4, "not_the_service"},
      {"a login page", health, {whole_answer(200, "<html>", "Content-Type: text/html\r\n")}, 4, "not_the_service"},
      {"another program's error",
       get,
       {bytes("HTTP/1.1 404 Not Found\r\nContent-Length: 6\r\n\r\n<html>")},
       4,
       "not_the_service",
       1},
      {"a proxy's challenge",
       get,
       {bytes("HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n")},
       4,
       "proxy_authentication",
       1},
  });
}

TEST_CASE("huge and endless answers end early, in bounded memory") {
  std::string const head = "HTTP/1.1 200 OK\r\n";
  std::string const piece(65536, ' ');
  auto const results = check_faults({
      {"endless", get, {{.bytes = head + "\r\n", .forever = piece}}, 4, "answer_too_large", 1},
      {"long",
       get,
       {{.bytes = head + "Content-Length: 99999999999\r\n\r\n", .forever = piece}},
       4,
       "answer_too_large",
       1},
      {"endless chunks",
       get,
       {{.bytes = head + "Transfer-Encoding: chunked\r\n\r\n", .forever = "10000\r\n" + piece + "\r\n"}},
       4,
       "answer_too_large",
       1},
      {"endless fields", get, {{.bytes = head, .forever = "Name: value\r\n"}}, 4, "answer_too_large", 1},
      {"an endless field", get, {{.bytes = head + "Name: ", .forever = piece}}, 4, "malformed_answer", 1},
      {"endless interim answers", get, {{.forever = "HTTP/1.1 103 Early Hints\r\n\r\n"}}, 4, "answer_too_large", 1},
  });
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
  for (auto const& each : results) {
    CAPTURE(each.fault->name);
    CHECK(each.result.max_rss_kib < 100 * 1024);
  }
#endif
}

TEST_CASE("slow and silent servers hold nobody beyond the deadline") {
  auto const quickly = with(get, {"--timeout", "1.5"});
  auto const results = check_faults({
      {"drip",
       quickly,
       {{.bytes = "HTTP/1.1 200 OK\r\nName: " + std::string(9999, 'x'), .between = milliseconds(100)}},
       5,
       "deadline",
       1},
      {"silence", quickly, {{.hold = true}}, 5, "deadline", 1},
      {"silence in the body",
       quickly,
       {{.bytes = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{", .hold = true}},
       5,
       "deadline",
       1},
      {"late", with(get, {"--timeout", "3"}), {{.bytes = good.bytes, .before = milliseconds(500)}}, 0, "", 1},
  });
  for (auto const& each : results) CHECK(each.result.elapsed < seconds(8));
}

TEST_CASE("an interruption ends a request and a wait at once") {
  for (auto const& answer : {scripted_answer{.hold = true}, refused(429, "rate_limited", "Retry-After: 60\r\n")}) {
    scripted_server server([&](received const&) { return answer; });
    svc_process process({.arguments = with(get, {"--json"}), .environment = environment_of(server)});
    auto const until = std::chrono::steady_clock::now() + seconds(30);
    while (server.requests().empty() && std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(milliseconds(10));
    auto const began = std::chrono::steady_clock::now();
    process.signal(SIGINT);
    auto const result = process.wait();
    CHECK(result.code == 130);
    CHECK(failure_code(result) == "interrupted");
    CHECK(std::chrono::steady_clock::now() - began < seconds(5));
    CHECK(server.requests().size() == 1);
  }
}
