#pragma once

#include "app/configuration/text_forms.hpp"
#include "svc/core/settings_table.hpp"

#include <array>
#include <cstdint>

// The section `http` of the table of keys: how requests and connections are served. Only keys.cpp includes this.

namespace svc::app::key_forms {

/// The size of the largest response: a test whose script has 5 MiB, each byte written as six.
inline constexpr std::int64_t whole_response = 32 * 1024 * 1024;
/// The room for the contract's largest body and for its connection's memory.
inline constexpr std::int64_t whole_body = 12 * 1024 * 1024;

#define SVC_HTTP(path) target_in<configuration>([](configuration& c) -> auto& { return c.http.path; })

inline constexpr std::array http_keys{
    setting{"http.deadline", SVC_HTTP(deadline), "Limit for a request, from its last byte to the response", 10, hour},
    setting{"http.in_flight", SVC_HTTP(in_flight), "Requests in progress in one worker; more get 503", 1, 1'000'000},
    setting{"http.outside_waits", SVC_HTTP(outside_waits),
            "Requests in one worker that wait for a check or a provider, apart from http.in_flight; a "
            "quarter for one organization; more get 503",
            1, 100'000},
    setting{"http.queue_time", SVC_HTTP(queue_time),
            "Time that requests may wait for their turn in a worker, or for a connection to PostgreSQL, "
            "before some get 503: lists and new streams first, then reads, then changes; 0s: no limit",
            0, hour},
    setting{"http.connections", SVC_HTTP(session.connections),
            "Connections of one worker; when all are in use, idle ones are closed", 1, 1'000'000},
    setting{"http.reserved_connections", SVC_HTTP(session.reserved_connections),
            "Additional connections of one worker, for health checks, and heartbeats and results of runners", 0,
            100'000},
    setting{"http.connections_per_address", SVC_HTTP(session.connections_per_address),
            "Connections to an instance from one client address (IPv6: /64) until a request is admitted", 1,
            1'000'000},
    setting{"http.connections_per_user", SVC_HTTP(session.connections_per_user),
            "Connections to an instance from one user or key after that", 1, 1'000'000},
    setting{"http.streams", SVC_HTTP(streams.all), "Streams of an instance; more get 409", 1, 1'000'000},
    setting{"http.streams_per_project", SVC_HTTP(streams.project), "Of these, streams for one project", 1, 1'000'000},
    setting{"http.streams_per_token", SVC_HTTP(streams.token), "Of these, streams for one token", 1, 1'000'000},
    setting{"http.tls_timeout", SVC_HTTP(session.tls_handshake), "Limit for the PROXY header and the TLS handshake",
            10, hour},
    setting{"http.head_timeout", SVC_HTTP(session.head), "Limit for a complete head, from its first byte", 10, hour},
    setting{"http.idle_timeout", SVC_HTTP(session.idle), "Time that a connection may wait for its next request", 10,
            hour},
    setting{"http.connection_age", SVC_HTTP(session.age),
            "Age from which a connection ends with its next answer, so that new instances get their share; it "
            "varies by up to a tenth less; 0s: none",
            0, 1000 * hour},
    setting{"http.body_window", SVC_HTTP(session.body_window),
            "Period in which at least body_window_bytes of a body must arrive", 10, hour},
    setting{"http.body_window_bytes", SVC_HTTP(session.body_window_bytes),
            "Fewer bytes in that period end the request", 1, 1'000'000'000},
    setting{"http.body_timeout", SVC_HTTP(session.body_total), "Limit for a complete body", 10, hour},
    setting{"http.write_timeout", SVC_HTTP(session.write),
            "Period in which at least write_window_bytes of a response must be read", 10, hour},
    setting{"http.write_window_bytes", SVC_HTTP(session.write_window_bytes),
            "Fewer bytes in that period end the connection", 1, 1'000'000'000},
    setting{"http.response_timeout", SVC_HTTP(session.write_total),
            "Limit for reading a complete response; streams of events have none", 10, 24 * hour},
    setting{"http.linger_timeout", SVC_HTTP(session.linger),
            "Time that a client has to read the last response of a connection", 10, hour},
    setting{
        "http.drained_body", SVC_HTTP(session.drained_body),
        "Bytes of a request's body that the service reads and drops to keep the connection; a longer rest ends it", 0,
        1'000'000'000},
    setting{"http.body_bytes", SVC_HTTP(bodies.process),
            "Memory for bodies in the process; no user may hold more than is still free", 2 * whole_body,
            1'000'000'000'000},
    setting{"http.body_bytes_per_worker", SVC_HTTP(bodies.worker), "The same in one worker", 2 * whole_body,
            1'000'000'000'000},
    setting{"http.body_bytes_per_user", SVC_HTTP(bodies.user),
            "Memory for bodies that one user may hold; more gets 503", whole_body, 1'000'000'000'000},
    setting{"http.response_bytes", SVC_HTTP(responses.process),
            "Memory for unread responses in the process; no user may hold more than is still free, and no "
            "organization more than half",
            2 * whole_response, 1'000'000'000'000},
    setting{"http.response_bytes_per_user", SVC_HTTP(responses.user), "The same of one user; more gets 503",
            whole_response, 1'000'000'000'000},
    setting{"http.json_values", SVC_HTTP(json_values), "Values in one JSON body; more get 400", 1000, 10'000'000},
};

#undef SVC_HTTP

}  // namespace svc::app::key_forms
