#include "integration/monitoring/checks/fixture.hpp"
#include "support/free_port.hpp"

#include <atomic>

namespace svc::checks {
namespace {

check_values values_of(std::map<std::string, std::string> const& all, std::vector<std::string> secret = {}) {
  check_values out;
  for (auto const& [name, value] : all) out.all.emplace(name, secret_string(std::string_view(value)));
  out.secret = std::move(secret);
  return out;
}

/// Returns JSON with each ' replaced by a ".
std::string quoted(std::string text) {
  for (char& c : text)
    if (c == '\'') c = '"';
  return text;
}

}  // namespace

TEST_CASE("a good answer is up, with its facts") {
  http_server server(saying(answer_of(200, "", R"({"state":"fine"})")));
  probing probe;
  auto const got = probe.once({.target = server.url("/health", "a.test"), .config = quoted(R"({'keywordInBody':'FINE',
                              'responseBodyJsonPath':{'path':'$.state','expectedValue':'fine'},
                              'assertions':[{'source':'ip','comparison':'equals','expected':'127.0.0.1'}]})")});
  CHECK(outcome(got) == "up");
  CHECK(got.attempts == 1);
  CHECK(got.started > timestamp{1'700'000'000'000'000});
  auto const& known = got.result.known;
  CHECK(known.status_code == 200);
  CHECK(known.ip_address == "127.0.0.1");
  CHECK(known.http_version == "1.1");
  CHECK(known.body_bytes == 16);
  CHECK(got.result.response_time_ms.value_or(0) > 0);
  REQUIRE(known.phases);
  CHECK(known.phases->dns_ms);
  CHECK(known.phases->connect_ms);
  CHECK_FALSE(known.phases->tls_ms);
  CHECK(known.phases->first_byte_ms);
}

TEST_CASE("assertions that fail, and those that only degrade") {
  http_server server([](http_connection& connection) {
    connection.request();
    std::this_thread::sleep_for(30ms);
    connection.send(answer_of(404, "X-State: odd\r\n", R"({"a":[1,2]})"));
  });
  struct {
    std::string config, wanted;
  } const cases[] = {
      {"{}", "down status_unexpected"},
      {"{'expectedStatusCodes':'404'}", "up"},
      {"{'expectedStatusCodes':'4xx','keywordInBody':'cow'}", "down assertion_failed"},
      {"{'expectedStatusCodes':'4xx','keywordInBody':'a','keywordInBodyShouldBePresent':false}",
       "down assertion_failed"},
      {"{'expectedStatusCodes':'4xx','responseBodyJsonPath':{'path':'$.a[-1]','expectedValue':2}}", "up"},
      {"{'expectedStatusCodes':'4xx','responseBodyJsonPath':{'path':'$.b'}}", "down assertion_failed"},
      {"{'expectedStatusCodes':'4xx','degradedAfterMs':1}", "up degraded"},
      {"{'expectedStatusCodes':'4xx','degradedAfterMs':60000}", "up"},
      {"{'expectedStatusCodes':'4xx','assertions':[{'source':'header','property':'x-state','comparison':'equals',"
       "'expected':'even','onFail':'degraded'}]}",
       "up degraded"},
      {"{'expectedStatusCodes':'4xx','assertions':[{'source':'header','property':'x-state','comparison':'equals',"
       "'expected':'even'}]}",
       "down assertion_failed"},
  };
  probing probe;
  for (auto const& c : cases) {
    CAPTURE(c.config);
    CHECK(outcome(probe.once({.target = server.url(), .config = quoted(c.config)})) == c.wanted);
  }
  CHECK(outcome(probe.once({.type = "website", .target = server.url()})) == "down status_unexpected");
}

TEST_CASE("the request follows the configuration, with its variables") {
  http_server server(saying(answer_of(200)));
  probing probe;
  auto const got = probe.once(
      {.target = server.url("/{{PATH}}?q=1", "a.test"),
       .config = quoted(R"({'method':'PUT','headers':{'X-A':'{{A}}-1','Content-Type':'text/plain'},
                                'body':'{{{BODY}}}','auth':{'type':'basic','username':'{{USER}}','password':'{{PASS}}'}})")},
      values_of({{"PATH", "deep/er"}, {"A", "a"}, {"BODY", "b"}, {"USER", "Aladdin"}, {"PASS", "open sesame"}}));
  CHECK(outcome(got) == "up");
  auto const request = server.requests().at(0);
  using egress::has_line;
  CHECK(has_line(request, "PUT /deep/er?q=1 HTTP/1.1"));
  CHECK(has_line(request, "X-A: a-1"));
  CHECK(has_line(request, "Content-Type: text/plain"));
  CHECK(has_line(request, "Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="));
  CHECK(has_line(request, "User-Agent: checks/1"));
  CHECK(has_line(request, "Accept-Encoding: gzip"));
  CHECK(request.ends_with("\r\n\r\n{b}"));
}

TEST_CASE("variables that are missing, or lead to a closed address") {
  http_server server(saying(answer_of(200)));
  probing probe;
  auto const action = [&](std::string const& target, std::string const& config, check_values values) {
    return probe.once({.target = target, .config = quoted(config)}, std::move(values));
  };
  auto const missing = action(server.url("/{{PATH}}"), "{}", {});
  CHECK(outcome(missing) == "error variable_missing");
  CHECK(missing.result.known.error->message.find("PATH") != std::string::npos);
  for (auto const* config :
       {"{'body':'{{B}}','method':'POST'}", "{'headers':{'A':'{{B}}'}}", "{'auth':{'type':'bearer','token':'{{B}}'}}",
        "{'tls':{'ca':'{{B}}'}}", "{'tls':{'clientCertificate':'{{B}}','clientKey':'{{B}}'}}"}) {
    CAPTURE(config);
    CHECK(outcome(action(server.url(), config, {})) == "error variable_missing");
  }
  auto const port = std::to_string(server.port());
  CHECK(outcome(action("http://{{HOST}}:" + port + "/", "{}", values_of({{"HOST", "127.0.0.2"}}))) ==
        "error address_blocked");
  CHECK(outcome(action("http://{{HOST}}:" + port + "/", "{}", values_of({{"HOST", "a b"}}))) ==
        "error target_invalid");
  CHECK(outcome(action(server.url(), "{'headers':{'A':'{{B}}'}}", values_of({{"B", "1\r\nC: 2"}}))) ==
        "error target_invalid");
  CHECK(server.connections() == 0);
}

TEST_CASE("secrets are masked wherever the server repeats them") {
  http_server server([](http_connection& connection) {
    auto const request = connection.request();
    connection.send(answer_of(500, "X-Echo: hunter2hunter2\r\nSet-Cookie: session=1\r\n", request));
  });
  probing probe;
  auto const got = probe.once({.target = server.url("/?key={{KEY}}", "a.test"),
                               .config = quoted(R"({'capture':'on_failure','headers':{'X-Api-Key':'sealed-value-1'},
                              'auth':{'type':'bearer','token':'{{TOKEN}}'},
                              'assertions':[{'source':'body','comparison':'equals','expected':'x'}]})")},
                              values_of({{"KEY", "hunter2hunter2"}, {"TOKEN", "open-sesame"}}, {"KEY"}));
  CHECK(outcome(got) == "down status_unexpected");
  auto const text = checks::details_json(got.result);
  CHECK(text.find("***") != std::string::npos);
  CHECK(text.find("GET /?key=***") != std::string::npos);
  for (auto const* secret : {"hunter2", "open-sesame", "sealed-value-1", "session=1"}) {
    CAPTURE(secret);
    CHECK(text.find(secret) == std::string::npos);
  }
}

TEST_CASE("without capture nothing of the answer is kept") {
  http_server server(saying(answer_of(500, "X-A: very-special\r\n", "very-special")));
  probing probe;
  auto const text = checks::details_json(probe.once({.target = server.url()}).result);
  CHECK(text.find("very-special") == std::string::npos);
}

TEST_CASE("redirects: followed to the limit or not at all, and credentials stay at the first origin") {
  http_server second(saying(answer_of(200)));
  http_server first(saying(answer_of(302, "Location: " + second.url("/", "b.test") + "\r\n")));
  probing probe;
  auto const got =
      probe.once({.target = first.url("/", "a.test"), .config = quoted(R"({'auth':{'type':'bearer','token':'t0ken'},
                              'headers':{'X-Secret':'a','X-Variable':'{{V}}','X-Plain':'b'}})")},
                 values_of({{"V", "v"}}));
  CHECK(outcome(got) == "up");
  CHECK(got.result.known.redirects == 1);
  auto const to_first = first.requests().at(0), to_second = second.requests().at(0);
  using egress::has_line;
  for (auto const* line : {"Authorization: Bearer t0ken", "X-Secret: a", "X-Variable: v", "X-Plain: b"}) {
    CAPTURE(line);
    CHECK(has_line(to_first, line));
    CHECK(has_line(to_second, line) == (std::string_view(line) == "X-Plain: b"));
  }
  CHECK(outcome(probe.once({.target = first.url(), .config = quoted("{'followRedirects':false}")})) ==
        "down status_unexpected");
  CHECK(outcome(probe.once({.target = first.url("/", "a.test"), .config = quoted("{'maxRedirects':0}")})) ==
        "down redirect_limit");
}

TEST_CASE("a body with variables does not follow a redirect to another origin") {
  http_server second(saying(answer_of(200)));
  http_server first([&](http_connection& connection) {
    auto const request = connection.request();
    bool const inside = request.find(" /inside ") != std::string::npos;
    auto const out = inside ? std::string("/end") : second.url("/", "b.test");
    connection.send(request.find(" /end ") != std::string::npos ? answer_of(200)
                                                                : answer_of(307, "Location: " + out + "\r\n"));
  });
  probing probe;
  auto const post = [&](std::string const& path, std::string const& body) {
    return probe.once(
        {.target = first.url(path, "a.test"), .config = quoted("{'method':'POST','body':'" + body + "'}")},
        values_of({{"V", "v4lue"}}));
  };
  auto const got = post("/", "a={{V}}");
  CHECK(outcome(got) == "down redirect_refused");
  CHECK(got.result.known.error->message ==
        "A redirect leads to another origin, where a body with variables is not sent.");
  CHECK(second.connections() == 0);
  CHECK(outcome(post("/inside", "a={{V}}")) == "up");
  CHECK(outcome(post("/", "a=b")) == "up");
  CHECK(second.requests().at(0).ends_with("\r\n\r\na=b"));
}

namespace {

/// Lets `most` connections through, and counts them.
struct counting_gate : check_gate {
  task<std::optional<admission>> enter(ip_address, std::uint16_t, deadline until) override {
    if (entered == most) {
      was_refused = true;
      co_return std::nullopt;
    }
    ++entered;
    co_return admission{{}, until};
  }
  bool try_enter(ip_address const&, std::uint16_t) override { return true; }
  void leave() override { ++left; }
  steady::duration take_wait() override { return {}; }
  bool refused() const override { return was_refused; }

  int most = 100, entered = 0, left = 0;
  bool was_refused = false;
};

}  // namespace

TEST_CASE("retries: a failure that one refutes does not count, each with its own connection and resolution") {
  std::atomic<int> count = 0;
  http_server server([&](http_connection& connection) {
    connection.request();
    connection.send(answer_of(++count < 3 ? 503 : 200));
  });
  probing probe;
  auto gate = std::make_shared<counting_gate>();
  auto const run_once = [&](std::string const& config) {
    return run_task(probe.io, probe.made.run(parsed({.target = server.url("/", "a.test"), .config = quoted(config)}),
                                             std::make_shared<check_values const>(), deadline::after(60s), gate));
  };
  auto const run_check = [&](std::string const& config) { return *run_once(config); };
  auto const begin = steady::now();
  auto const got = run_check("{'retryStrategy':{'maxRetries':2,'delaySeconds':1,'backoffFactor':1}}");
  CHECK(outcome(got) == "up");
  CHECK(got.attempts == 3);
  CHECK(steady::now() - begin >= 2s);
  CHECK(server.connections() == 3);
  CHECK(probe.dns.questions() == 6);
  // The check gives its place back in both pauses, which are longer than the attempts, and at the end.
  CHECK(gate->entered == 3);
  CHECK(gate->left == 3);
  count = 0;
  auto const failed = run_check("{'retryStrategy':{'maxRetries':1,'delaySeconds':1}}");
  CHECK(outcome(failed) == "down status_unexpected");
  CHECK(failed.attempts == 2);
  CHECK(gate->entered == 5);
  // A refusal by the gate ends the check without a result.
  gate->most = 6, count = 0;
  auto const before = server.connections();
  CHECK_FALSE(run_once("{'retryStrategy':{'maxRetries':2,'delaySeconds':1}}"));
  CHECK(server.connections() == before + 1);
}

TEST_CASE("no retry begins after the deadline") {
  http_server server(saying(answer_of(503)));
  probing probe;
  auto const begin = steady::now();
  auto const got =
      probe.run({.target = server.url(), .config = quoted("{'retryStrategy':{'delaySeconds':10}}")}, {}, 5s);
  CHECK(outcome(got) == "down status_unexpected");
  CHECK(got.attempts == 1);
  CHECK(steady::now() - begin < 4s);
}

TEST_CASE("a check is cancelled, in an attempt and between two") {
  http_server silent([](http_connection& connection) { connection.hold(); });
  http_server failing(saying(answer_of(503)));
  for (auto const* server : {&silent, &failing}) {
    probing probe;
    asio::cancellation_signal stop;
    bool over = false;
    std::optional<check_outcome> got = check_outcome{};
    auto config = parsed({.target = server->url(), .config = quoted("{'retryStrategy':{'delaySeconds':10}}")});
    asio::co_spawn(
        probe.io, probe.made.run(std::move(config), std::make_shared<check_values const>(), deadline::after(60s)),
        asio::bind_cancellation_slot(stop.slot(), [&](std::exception_ptr failed, std::optional<check_outcome> out) {
          CHECK_FALSE(failed);
          got = std::move(out);
          over = true;
        }));
    auto const until = deadline::after(20s);
    while (server->connections() == 0 && !until.passed()) probe.io.run_for(10ms);
    probe.io.run_for(200ms);
    CHECK_FALSE(over);
    stop.emit(asio::cancellation_type::terminal);
    while (!over && !until.passed()) probe.io.run_for(10ms);
    CHECK(over);
    CHECK_FALSE(got);
  }
}

TEST_CASE("with canaries a failure counts only where one of them answers") {
  auto const local = egress::parse_host("127.0.0.1").value();
  http_server well([](http_connection& connection) { connection.hold(); });
  connectivity_probe const good{local, static_cast<std::uint16_t>(well.port())};
  int const nothing = free_port();
  connectivity_probe const bad{local, static_cast<std::uint16_t>(nothing)};
  auto const failing = "http://127.0.0.1:" + std::to_string(nothing) + "/";
  auto const names = knowing({{"a.test", {"127.0.0.1"}}});
  probing probe(names, {}, {bad, good});
  CHECK(outcome(probe.once({.target = failing})) == "down connect_refused");
  CHECK(well.connections() == 1);
  // Answers before a failure say nothing about the failure.
  CHECK(outcome(probe.once({.target = failing})) == "down connect_refused");
  CHECK(well.connections() == 2);
  probing other(names, {}, {bad, bad});
  http_server fine(saying(answer_of(200)));
  CHECK(outcome(other.once({.target = failing})) == "error location_impaired");
  CHECK(outcome(other.once({.target = fine.url()})) == "up");
  // A failure does not count either if the uplink has only just returned.
  {
    http_server const back({.port = nothing}, [](http_connection& context) { context.hold(); });
    CHECK(outcome(other.once({.target = "http://127.0.0.1:" + std::to_string(free_port()) + "/"})) ==
          "error location_impaired");
    CHECK(back.connections() > 0);
  }
  // Several simultaneous failures probe once.
  probing third(names, {}, {good});
  auto const before = well.connections();
  for (auto const& each : run_once(third, std::vector<check_of>(10, {.target = failing})))
    CHECK(outcome(each) == "down connect_refused");
  CHECK(well.connections() == before + 1);
}

}  // namespace svc::checks
