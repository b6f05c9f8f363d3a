// One run's stream: its events, where it resumes, and what it sends when something is lost.
#include "stream_fixture.hpp"

#include <csignal>

namespace svc::test {
namespace {

using words = std::vector<std::string>;

theatre& stage() {
  static theatre shared(2, {"SVC_OUTPUT_HEARTBEAT=300ms"});
  return shared;
}

/// A viewer that has read everything up to that line.
viewer& resume(audience& audience, std::string const& url, std::string const& run, long line, std::string const& id) {
  auto& viewer = audience.add(url, run, stage().token, id);
  viewer.lines = line;
  return viewer;
}

TEST_CASE("a queued run's stream stays open, sends heartbeats and everything to the end; then PostgreSQL has it") {
  auto& t = stage();
  auto const run = t.make_run();
  auto client = t.house.client(1, t.token);
  audience all(t.house.text("caFile"));
  auto& entry = all.add(t.house.url(0), run, t.token);
  REQUIRE(all.read_until([](viewer const& v) { return v.pings >= 2; }));
  CHECK(entry.others == words{"status"});
  CHECK(entry.last_id == "0-0");
  CHECK(code_of(client.get("/api/runs/" + run + "/output")) == "run_not_over");
  t.claim(run);
  t.print(run, 1, 3);
  REQUIRE(all.read_until(has_lines(3)));
  CHECK(entry.last_id == "1-3");
  t.end(run, 3);
  all.read_until(is_over);
  CHECK(entry.others == words{"status", "status", "complete"});
  CHECK(entry.complaint == "");

  auto const out = "/api/runs/" + run + "/output";
  std::string const text = "line 1\nline 2\nline 3\n";
  CHECK(client.get(out).body == text);
  REQUIRE(t.eventually([&] { return t.stored(run); }));
  // Viewers that are still reading there have some minutes; then the stream expires.
  auto const life = std::stol(t.house.redis({"PTTL", "svc:{" + run + "}:out"}));
  CHECK(life <= 600'000);
  t.house.redis({"DEL", "svc:{" + run + "}:out", "svc:{" + run + "}:outstate"});
  CHECK(client.get(out).body == text);
  auto const json = client.call("GET", out, {}, {{"Accept", "application/x-ndjson"}});
  CHECK(json.header("Content-Type") == "application/x-ndjson");
  CHECK(json.body.starts_with("{\"id\":\"1-1\",\"line\":\"line 1\",\"stream\":\"stdout\"}\n{"));

  struct {
    std::string last, first_line;
    long before;
    words others;
  } const resumed[] = {{"", "", 0, {"status", "status", "complete"}},
                       {"0-0", "", 0, {"status", "complete"}},
                       {"1-0", "", 0, {"complete"}},
                       {"1-2", "", 2, {"complete"}},
                       {"1-3", "", 3, {"complete"}}};
  for (auto const& c : resumed) {
    CAPTURE(c.last);
    audience later(t.house.text("caFile"));
    auto& again = resume(later, t.house.url(1), run, c.before, c.last);
    later.read_until(is_over);
    CHECK(again.lines == 3);
    CHECK(again.complaint == "");
    CHECK(again.others == c.others);
    CHECK(again.last_id == "1-4");
  }
  auto const path = "/api/runs/" + run + "/stream";
  CHECK(client.call("GET", path, {}, {{"Last-Event-ID", "1-4"}}).status == 204);
  for (std::string const bad : {"x", "1", "2-1", "-1-1"}) {
    CAPTURE(bad);
    CHECK(code_of(client.call("GET", path, {}, {{"Last-Event-ID", bad}})) == "validation_failed");
  }
}

TEST_CASE("output that was dropped for its project's quota: 410, and a gap in the stream") {
  auto& t = stage();
  auto const run = t.make_run();
  t.claim(run);
  t.print(run, 1, 3);
  t.end(run, 3);
  REQUIRE(t.eventually([&] { return t.stored(run); }));
  t.house.redis({"DEL", "svc:{" + run + "}:out", "svc:{" + run + "}:outstate"});
  t.house.sql("UPDATE run_output SET content = NULL, dropped_at = now() WHERE run_id = '" + run + "'");
  auto const got = t.house.client(0, t.token).get("/api/runs/" + run + "/output");
  CHECK(got.status == 410);
  CHECK(code_of(got) == "output_dropped");
  audience all(t.house.text("caFile"));
  auto& viewer = all.add(t.house.url(1), run, t.token);
  all.read_until(is_over);
  CHECK(viewer.others == words{"status", "gap", "complete"});
}

TEST_CASE("a run that is cancelled in the queue completes, on every instance") {
  auto& t = stage();
  auto const run = t.make_run();
  audience all(t.house.text("caFile"));
  for (std::size_t i : {0U, 1U}) all.add(t.house.url(i), run, t.token);
  REQUIRE(all.read_until([](viewer const& v) { return !v.others.empty(); }));
  CHECK(t.house.client(0, t.token).post("/api/runs/" + run + "/cancel").status == 202);
  all.read_until(is_over);
  for (auto const& viewer : all.all()) {
    CHECK(viewer->final_status == "{\"status\":\"cancelled\"}");
    CHECK(viewer->last_id == "0-1");
  }
  auto client = t.house.client(1, t.token);
  CHECK(client.get("/api/runs/" + run + "/output").body == "");
  CHECK(client.call("GET", "/api/runs/" + run + "/stream", {}, {{"Last-Event-ID", "0-1"}}).status == 204);
}

TEST_CASE("a second attempt continues in the same stream") {
  auto& t = stage();
  auto const run = t.make_run();
  audience all(t.house.text("caFile"));
  auto& viewer = all.add(t.house.url(1), run, t.token);
  t.claim(run, 1);
  t.print(run, 1, 2, 1);
  t.loop.run(t.writer.requeued(t.id(run), 1, t.soon()));
  t.claim(run, 2);
  CHECK(t.loop.run(t.writer.append(t.id(run), 1, {{3, output::output_stream::out, "stale"}}, t.soon())).verdict ==
        output::append_verdict::superseded);
  REQUIRE(all.read_until(has_lines(2)));
  viewer.lines = 0;
  t.print(run, 1, 2, 2);
  t.end(run, 2, 2, "failed");
  all.read_until(is_over);
  CHECK(viewer.complaint == "");
  CHECK(viewer.others == words{"status", "status", "status", "status", "complete"});
  CHECK(viewer.last_id == "2-3");
}

TEST_CASE(
    "output in its run's result reaches each viewer once, whenever it arrived, even without a notification of "
    "Redis") {
  auto& t = stage();
  struct {
    long lines;
    bool reported;
  } const cases[] = {{100, true}, {100, false}, {0, true}, {0, false}};
  for (auto const& [lines, reported] : cases) {
    CAPTURE(lines);
    CAPTURE(reported);
    auto const end = "1-" + std::to_string(lines + 1);
    auto const run = t.make_run();
    audience all(t.house.text("caFile"));
    all.add(t.house.url(0), run, t.token);
    REQUIRE(all.read_until([](viewer const& v) { return !v.others.empty(); }));
    t.claim(run);
    all.add(t.house.url(1), run, t.token);
    REQUIRE(all.read_until([](viewer const& v) { return v.others == words{"status", "status"}; }));
    if (reported)
      t.end_whole(run, lines);
    else
      t.end_whole_in_database(run, lines);
    all.read_until(is_over);
    all.add(t.house.url(0), run, t.token);
    all.read_until(is_over);
    auto& again = resume(all, t.house.url(1), run, lines * 2 / 5, "1-" + std::to_string(lines * 2 / 5));
    all.read_until(is_over);
    for (auto const& viewer : all.all()) {
      CHECK(viewer->lines == lines);
      CHECK(viewer->complaint == "");
      CHECK(viewer->others == (viewer.get() == &again ? words{"complete"} : words{"status", "status", "complete"}));
      CHECK(viewer->last_id == end);
    }
    if (reported)
      CHECK(t.house.redis({"EXISTS", "svc:{" + run + "}:out", "svc:{" + run + "}:outstate"}).starts_with("0"));
    auto client = t.house.client(1, t.token);
    auto const output = client.get("/api/runs/" + run + "/output").body;
    CHECK((lines > 0 ? output.ends_with("line 99\nline 100\n") : output.empty()));
    CHECK(client.call("GET", "/api/runs/" + run + "/stream", {}, {{"Last-Event-ID", end}}).status == 204);
  }
}

TEST_CASE("lost events of Redis are reported, and nobody waits for them") {
  auto& t = stage();
  auto const run = t.make_run();
  t.claim(run);
  t.print(run, 1, 10);
  audience all(t.house.text("caFile"));
  auto& viewer = all.add(t.house.url(1), run, t.token);
  REQUIRE(all.read_until(has_lines(10)));
  words expected{"status", "status", "gap", "complete"};
  SUBCASE("and lines follow") {
    t.house.redis({"FLUSHALL"});
    viewer.lines = 14;  // the runner knows that 11 to 14 were accepted
    t.print(run, 15, 20);
    REQUIRE(all.read_until(has_lines(20)));
    t.end(run, 20);
  }
  SUBCASE("and the end follows") {
    t.house.redis({"FLUSHALL"});
    t.end(run, 14);
  }
  SUBCASE("and nobody reports the end") {
    t.house.redis({"FLUSHALL"});
    t.end_in_database(run);
    // Nothing was printed after what this viewer has, or nobody knows of it.
    expected = {"status", "status", "complete"};
  }
  all.read_until(is_over);
  CHECK(viewer.complaint == "");
  CHECK(viewer.others == expected);
  CHECK(viewer.final_status == "{\"status\":\"passed\"}");
  REQUIRE(t.eventually([&] { return t.stored(run); }));
  CHECK(
      t.house.client(0, t.token).get("/api/runs/" + run + "/output").body.starts_with("[output is missing here]\n"));
  CHECK(t.house.sql("SELECT incomplete FROM run_output WHERE run_id = '" + run + "'")[0][0] == "t");
}

TEST_CASE("a slow reader is dropped, learns of it, and returns for the rest") {
  auto& t = stage();
  auto const run = t.make_run();
  t.claim(run);
  audience all(t.house.text("caFile"));
  auto& slow = all.add(t.house.url(0), run, t.token);
  REQUIRE(all.read_until([](viewer const& v) { return v.others.size() == 2; }));
  long const lines = 1500;
  t.print(run, 1, lines, 1, " " + std::string(15'000, 'x'));
  all.read_until(is_over);
  CHECK(slow.others == words{"status", "status", "dropped"});
  CHECK(slow.lines < lines);
  CHECK(slow.complaint == "");
  auto const last = slow.last_id;
  CHECK(last == "1-" + std::to_string(slow.lines));
  auto& again = resume(all, t.house.url(1), run, slow.lines, last);
  all.all().erase(all.all().begin());
  REQUIRE(all.read_until(has_lines(lines)));
  CHECK(again.complaint == "");
  t.end(run, lines);
  all.read_until(is_over);
  CHECK(again.final_status == "{\"status\":\"passed\"}");
}

TEST_CASE("a revoked token's streams end with the next heartbeat; others continue") {
  auto& t = stage();
  auto const run = t.make_run();
  auto owner = t.house.client(0, t.token);
  auto const made = body_of(owner.post("/api/cli-tokens", R"({"name":"to be revoked"})"));
  audience all(t.house.text("caFile")), others(t.house.text("caFile"));
  for (std::size_t i : {0U, 1U}) all.add(t.house.url(i), run, text_of(made, "/token/key"));
  auto& other = others.add(t.house.url(1), run, t.token);
  auto const beaten = [](viewer const& v) { return v.pings >= 2; };
  REQUIRE(all.read_until(beaten));
  CHECK(owner.del("/api/cli-tokens/" + text_of(made, "/token/id")).status == 204);
  for (auto const& viewer : all.all()) viewer->drop_pings();
  all.read_until(is_over);
  for (auto const& viewer : all.all()) {
    CHECK(viewer->closed());
    CHECK(viewer->pings <= 1);  // one may have been on its way
    CHECK(viewer->others == words{"status"});
  }
  other.pings = 0;
  CHECK(others.read_until(beaten));
  owner.post("/api/runs/" + run + "/cancel");
}

TEST_CASE("a waiting request is woken on any instance, and without Redis too") {
  auto& t = stage();
  for (bool const redis_there : {true, false}) {
    CAPTURE(redis_there);
    auto const run = t.make_run();
    t.claim(run);
    std::string status;
    std::thread waiting([&] {
      auto client = t.house.client(1, t.token);
      auto const got = client.get("/api/runs/" + run + "?wait=8");
      if (got.status == 200) status = text_of(body_of(got), "/status");
    });
    REQUIRE(t.eventually([&] { return !redis_there || t.subscriptions(run) == "1"; }));
    if (!redis_there) ::kill(t.house.dev().pid_of("redis"), SIGSTOP);
    auto const start = steady::now();
    t.end_in_database(run);
    if (redis_there) t.loop.run(t.writer.finish(t.id(run), 1, "passed", 0, t.soon()));
    waiting.join();
    if (!redis_there) ::kill(t.house.dev().pid_of("redis"), SIGCONT);
    auto const took = std::chrono::duration_cast<milliseconds>(steady::now() - start);
    MESSAGE(std::string(redis_there ? "told" : "looked") << " after " << took.count() << " ms");
    CHECK(status == "passed");
    CHECK(took < (redis_there ? milliseconds(1000) : milliseconds(8000)));
  }
}

TEST_CASE("a draining instance ends its streams; they continue elsewhere") {
  auto& t = stage();
  auto const run = t.make_run();
  t.claim(run);
  t.print(run, 1, 5);
  audience all(t.house.text("caFile"));
  auto& viewer = all.add(t.house.url(1), run, t.token);
  REQUIRE(all.read_until(has_lines(5)));
  t.house.process(1).signal(SIGTERM);
  all.read_until(is_over);
  CHECK(viewer.closed());
  CHECK(viewer.others == words{"status", "status"});
  CHECK(t.house.process(1).wait() == 0);
  t.print(run, 6, 9);
  auto& again = resume(all, t.house.url(0), run, viewer.lines, viewer.last_id);
  all.all().erase(all.all().begin());
  t.end(run, 9);
  all.read_until(is_over);
  CHECK(again.lines == 9);
  CHECK(again.complaint == "");
  CHECK(again.final_status == "{\"status\":\"passed\"}");
  t.house.restart(1);
}

}  // namespace
}  // namespace svc::test
