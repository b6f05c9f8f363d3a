#pragma once

#include "svc/core/metrics.hpp"
#include "svc/core/turns.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <string>

namespace svc::app {

/// The worker's statistics as metrics; the worker's own thread updates them once a second.
struct worker_gauges {
  gauge redis_up, redis_trusted, db_busy, db_waiting, db_abandoned, db_read_only, db_up, connections, body_bytes,
      longest_turn;
  counter redis_commands, redis_missed, redis_refusals, redis_writes, db_queries, db_timeouts, bodies_refused;
  std::array<counter, 3> turned_away;  ///< by limit
  histogram turns;

  worker_gauges(metrics& m, int index) {
    labels const labels{{"worker", std::to_string(index)}};
    redis_commands = m.make_counter("svc_redis_commands_total", "Commands given to Redis", labels);
    redis_missed = m.make_counter("svc_redis_missed_total", "Commands Redis did not answer in time", labels);
    redis_refusals =
        m.make_counter("svc_redis_refusals_total",
                       "Decisions and probes that Redis answered with an error, such as a missing right", labels);
    redis_writes = m.make_counter("svc_redis_writes_total", "Socket writes that carried commands to Redis", labels);
    redis_up = m.make_gauge("svc_redis_up", "1 while connected", labels);
    redis_trusted = m.make_gauge("svc_redis_trusted", "1 while limits are decided in Redis, 0 while locally", labels);
    db_queries = m.make_counter("svc_postgres_queries_total", "Statements sent", labels);
    db_timeouts = m.make_counter("svc_postgres_timeouts_total", "Statements that missed their deadline", labels);
    db_busy = m.make_gauge("svc_postgres_busy", "Connections in use", labels);
    db_waiting = m.make_gauge("svc_postgres_waiting", "Requests waiting for a connection", labels);
    db_abandoned = m.make_gauge("svc_postgres_abandoned",
                                "Sessions whose request gave up and that the server has not ended", labels);
    db_read_only =
        m.make_gauge("svc_postgres_read_only", "1 while changes are refused because commits stall", labels);
    db_up = m.make_gauge("svc_postgres_up", "1 while connected", labels);
    connections = m.make_gauge("svc_connections", "Client connections", labels);
    for (std::size_t i = 0; char const* limit : {"address", "user", "worker"})
      turned_away[i++] = m.make_counter("svc_connections_turned_away_total", "Connections that met a limit",
                                        {{"worker", std::to_string(index)}, {"limit", limit}});
    body_bytes = m.make_gauge("svc_body_bytes", "Memory that requests' bodies hold", labels);
    bodies_refused = m.make_counter("svc_bodies_refused_total",
                                    "Bodies that exceeded the bounds of the memory for bodies", labels);
    longest_turn =
        m.make_gauge("svc_worker_longest_turn_seconds", "Longest turn of the event loop since the start", labels);
    turns = m.make_histogram(
        "svc_worker_turn_seconds",
        "Processor time of the event loop's turns, counted once a second; the sum is that of the whole thread",
        labels, {turn_meter::bounds.begin(), turn_meter::bounds.end()});
  }

  /// Adds the counts since the last call.
  void show(turn_meter& meter) const {
    auto const counted = meter.take();
    turns.observe({counted.turns.begin(), counted.turns.end()}, std::chrono::duration<double>(counted.busy).count());
    longest_turn.set(std::chrono::duration<double>(meter.longest()).count());
  }
};

}  // namespace svc::app
