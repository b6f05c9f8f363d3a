#include "svc/live/output/output_budget.hpp"

#include "integration/redis/fixture.hpp"
#include "svc/live/output/output_writer.hpp"

#include <algorithm>

namespace svc::output {
namespace {

/// One worker's writer with a budget, on a Redis that others may share.
struct budgeted_buffers {
  explicit budgeted_buffers(test::private_redis& redis, memory_share share = {50, 100'000})
      : server(redis),
        client(loop.io, redis::patient(redis.url()), output_writer::scripts()),
        budget(client, share, counters),
        writer(client, {1'000'000, 100'000'000}, &budget) {
    loop.connect(client);
    keep();
  }
  void keep(bool look = false) {
    loop.run([](output_budget& b, bool l) -> task<bool> {
      co_await b.keep(l);
      co_return true;
    }(budget, look));
  }
  append_result print(uuid run, uuid project, std::int64_t seq, std::size_t size) {
    return loop.run(writer.append(run, 1, {{seq, output_stream::out, std::string(size, 'x')}},
                                  deadline::after(std::chrono::seconds(20)), project));
  }
  append_result finish(uuid run, std::int64_t last) {
    return loop.run(writer.finish(run, 1, "passed", last, deadline::after(std::chrono::seconds(20))));
  }
  /// The `id kind size` of each event in Redis.
  std::string held(uuid run) {
    std::string out;
    for (auto const& reply :
         loop.ask(client, {"XRANGE", "svc:{" + run.to_string() + "}:out", "-", "+"}).value.elements)
      out += reply.elements[0].text + reply.elements[1].elements[0].text + " ";
    return out;
  }

  test::private_redis& server;
  redis::worker loop;
  metrics counters;
  redis::client client;
  output_budget budget;
  output_writer writer;
};

TEST_CASE("a project beyond its share is cut with a line that says so; another continues to print; both end") {
  test::private_redis server;
  budgeted_buffers d(server), elsewhere(server);
  auto const greedy = uuid::generate_v7(), modest = uuid::generate_v7();
  auto const run = uuid::generate_v7(), another = uuid::generate_v7(), late = uuid::generate_v7();
  std::int64_t seq = 0;
  for (int i = 0; i < 20; ++i) CHECK(d.print(run, greedy, ++seq, 10'000).through == seq);
  CHECK(d.budget.health() == output_health::cut);
  d.keep();
  CHECK(d.held(run) == "1-0s 1-1o 1-2o 1-3o 1-4o 1-5e ");
  // On every worker: they share the ledger.
  elsewhere.keep();
  CHECK(elsewhere.print(another, greedy, 1, 10'000).verdict == append_verdict::accepted);
  elsewhere.keep();
  CHECK(elsewhere.print(late, greedy, 1, 10'000).verdict == append_verdict::accepted);
  CHECK(elsewhere.held(late) == "1-0s 1-1e ");
  CHECK(elsewhere.print(uuid::generate_v7(), modest, 1, 10'000).verdict == append_verdict::accepted);
  CHECK(d.finish(run, seq).verdict == append_verdict::accepted);
  CHECK(d.held(run).ends_with("1-5e 1-6c "));
}

TEST_CASE("a batch that is sent again is not dropped because of that, and dropped lines stay dropped") {
  test::private_redis server;
  budgeted_buffers d(server, {50, 25'000});
  auto const project = uuid::generate_v7(), run = uuid::generate_v7();
  CHECK(d.print(run, project, 1, 10'000).through == 1);
  CHECK(d.print(run, project, 1, 10'000).through == 1);
  CHECK(d.held(run) == "1-0s 1-1o ");
  CHECK(d.print(run, project, 2, 10'000).through == 2);
  CHECK(d.print(run, project, 3, 1).through == 3);
  CHECK(d.held(run) == "1-0s 1-1o 1-2e ");
}

TEST_CASE("the ledger: a run's bytes are removed with it, on any worker's report, and checked without a report") {
  test::private_redis server;
  budgeted_buffers d(server), elsewhere(server);
  auto const project = uuid::generate_v7(), moved = uuid::generate_v7(), lost = uuid::generate_v7();
  d.print(moved, project, 1, 1000);
  d.print(lost, project, 1, 1000);
  d.keep();
  elsewhere.print(moved, project, 2, 1000);
  elsewhere.keep();
  auto const line = 1000 + output_writer::line_overhead;
  CHECK(elsewhere.budget.held() == 3 * line);
  elsewhere.budget.leaves(moved, project, std::chrono::seconds(0));
  elsewhere.keep();
  CHECK(elsewhere.budget.held() == line);
  // Nobody has reported what happened to the other one.
  d.loop.ask(d.client, {"ZADD", "svc:{output}:due", "0", lost.to_string()});
  std::vector<output_budget::entry> due;
  REQUIRE(d.loop.run_until([&] {
    if (due.empty()) {
      d.keep(true);
      due = d.budget.take_due();
    }
    return !due.empty();
  }));
  REQUIRE(due.size() == 1);
  CHECK(due[0].run == lost);
  CHECK(due[0].project == project);
  d.budget.leaves(lost, project, std::chrono::seconds(0));
  d.keep();
  CHECK(d.budget.held() == 0);
  CHECK(d.loop.ask(d.client, {"EXISTS", "svc:{output}:runs", "svc:{output}:due", "svc:{output}:held"}).value.number ==
        0);
}

TEST_CASE("Redis is full of other things: output is cut, runs end, and it is whole again when there is room") {
  test::private_redis server;
  budgeted_buffers d(server);
  auto const project = uuid::generate_v7(), run = uuid::generate_v7();
  CHECK(d.print(run, project, 1, 100).through == 1);
  d.loop.ask(d.client, {"CONFIG", "SET", "maxmemory", "1"});
  CHECK(d.print(run, project, 2, 100).through == 2);
  CHECK(d.budget.health() == output_health::cut);
  CHECK(d.finish(run, 2).verdict == append_verdict::accepted);
  CHECK(d.held(run) == "1-0s 1-1o 1-2e 1-3c ");
  d.loop.ask(d.client, {"CONFIG", "SET", "maxmemory", "0"});
  REQUIRE(d.loop.run_until([&] {
    d.keep();
    d.loop.io.run_for(milliseconds(20));
    return d.budget.health() == output_health::whole;
  }));
  CHECK(d.print(uuid::generate_v7(), project, 1, 100).through == 1);
}

TEST_CASE("Redis is gone: lines are requested again for some seconds, then dropped as a gap, so that no run waits") {
  test::private_redis server;
  budgeted_buffers d(server);
  auto const project = uuid::generate_v7(), run = uuid::generate_v7();
  CHECK(d.print(run, project, 1, 100).through == 1);
  server.kill();
  REQUIRE(d.loop.run_until([&] { return !d.client.connected(); }));
  d.keep();
  CHECK(d.budget.health() == output_health::lost);
  CHECK(d.print(run, project, 2, 100).verdict == append_verdict::lost);
  REQUIRE(d.loop.run_until([&] { return d.budget.given_up(); }));
  auto const dropped = d.print(run, project, 2, 100);
  CHECK(dropped.verdict == append_verdict::accepted);
  CHECK(dropped.through == 2);
  server.start();
  REQUIRE(d.loop.run_until([&] {
    d.keep();
    return d.client.connected() && !d.budget.given_up();
  }));
  CHECK(d.print(run, project, 3, 100).through == 3);
  CHECK(d.held(run) == "1-0s 1-3o ");
}

}  // namespace
}  // namespace svc::output
