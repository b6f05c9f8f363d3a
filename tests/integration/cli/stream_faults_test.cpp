// `svc run stream` against streams that a service sends when something is wrong, which a real one seldom does.
#include "integration/cli/scripted_server.hpp"
#include "integration/cli/svc_process.hpp"

#include <doctest/doctest.h>

namespace svc::test {
namespace {

bool has_part(std::string const& all, std::string_view part) {
  return all.find(part) != std::string::npos;
}

/// A service of one run that streams what the test says, one text for each connection, and then 204.
class streaming_server {
 public:
  explicit streaming_server(std::vector<std::string> answers)
      : answers_(std::move(answers)), server_([this](received const& r) { return answer_to(r); }) {}

  svc_result watch(std::vector<std::string> words) {
    words.insert(words.begin() + 2, std::string(run));
    return run_svc({.arguments = words,
                    .environment = {"SERVICE_URL=" + server_.url(),
                                    "SERVICE_TOKEN=svc_live_0123456789ABCDEFGHIJKLMNOPQRSTUV0l3Q8O"}});
  }
  /// `Last-Event-ID` of each stream.
  std::vector<std::string> resumed() const {
    std::vector<std::string> out;
    for (auto const& r : server_.requests())
      if (has_part(r.line(), "/stream")) out.push_back(r.field("Last-Event-ID"));
    return out;
  }

  static std::string line(int number) {
    auto const n = std::to_string(number);
    return "id: 1-" + n + "\nevent: console\ndata: {\"line\":\"line " + n + "\",\"stream\":\"stdout\"}\n\n";
  }
  static std::string stream(std::string const& events) {
    return "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: " + std::to_string(events.size()) +
           "\r\n\r\n" + events;
  }
  static std::string refused(int status, std::string const& code) {
    return whole_answer(status, error_body(code), "Retry-After: 0\r\n").bytes;
  }

 private:
  static constexpr std::string_view run = "01934f2e-6666-7d3e-9b1f-5a2c8e4d6f70";

  scripted_answer answer_to(received const& r) {
    auto const target = r.line();
    if (has_part(target, "/output"))
      return whole_answer(200,
                          "{\"id\":\"1-1\",\"line\":\"line 1\",\"stream\":\"stdout\"}\n"
                          "{\"gap\":{\"after\":\"1-1\",\"before\":\"1-3\"}}\n"
                          "{\"id\":\"1-3\",\"line\":\"line 3\",\"stream\":\"stdout\"}\n");
    if (!has_part(target, "/stream"))
      return whole_answer(200, R"({"id":")" + std::string(run) + R"(","status":"failed","tests":[]})");
    if (next_ == answers_.size()) return {.bytes = "HTTP/1.1 204 No Content\r\n\r\n"};
    return {.bytes = answers_[next_++]};
  }

  std::vector<std::string> answers_;
  std::size_t next_ = 0;
  scripted_server server_;
};

TEST_CASE("streams that end early or are refused, and answers that are not streams") {
  using server = streaming_server;
  std::string const start = "retry: 10\n\nid: 1-0\nevent: status\ndata: {\"status\":\"running\"}\n\n";
  std::string const end = "id: 1-4\nevent: complete\ndata: {\"status\":\"failed\"}\n\n";
  std::string const dropped = "id: 1-2\nevent: dropped\ndata: {\"reason\":\"slow_reader\"}\n\n";
  std::string const second_attempt =
      "id: 2-0\nevent: status\ndata: {\"status\":\"running\"}\n\n"
      "id: 2-1\nevent: console\ndata: {\"line\":\"line 1\",\"stream\":\"stdout\"}\n\n"
      "id: 2-2\nevent: complete\ndata: {\"status\":\"failed\"}\n\n";
  auto const busy = server::refused(409, "stream_limit_reached"), limited = server::refused(429, "rate_limited");
  auto const garbled = server::stream(start + "id: 7\nevent: console\ndata: <html>\n\n");
  auto const whole = server::stream(start + server::line(1) + server::line(2) + server::line(3) + end);
  struct {
    char const* name;
    std::vector<std::string> answers;
    int code;
    std::string out;
    std::vector<std::string> resumed;
    char const* said;
  } const cases[] = {
      {"dropped",
       {server::stream(start + server::line(1) + server::line(2) + dropped),
        server::stream(start + server::line(2) + server::line(3) + end)},
       0,
       "line 1\nline 2\nline 3\n",
       {"", "1-2"},
       "reading was too slow"},
      {"an instance that stops in the middle of an event",
       {server::stream(start + server::line(1) + "id: 1-2\nevent: con"),
        server::stream(start + server::line(2) + end)},
       0,
       "line 1\nline 2\n",
       {"", "1-1"},
       ""},
      {"204: nothing is left", {server::stream(start + server::line(1))}, 0, "line 1\n", {"", "1-1"}, ""},
      {"refused twice", {busy, limited, whole}, 0, "line 1\nline 2\nline 3\n", {"", "", ""}, ""},
      {"refused for good: the stored output is read",
       {server::stream(start + server::line(1)), busy, limited, busy},
       0,
       "line 1\nline 3\n",
       {"", "1-1", "1-1", "1-1"},
       "output is missing"},
      {"a runner is lost and the run starts over",
       {server::stream(start + server::line(1) + second_attempt)},
       0,
       "line 1\nline 1\n",
       {""},
       "attempt 1 ended without a result; the run starts over with attempt 2"},
      {"not of this service", {garbled}, 4, "", {""}, "as the service sends it"},
      {"the token is no longer good",
       {server::stream(start + server::line(1)), server::refused(401, "token_revoked")},
       2,
       "line 1\n",
       {"", "1-1"},
       "--after 1-1 goes on."},
  };
  for (auto const& c : cases) {
    CAPTURE(std::string(c.name));
    server subject(c.answers);
    auto const got = subject.watch({"run", "stream"});
    CHECK_MESSAGE(got.code == c.code, got.err);
    CHECK(got.out == c.out);
    CHECK(subject.resumed() == c.resumed);
    CHECK_MESSAGE(has_part(got.err, c.said), got.err);
  }
  CHECK(server({whole}).watch({"run", "watch"}).code == 1);
}

}  // namespace
}  // namespace svc::test
