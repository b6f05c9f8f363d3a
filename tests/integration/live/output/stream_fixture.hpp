#pragma once

#include "integration/redis/fixture.hpp"
#include "support/fleet.hpp"
#include "support/process_tree.hpp"
#include "svc/core/bytes.hpp"
#include "svc/live/output/output_writer.hpp"
#include "svc/live/output/whole_output.hpp"
#include "viewers.hpp"

#include <doctest/doctest.h>

namespace svc::test {

/// A fleet, runs of its seeded job, and a writer that acts like a runner.
struct theatre {
  explicit theatre(std::size_t instances, std::vector<std::string> const& environment = {})
      : house(instances, with_many_streams(environment)),
        redis(loop.io, svc::redis::patient("unix:" + house.redis_socket()), output::output_writer::scripts()),
        writer(redis, {1'000'000, 100'000'000}),
        token(house.text("token")) {
    loop.connect(redis);
  }

  /// One token may watch as many runs as a test likes.
  static std::vector<std::string> with_many_streams(std::vector<std::string> environment) {
    environment.insert(environment.begin(),
                       {"SVC_HTTP_STREAMS_PER_TOKEN=10000", "SVC_HTTP_STREAMS_PER_PROJECT=10000"});
    return environment;
  }

  std::string make_run() {
    auto client = house.client(0, token);
    return text_of(body_of(client.post("/api/jobs/" + house.text("jobId") + "/trigger")), "/data/runId");
  }
  static uuid id(std::string const& run) { return uuid::parse(run).value(); }
  static deadline soon() { return deadline::after(std::chrono::seconds(20)); }

  void claim(std::string const& run, int attempt = 1) {
    house.sql("UPDATE runs SET status = 'running', started_at = now(), attempt = " + std::to_string(attempt) +
              " WHERE id = '" + run + "'");
    REQUIRE(loop.run(writer.begin(id(run), attempt, soon())).verdict == output::append_verdict::accepted);
  }
  /// `line FIRST` to `line LAST`, with these sequence numbers.
  void print(std::string const& run, long first, long last, int attempt = 1, std::string const& more = {}) {
    for (long position = first; position <= last;) {
      std::vector<output::output_line> batch;
      for (; position <= last && batch.size() < 500; ++position)
        batch.push_back({position, output::output_stream::out, "line " + std::to_string(position) + more});
      auto const done = loop.run(writer.append(id(run), attempt, std::move(batch), soon()));
      REQUIRE(done.verdict == output::append_verdict::accepted);
    }
  }
  /// Only in the database, as if the runner's instance had died after its commit.
  void end_in_database(std::string const& run, std::string const& status = "passed") {
    house.sql("BEGIN; UPDATE runs SET status = '" + status + "', completed_at = now() WHERE id = '" + run +
              "'; INSERT INTO run_output (run_id) VALUES ('" + run + "'); COMMIT");
  }
  void end(std::string const& run, long last_seq, int attempt = 1, std::string const& status = "passed") {
    end_in_database(run, status);
    loop.run(writer.finish(id(run), attempt, status, last_seq, soon()));
  }
  /// With its whole output, `line 1` to `line LAST`, or nothing, as if that had come with the result.
  void end_whole_in_database(std::string const& run, long last) {
    std::vector<output::output_line> lines;
    for (long position = 1; position <= last; ++position)
      lines.push_back({position, output::output_stream::out, "line " + std::to_string(position)});
    auto const whole = output::pack_whole(id(run), std::move(lines), {}, "passed", last);
    auto const output =
        "INSERT INTO run_output (run_id, project_id, content, size, lines, stored_at) SELECT id, "
        "project_id, '\\x" +
        to_hex(whole.content) + "', " + std::to_string(whole.size) + ", " + std::to_string(whole.lines) +
        ", now() FROM runs WHERE id = '" + run + "'";
    auto const silence = "UPDATE run_results SET silent = true WHERE run_id = '" + run + "'";
    house.sql("BEGIN; UPDATE runs SET status = 'passed', completed_at = now() WHERE id = '" + run + "'; " +
              (whole.silent() ? silence : output) + "; COMMIT");
  }
  void end_whole(std::string const& run, long last) {
    end_whole_in_database(run, last);
    writer.stored_soon(id(run));
    // Goes over the same connection, behind it.
    std::string_view const words[] = {"PING"};
    REQUIRE(loop.run(redis.command(words, soon())).ok());
  }
  bool stored(std::string const& run) {
    return house.sql("SELECT count(stored_at) FROM run_output WHERE run_id = '" + run + "'")[0][0] == "1";
  }
  bool eventually(std::function<bool()> const& condition, std::chrono::seconds patience = std::chrono::seconds(20)) {
    auto const give_up = deadline::after(patience);
    while (!condition()) {
      if (give_up.passed()) return false;
      std::this_thread::sleep_for(milliseconds(20));
    }
    return true;
  }
  /// Subscribers of the run's channel, over all instances.
  std::string subscriptions(std::string const& run) const {
    auto reported = house.redis({"PUBSUB", "NUMSUB", "svc:{" + run + "}:news"});
    while (reported.ends_with('\n')) reported.pop_back();
    return reported.substr(reported.rfind('\n') + 1);
  }
  /// Resident bytes of an instance's process.
  long memory(std::size_t instance) {
    auto const pid = instance == 0 ? house.dev().pid_of("svcd") : house.process(instance).pid();
    return resident_memory(pid);
  }

  fleet house;
  svc::redis::worker loop;
  svc::redis::client redis;
  output::output_writer writer;
  std::string token;
};

inline bool is_over(viewer const& viewer) {
  return viewer.closed();
}
inline std::function<bool(viewer const&)> has_lines(long count) {
  return [count](viewer const& viewer) { return viewer.lines >= count; };
}

}  // namespace svc::test
