#include "svc/live/output/mover.hpp"

#include "integration/redis/fixture.hpp"
#include "integration/store/trigger_fixture.hpp"
#include "svc/core/failpoint.hpp"
#include "svc/http/deflate.hpp"
#include "svc/live/output/archive.hpp"
#include "svc/live/output/output_budget.hpp"
#include "svc/live/output/whole_output.hpp"

#include <algorithm>

using namespace svc;
using namespace svc::test;

namespace {

/// A mover on its own stores, and runs that have ended.
struct removal : svc::test::trigger_database {
  removal() {
    client.start();
    REQUIRE(wait(client.wait_connected(soon())));
  }
  redis::outcome ask(std::vector<std::string_view> words) { return wait(client.command(words, soon())); }

  /// A run that printed this number of lines of that size, and ended two seconds ago.
  uuid ended(int lines, std::size_t size, bool reported = true) {
    auto const run = make_run(id).run;
    set_run(run, "status = 'passed', attempt = 1, completed_at = clock_timestamp()");
    for (std::int64_t seq = 1; seq <= lines; ++seq)
      wait(writer.append(run, 1, {{seq, output::output_stream::out, std::string(size, 'x')}}, soon(), project));
    if (reported) wait(writer.finish(run, 1, "passed", lines, soon()));
    must(store::output_due(run));
    as_owner("UPDATE run_output SET ended_at = ended_at - interval '4 seconds' WHERE run_id = '" + run.to_string() +
             "'");
    return run;
  }
  /// The stored text; "due" until it is stored.
  std::string stored(uuid run) {
    auto const found = wait(outputs.find(run, soon()));
    if (!found.stored) return found.due ? "due" : "none";
    return *http::inflated(found.stored->content, static_cast<std::size_t>(found.stored->size));
  }
  static std::string key(uuid run) { return "svc:{" + run.to_string() + "}:out"; }

  private_redis server;
  metrics counters;
  redis::client client{io, redis::patient(server.url()), output::output_writer::scripts()};
  store::output_store outputs{pool};
  output::output_budget budget{client, {50, 100'000'000}, counters};
  output::output_writer writer{client, {1'000'000, 100'000'000}, &budget};
  output::mover mover{client, outputs, writer, budget, counters};
};

}  // namespace

TEST_CASE("a run that cannot be read, or that the database refuses, holds up no other run's output") {
  removal r;
  auto const first = r.ended(2, 3), unreadable = r.ended(0, 0, false), refused = r.ended(1, 10'000),
             last = r.ended(1, 2);
  r.ask({"SET", removal::key(unreadable), "no stream"});
  r.as_owner("ALTER TABLE run_output ADD CONSTRAINT no CHECK (run_id <> '" + refused.to_string() +
             "' OR content IS NULL)");
  CHECK(r.wait(r.mover.pass()));
  CHECK(r.stored(first) == "1-0 srunning\n1-1 oxxx\n1-2 oxxx\n1-3 cpassed\n");
  CHECK(r.stored(last) == "1-0 srunning\n1-1 oxx\n1-2 cpassed\n");
  CHECK(r.stored(refused) == "due");
  // Nothing is known about it except its end.
  CHECK(r.stored(unreadable) == "1-2 cpassed\n");
  r.as_owner("ALTER TABLE run_output DROP CONSTRAINT no; UPDATE run_output SET moving_until = '-infinity'");
  CHECK(r.wait(r.mover.pass()));
  CHECK(r.stored(refused).ends_with("\n1-2 cpassed\n"));
}

TEST_CASE(
    "a full Redis is emptied: outputs move, ends that were never announced are written, and the keys are deleted") {
  removal r;
  std::vector<uuid> runs;
  for (int i = 0; i < 6; ++i) runs.push_back(r.ended(20, 10'000, i % 2 == 0));
  r.ask({"CONFIG", "SET", "maxmemory", "1"});
  auto keep = [](output::output_budget& budget) -> task<bool> {
    co_await budget.keep(false);
    co_return budget.crowded();
  };
  REQUIRE(r.wait(keep(r.budget)));
  CHECK(r.wait(r.mover.pass()));
  for (auto const& run : runs) {
    auto const text = r.stored(run);
    CHECK(text.size() > 200'000);
    CHECK(text.ends_with("passed\n"));
    CHECK(r.ask({"EXISTS", removal::key(run)}).value.number == 0);
  }
  CHECK(r.wait(keep(r.budget)));
  CHECK(r.budget.held() == 0);
}

TEST_CASE("output of a run that was deleted before it was moved is deleted when it is checked") {
  removal r;
  auto const deleted = r.ended(3, 1000), running = r.make_run(r.id).run;
  r.wait(r.writer.append(running, 1, {{1, output::output_stream::out, "x"}}, r.soon(), r.project));
  r.as_owner("DELETE FROM runs WHERE id = '" + deleted.to_string() + "'");
  auto keep = [](output::output_budget& budget) -> task<bool> {
    co_await budget.keep(true);
    co_return true;
  };
  r.wait(keep(r.budget));
  for (auto const& run : {deleted, running}) {
    auto const id = run.to_string();
    r.ask({"ZADD", "svc:{output}:due", "0", id});
  }
  auto const gone = [&] { return r.ask({"EXISTS", removal::key(deleted)}).value.number == 0; };
  for (auto const until = r.soon(); !gone() && !until.passed();) {
    r.wait(keep(r.budget));
    r.wait(r.mover.pass());
  }
  CHECK(gone());
  CHECK(r.ask({"EXISTS", removal::key(running)}).value.number == 1);
  r.wait(keep(r.budget));
  CHECK(r.budget.held() == 1 + output::output_writer::line_overhead);
}

TEST_CASE("a long output is moved in pages, completely, whatever its lines look like") {
  struct {
    int lines;
    std::size_t size;
  } const cases[] = {{0, 0}, {1, 16'000}, {63, 10}, {64, 10}, {65, 10}, {3000, 1}, {150, 16'000}};
  removal r;
  for (auto const& c : cases) {
    CAPTURE(c.lines);
    auto const run = r.ended(c.lines, c.size);
    CHECK(r.wait(r.mover.pass()));
    auto const text = r.stored(run);
    CHECK(std::count(text.begin(), text.end(), '\n') == c.lines + (c.lines > 0 ? 2 : 1));
    CHECK(text.ends_with(std::to_string(c.lines + 1) + " cpassed\n"));
  }
}

TEST_CASE("a project that reads as much output as it may leaves room for another, and its own readers share") {
  removal r;
  auto const first = r.ended(1, 1000), second = r.ended(1, 1001), third = r.ended(1, 1002);
  CHECK(r.wait(r.mover.pass()));
  account held{{.name = "outputs", .total = 4400, .project_share = 1500, .rule = share_rule::remainder}};
  output::archive archive{r.io, r.client, r.outputs, held};
  auto const read = [&](uuid project, uuid run) { return r.wait(archive.all(project, run, removal::soon())); };
  auto text = read(r.project, first);
  REQUIRE(text.has_value());
  CHECK(held.held() == (*text)->size());
  CHECK((read(r.project, first).value() == *text));
  CHECK(held.held() == (*text)->size());
  CHECK(failure(read(r.project, second)) == errc::overloaded);
  auto const other = uuid::generate_v7();
  CHECK(read(other, third).value()->size() > 1000);
  *text = nullptr;
  CHECK(read(r.project, second).has_value());
  CHECK(held.held() == 0);
}

TEST_CASE("the size of an output is asked before the output is read and inflated") {
  removal r;
  auto const run = r.ended(1, 1000);
  CHECK(r.wait(r.mover.pass()));
  r.as_owner("UPDATE run_output SET size = 1000000000 WHERE run_id = '" + run.to_string() + "'");
  account held{output::archive_terms({})};
  output::archive archive{r.io, r.client, r.outputs, held};
  // Inflated, it would not have that size, which throws.
  CHECK(failure(r.wait(archive.all(r.project, run, removal::soon()))) == errc::overloaded);
  CHECK(held.refused() == 1);
  CHECK(held.held() == 0);
}

TEST_CASE("a run that ended in its second attempt is stored with the end of that attempt") {
  removal r;
  auto const run = r.make_run(r.id).run;
  r.set_run(run, "status = 'passed', attempt = 2, completed_at = clock_timestamp()");
  for (std::int64_t seq = 1; seq <= 3; ++seq)
    r.wait(r.writer.append(run, 1, {{seq, output::output_stream::out, "x"}}, r.soon(), r.project));
  r.must(store::output_due(run));
  r.as_owner("UPDATE run_output SET ended_at = ended_at - interval '4 seconds'");
  CHECK(r.wait(r.mover.pass()));
  CHECK(r.stored(run) == "1-0 srunning\n1-1 ox\n1-2 ox\n1-3 ox\n2-0 srunning\n2-1 cpassed\n");
  CHECK_FALSE(r.wait(r.outputs.find(run, r.soon())).stored->incomplete);
}

#ifdef SVC_FAILPOINTS
TEST_CASE("output is stored only as a whole when Redis answers the first read and not the next") {
  struct {
    char const* name;
    int lines;
    bool reported;  ///< else the mover writes the end itself, and reads again
  } const cases[] = {{"the second page", 200, true}, {"the read after the end was written", 5, false}};
  removal r;
  auto const reads = [&r] {
    auto const text = r.ask({"INFO", "commandstats"}).value.text;
    auto const found = text.find("cmdstat_xrange:calls=");
    return found == std::string::npos ? 0 : std::stoi(text.substr(found + 21));
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto const run = r.ended(c.lines, 10, c.reported);
    REQUIRE(r.ask({"CONFIG", "RESETSTAT"}).ok());
    REQUIRE(failpoint::configure("mover.page_read=delay:1000*1"));
    std::optional<bool> passed;
    asio::co_spawn(r.io, [&]() -> task<> { passed = co_await r.mover.pass(); }, asio::detached);
    while (reads() == 0 && !passed) r.io.run_one_for(milliseconds(1));
    REQUIRE(r.ask({"ACL", "SETUSER", "default", "-xrange"}).ok());
    CHECK_FALSE(passed);
    while (!passed) r.io.run_one();
    REQUIRE(failpoint::configure(""));
    CHECK(r.stored(run) == "due");
    REQUIRE(r.ask({"ACL", "SETUSER", "default", "+xrange"}).ok());
    r.as_owner("UPDATE run_output SET moving_until = '-infinity'");
    CHECK(r.wait(r.mover.pass()));
    auto const text = r.stored(run);
    CHECK(std::count(text.begin(), text.end(), '\n') == c.lines + 2);
    CHECK(text.ends_with("-" + std::to_string(c.lines + 1) + " cpassed\n"));
  }
}

TEST_CASE("output that is moved while it is read is read from its new place") {
  removal r;
  account held{output::archive_terms({})};
  output::archive archive{r.io, r.client, r.outputs, held};
  auto const run = r.ended(2, 3);
  REQUIRE(failpoint::configure("archive.before_live=delay:1000*1"));
  std::optional<result<output::archive::text_ptr>> got;
  asio::co_spawn(
      r.io, [&]() -> task<> { got = co_await archive.all(r.project, run, removal::soon()); }, asio::detached);
  steady_timer timer(r.io);
  auto const pause = [&]() -> task<> {
    timer.expires_after(milliseconds(200));
    co_await timer.async_wait(awaiting);
  };
  r.wait(pause());
  CHECK_FALSE(got.has_value());
  CHECK(r.wait(r.mover.pass()));
  r.ask({"DEL", removal::key(run)});
  while (!got.has_value()) r.wait(pause());
  REQUIRE(failpoint::configure(""));
  REQUIRE(got->has_value());
  CHECK(***got == "1-0 srunning\n1-1 oxxx\n1-2 oxxx\n1-3 cpassed\n");
}
#endif

TEST_CASE("output in a run's result is stored as it would have been moved") {
  removal r;
  using output::output_stream;
  struct {
    char const* name;
    std::vector<output::output_line> lines;
    std::int64_t last_seq;
  } const cases[] = {
      {"nothing", {}, 0},
      {"lines", {{1, output_stream::out, "a"}, {2, output_stream::err, ""}, {3, output_stream::out, "b\nc"}}, 3},
      {"fewer than counted", {{1, output_stream::out, "a"}}, 5},
      {"too many",
       {{1, output_stream::out, "a"},
        {2, output_stream::out, "b"},
        {3, output_stream::out, "c"},
        {4, output_stream::out, "d"},
        {5, output_stream::out, "e"}},
       5},
      {"too long", {{1, output_stream::out, std::string(60, 'x')}, {2, output_stream::out, std::string(60, 'y')}}, 2},
      {"a long line", {{1, output_stream::out, std::string(20'000, 'x')}}, 1},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    output::output_limits const limits{3, c.lines.size() == 1 ? 100'000UL : 100UL};
    output::output_writer writer(r.client, limits);
    auto const run = r.make_run(r.id).run;
    r.set_run(run, "status = 'passed', attempt = 1, completed_at = clock_timestamp()");
    r.wait(writer.begin(run, 1, r.soon()));
    r.wait(writer.append(run, 1, c.lines, r.soon()));
    r.wait(writer.finish(run, 1, "passed", c.last_seq, r.soon()));
    r.must(store::output_due(run));
    r.as_owner("UPDATE run_output SET ended_at = ended_at - interval '1 second'");
    CHECK(r.wait(r.mover.pass()));
    auto const moved = r.wait(r.outputs.find(run, r.soon())).stored;
    REQUIRE(moved);
    auto const whole = output::pack_whole(run, c.lines, limits, "passed", c.last_seq);
    if (whole.silent()) {
      CHECK(r.stored(run) == output::text_of_silent("passed"));
      continue;
    }
    CHECK(r.stored(run) == *http::inflated(whole.content, static_cast<std::size_t>(whole.size)));
    CHECK(moved->size == whole.size);
    CHECK(moved->lines == whole.lines);
    CHECK(moved->incomplete == whole.incomplete);
  }
}

TEST_CASE("the state of a claim in Redis is deleted when the output is stored, even if it arrives later") {
  removal r;
  for (bool const late : {false, true}) {
    CAPTURE(late);
    auto const run = r.make_run(r.id).run;
    auto const state = "svc:{" + run.to_string() + "}:outstate", stream = removal::key(run);
    auto const begin = [&] { return r.wait(r.writer.begin(run, 1, r.soon())).verdict; };
    if (!late) CHECK(begin() == output::append_verdict::accepted);
    r.writer.stored_soon(run);
    r.ask({"PING"});  // goes over the same connection, behind it
    if (late) CHECK(begin() == output::append_verdict::ended);
    CHECK(r.ask({"EXISTS", stream}).value.number == 0);
    CHECK(r.ask({"EXISTS", state}).value.number == (late ? 1 : 0));
    CHECK(r.ask({"PTTL", state}).value.number <= 60'000);
  }
}
