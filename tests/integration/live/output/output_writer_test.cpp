#include "svc/live/output/output_writer.hpp"

#include "integration/redis/fixture.hpp"

#include <algorithm>

namespace svc::output {
namespace {

/// A writer with small limits, and the stream of its run.
struct request_buffers {
  explicit request_buffers(output_limits limits = {}) : writer(client, limits) { loop.connect(client); }

  append_result begin(std::int64_t attempt) { return loop.run(writer.begin(run, attempt, soon())); }
  append_result append(std::int64_t attempt, std::vector<output_line> lines) {
    return loop.run(writer.append(run, attempt, std::move(lines), soon()));
  }
  append_result requeued(std::int64_t attempt) { return loop.run(writer.requeued(run, attempt, soon())); }
  append_result finish(std::int64_t attempt, std::string status, std::int64_t last = 0) {
    return loop.run(writer.finish(run, attempt, std::move(status), last, soon()));
  }
  std::string key(std::string const& suffix) const { return "svc:{" + run.to_string() + "}:" + suffix; }
  /// The `id field text` of each event, joined by commas.
  std::string held() {
    std::string out;
    auto const all = loop.ask(client, {"XRANGE", key("out"), "-", "+"});
    for (auto const& reply : all.value.elements) {
      auto const& pair = reply.elements[1].elements;
      out += (out.empty() ? "" : ",") + reply.elements[0].text + " " + pair[0].text + " " + pair[1].text;
    }
    return out;
  }
  static deadline soon() { return deadline::after(std::chrono::seconds(20)); }

  test::private_redis server;
  redis::worker loop;
  redis::client client{loop.io, redis::patient(server.url()), output_writer::scripts()};
  output_writer writer;
  uuid run = uuid::generate_v7();
};

output_line line(std::int64_t seq, std::string text, output_stream stream = output_stream::out) {
  return {seq, stream, std::move(text)};
}

TEST_CASE("a run's output in Redis: in order, once, with its states") {
  request_buffers d;
  CHECK(d.begin(1).verdict == append_verdict::accepted);
  CHECK(d.begin(1).verdict == append_verdict::accepted);
  CHECK(d.append(1, {line(1, "a"), line(2, "b", output_stream::err)}).through == 2);
  CHECK(d.append(1, {line(1, "again"), line(2, "again"), line(3, "c")}).through == 3);
  CHECK(d.requeued(1).verdict == append_verdict::accepted);
  CHECK(d.requeued(1).verdict == append_verdict::accepted);
  CHECK(d.begin(2).verdict == append_verdict::accepted);
  CHECK(d.append(1, {line(9, "late")}).verdict == append_verdict::superseded);
  CHECK(d.append(2, {line(1, "d")}).through == 1);
  CHECK(d.finish(1, "failed").verdict == append_verdict::superseded);
  CHECK(d.finish(2, "passed", 1).verdict == append_verdict::accepted);
  CHECK(d.finish(2, "failed", 1).verdict == append_verdict::ended);
  CHECK(d.append(2, {line(2, "late")}).verdict == append_verdict::ended);
  CHECK(d.held() == "1-0 s running,1-1 o a,1-2 e b,1-3 o c,1-4 s queued,2-0 s running,2-1 o d,2-2 c passed");
  for (auto const* suffix : {"out", "outstate"})
    CHECK(d.loop.ask(d.client, {"PTTL", d.key(suffix)}).value.number > 3'600'000);
}

TEST_CASE("output beyond a limit is dropped after one line that says so") {
  struct {
    std::string name;
    output_limits limits;
  } const cases[] = {{"lines", {2, 1000}}, {"bytes", {1000, 2}}};
  for (auto const& c : cases) {
    CAPTURE(c.name);
    request_buffers d(c.limits);
    CHECK(d.append(1, {line(1, "a"), line(2, "b"), line(3, "c"), line(4, "d")}).through == 4);
    CHECK(d.append(1, {line(5, "e")}).through == 5);
    CHECK(d.begin(2).verdict == append_verdict::accepted);
    CHECK(d.append(2, {line(1, "f")}).through == 1);
    CHECK(d.finish(2, "passed", 1).verdict == append_verdict::accepted);
    auto const held = d.held();
    CHECK(held.starts_with("1-0 s running,1-1 o a,1-2 o b,1-3 e [the output limit of "));
    CHECK(held.ends_with("; the rest is dropped],2-0 s running,2-1 c passed"));
  }
}

TEST_CASE("a long line is cut between characters") {
  request_buffers d;
  auto const whole = std::string(output_writer::longest_line, 'x');
  d.append(1, {line(1, whole), line(2, whole + "y"),
               line(3, std::string(20'000, 'x').replace(16'371, 4, "\xf0\x9f\x98\x80"))});
  auto const all = d.loop.ask(d.client, {"XRANGE", d.key("out"), "-", "+"});
  auto const text = [&](std::size_t i) { return all.value.elements.at(i).elements[1].elements[1].text; };
  CHECK(text(1) == whole);
  CHECK(text(2).size() == output_writer::longest_line);
  CHECK(text(2).ends_with("x [line cut]"));
  CHECK(text(3) == std::string(16'371, 'x') + " [line cut]");
}

TEST_CASE("an attempt that was queued again accepts nothing more, and each return to the queue is announced") {
  request_buffers d;
  CHECK(d.requeued(1).verdict == append_verdict::accepted);
  // Its number is that of the status, which is not a line.
  CHECK(d.append(1, {line(1, "late")}).verdict == append_verdict::superseded);
  CHECK(d.append(1, {line(2, "later")}).verdict == append_verdict::superseded);
  CHECK(d.begin(1).verdict == append_verdict::superseded);
  CHECK(d.begin(2).verdict == append_verdict::accepted);
  CHECK(d.append(2, {line(1, "a")}).verdict == append_verdict::accepted);
  CHECK(d.requeued(2).verdict == append_verdict::accepted);
  CHECK(d.append(2, {line(2, "late")}).verdict == append_verdict::superseded);
  CHECK(d.append(3, {line(1, "b")}).verdict == append_verdict::accepted);
  CHECK(d.held() == "1-1 s queued,2-0 s running,2-1 o a,2-2 s queued,3-0 s running,3-1 o b");
}

TEST_CASE("an attempt that ends before it was begun here leaves no hole after the one before") {
  request_buffers d;
  d.append(1, {line(1, "a")});
  d.requeued(1);
  SUBCASE("queued again") {
    d.requeued(2);
    CHECK(d.held() == "1-0 s running,1-1 o a,1-2 s queued,2-0 s running,2-1 s queued");
  }
  SUBCASE("over") {
    d.finish(2, "error", 0);
    CHECK(d.held() == "1-0 s running,1-1 o a,1-2 s queued,2-0 s running,2-1 c error");
  }
  SUBCASE("over, with lines that never came") {
    d.finish(2, "passed", 3);
    CHECK(d.held() == "1-0 s running,1-1 o a,1-2 s queued,2-0 s running,2-4 c passed");
  }
}

TEST_CASE("lost events of Redis leave a gap in the numbers, and numbering continues") {
  request_buffers d;
  d.append(1, {line(1, "a"), line(2, "b")});
  SUBCASE("everything, then lines") {
    d.loop.ask(d.client, {"FLUSHALL"});
    d.append(1, {line(3, "c")});
    d.finish(1, "passed", 3);
    CHECK(d.held() == "1-0 s running,1-3 o c,1-4 c passed");
  }
  SUBCASE("everything, then the end") {
    d.loop.ask(d.client, {"FLUSHALL"});
    d.finish(1, "passed", 2);
    CHECK(d.held() == "1-3 c passed");
  }
  SUBCASE("the state alone") {
    d.loop.ask(d.client, {"DEL", d.key("outstate")});
    CHECK(d.append(1, {line(2, "again"), line(3, "c")}).through == 3);
    CHECK(d.held() == "1-0 s running,1-1 o a,1-2 o b,1-3 o c");
  }
  SUBCASE("the stream alone") {
    d.loop.ask(d.client, {"DEL", d.key("out")});
    CHECK(d.append(1, {line(2, "again"), line(3, "c")}).through == 3);
    CHECK(d.held() == "1-3 o c");
  }
  SUBCASE("Redis itself: nothing is said to be held") {
    d.server.kill();
    REQUIRE(d.loop.run_until([&] { return !d.client.connected(); }));
    CHECK(d.append(1, {line(3, "c")}).verdict == append_verdict::lost);
  }
}

}  // namespace
}  // namespace svc::output
