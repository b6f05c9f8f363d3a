#include "app/configuration/keys.hpp"

#include <algorithm>
#include <array>

namespace svc::app {
namespace {

constexpr std::int64_t second = 1000;
constexpr std::int64_t hour = 3600 * second;
constexpr std::int64_t most_admissions = 10'000'000;
constexpr std::int64_t longest_window = 86'400;
constexpr std::int64_t most_kept = 1'000'000;
constexpr std::int64_t most_kept_bytes = 1LL << 40;
/// The contract's largest body fits, and what its connection holds.
constexpr std::int64_t whole_body = 12 * 1024 * 1024;

// The member itself; the lambda's return type picks the alternative of `key_target`.
#define SVC_AT(path) [](configuration& c) -> auto& { return c.path; }
#define SVC_LIMIT(which, whom)                                                                                       \
  key{"limits." #which ".limit", SVC_AT(limits.which.limit), "admissions in one window: " whom, 1, most_admissions}, \
      key {                                                                                                          \
    "limits." #which ".window", SVC_AT(limits.which.seconds), "length of that window in seconds", 1, longest_window  \
  }

std::array const table{
    key{"public_url", SVC_AT(public_url),
        "what clients call this service, for links and the OpenAPI document; empty: the listener's address", 0, 0,
        text_form::url},
    key{"cors_origins", SVC_AT(cors_origins), "whose pages may read answers in a browser: https://HOST[:PORT], ...",
        0, 0, text_form::origin},
    key{"trusted_proxies", SVC_AT(trusted_proxies),
        "whose PROXY headers and client_address_header count; peers by Unix socket always do", 0, 0, text_form::cidr},
    key{"client_address_header", SVC_AT(client_address_header),
        "the one field in which trusted proxies name the client; empty: none", 0, 0, text_form::field_name},
    key{"master_key_file", SVC_AT(master_key_file),
        "lines of 64 hex characters (the first wraps, all open) or 32 bytes; wraps each project's data key", 0, 0,
        text_form::file},
    key{"instances", SVC_AT(instances), "how many instances share the stores", 1, 1000},
    key{"workers", SVC_AT(workers), "threads that serve; 0: one for each core", 0, 256},
    key{"drain_delay", SVC_AT(drain_delay), "after SIGTERM: not ready, but accepting, so that balancers notice", 0,
        hour},
    key{"drain_timeout", SVC_AT(drain_timeout), "then how long running requests may take to finish", 0, hour},

    key{"admin.address", SVC_AT(admin.address), "plain HTTP: /metrics, /livez, /readyz?verbose; keep it private", 0,
        0, text_form::address},
    key{"admin.hosts", SVC_AT(admin.hosts),
        "names by which the admin pages are asked for, besides localhost and IP addresses", 0, 0,
        text_form::host_name},
    key{"admin.connections", SVC_AT(admin.connections),
        "connections of it; when all are taken, waiting ones are closed", 1, 10'000},

    key{"tls.cert_file", SVC_AT(tls.cert_file), "PEM: the certificate, then its chain", 0, 0, text_form::file},
    key{"tls.key_file", SVC_AT(tls.key_file), "PEM: its private key, unencrypted", 0, 0, text_form::file},
    key{"tls.ticket_keys_file", SVC_AT(tls.ticket_keys_file),
        "lines of `openssl rand -hex 80`, for the owner only: the first seals session tickets, all open; empty: keys "
        "of "
        "this process",
        0, 0, text_form::file},

    key{"postgres.url", SVC_AT(postgres.url),
        "libpq URI or keyword string; of several hosts the primary is asked, unless it has `target_session_attrs`"},
    key{"postgres.migrate_url", SVC_AT(postgres.migrate_url),
        "the tables' owner, for `svcd migrate`; empty: postgres.url"},
    key{"postgres.pool_per_worker", SVC_AT(postgres.pool_per_worker), "connections of one worker, at most", 1, 1000},
    key{"postgres.prepared_statements", SVC_AT(postgres.prepared_statements),
        "false behind PgBouncer older than 1.21"},
    key{"postgres.connect_timeout", SVC_AT(postgres.connect_timeout), "one attempt to connect", 10, hour},
    key{"postgres.statement_timeout", SVC_AT(postgres.statement_timeout), "the server's own limit for a statement",
        10, hour},

    key{"redis.url", SVC_AT(redis.url), "redis://[user[:password]@]host[:port][/db], rediss://... or unix:/path"},
    key{"redis.mode", SVC_AT(redis.mode), "how Redis is deployed", 0, 0, text_form::redis_mode},
    key{"redis.username", SVC_AT(redis.username), "replaces the URL's"},
    key{"redis.password", SVC_AT(redis.password), "replaces the URL's"},
    key{"redis.tls", SVC_AT(redis.tls), "TLS to Redis, like rediss://"},
    key{"redis.tls_ca_file", SVC_AT(redis.tls_ca_file), "whom to trust; empty: the system's store", 0, 0,
        text_form::file},
    key{"redis.deadline", SVC_AT(redis.deadline), "one command", 1, hour},
    key{"redis.connect_timeout", SVC_AT(redis.connect_timeout), "one attempt to connect", 10, hour},
    key{"redis.output_url", SVC_AT(redis.output_url),
        "the Redis that holds the output of runs, with its own user and password; empty: redis.url, on connections "
        "of "
        "their own"},
    key{"redis.output_deadline", SVC_AT(redis.output_deadline), "one command there, when longer than redis.deadline",
        1, hour},

    SVC_LIMIT(cli, "a user, over all of the user's tokens"),
    SVC_LIMIT(trigger_default, "a trigger key without a limit of its own"),
    SVC_LIMIT(anonymous, "a client address without a credential"),
    SVC_LIMIT(feed, "a client address, feeds and OpenAPI documents"),
    SVC_LIMIT(health, "a client address, /api/health"),
    SVC_LIMIT(refused, "a stored token that is refused"),

    key{"quotas.variables", SVC_AT(quotas.variables), "of a project; 0: any number", 0, most_kept},
    key{"quotas.variable_bytes", SVC_AT(quotas.variable_bytes), "of the values of a project's variables; 0: any", 0,
        most_kept_bytes},
    key{"quotas.tests", SVC_AT(quotas.tests), "of a project; 0: any number", 0, most_kept},
    key{"quotas.script_bytes", SVC_AT(quotas.script_bytes), "of the scripts of a project's tests; 0: any", 0,
        most_kept_bytes},
    key{"quotas.jobs", SVC_AT(quotas.jobs), "of a project, without deleted ones; 0: any number", 0, most_kept},
    key{"quotas.queued_runs", SVC_AT(quotas.queued_runs),
        "of a project, passed by a batch of 64 an instance at most; 0: any number", 0, most_kept},
    key{"quotas.output_bytes", SVC_AT(quotas.output_bytes),
        "stored output of a project, compressed; the oldest is dropped first; 0: any", 0, 1'000'000'000'000'000},

    key{"log.level", SVC_AT(log.level), "least level that is written", 0, 0, text_form::log_level},

    key{"auth.unseen_reads", SVC_AT(auth.unseen_reads),
        "database statements a second for tokens never seen good, of 500 tokens each at most", 1, 1'000'000},
    key{"auth.seen_reads", SVC_AT(auth.seen_reads), "the same for tokens known to have been good", 1, 1'000'000},

    key{"output.lines", SVC_AT(output.limits.lines), "lines kept of one run's output", 1, 1'000'000},
    key{"output.bytes", SVC_AT(output.limits.bytes), "bytes kept of one run's output", 1, 64'000'000},
    key{"output.heartbeat", SVC_AT(output.heartbeat),
        "of a stream; an ended token's streams end with it at the latest", 100, hour},
    key{"output.memory_share", SVC_AT(output.memory_share),
        "percent of that Redis's maxmemory for the output of all runs that are not stored yet; a project has as much "
        "as it "
        "leaves free",
        1, 90},
    key{"output.memory", SVC_AT(output.memory), "bytes for the same where Redis has no maxmemory or does not tell it",
        1'000'000, 1'000'000'000'000},

    key{"executors.lease", SVC_AT(runners.lease), "how long a claimed run is kept without a heartbeat", second, hour},
    key{"executors.first_lease", SVC_AT(runners.first_lease),
        "the same until a claim's first heartbeat, when that is sooner; 0s: no other", 0, hour},
    key{"executors.retries", SVC_AT(runners.retries), "more attempts of a run whose executor was lost", 0, 100},
    key{"executors.max_per_project", SVC_AT(runners.max_per_project),
        "slots that one project may hold of an executor that others share; 0: all", 0, 1000},

    key{"retention.interval", SVC_AT(retention.interval), "between two looks for what is to be deleted", 100, hour},
    key{"retention.runs_age", SVC_AT(retention.runs_age), "ended runs are deleted behind it; 0s: never", 0,
        87'600 * hour},
    key{"retention.runs_per_job", SVC_AT(retention.runs_per_job),
        "newest runs of a job that are kept; 0: all. Its other ended ones are deleted", 0, 1'000'000'000},

    key{"http.deadline", SVC_AT(http.deadline), "a request, from its last byte to the answer", 10, hour},
    key{"http.in_flight", SVC_AT(http.in_flight), "requests of one worker at a time; more get 503", 1, 1'000'000},
    key{"http.connections", SVC_AT(http.session.connections),
        "connections of one worker; when all are taken, waiting ones are closed", 1, 1'000'000},
    key{"http.reserved_connections", SVC_AT(http.session.reserved_connections),
        "more of one worker, for health and while room is made", 0, 100'000},
    key{"http.connections_per_address", SVC_AT(http.session.connections_per_address),
        "of an instance, by client address (IPv6 by /64), until a request is admitted", 1, 1'000'000},
    key{"http.connections_per_user", SVC_AT(http.session.connections_per_user),
        "of an instance, by user or key, from then on", 1, 1'000'000},
    key{"http.streams", SVC_AT(http.streams.all), "streams of an instance; more get 409", 1, 1'000'000},
    key{"http.streams_per_project", SVC_AT(http.streams.project), "of them, for one project", 1, 1'000'000},
    key{"http.streams_per_token", SVC_AT(http.streams.token), "of them, for one token", 1, 1'000'000},
    key{"http.tls_timeout", SVC_AT(http.session.tls_handshake), "the PROXY header and the TLS handshake", 10, hour},
    key{"http.head_timeout", SVC_AT(http.session.head), "a whole head, from its first byte", 10, hour},
    key{"http.idle_timeout", SVC_AT(http.session.idle), "a connection before the next request", 10, hour},
    key{"http.body_window", SVC_AT(http.session.body_window), "each such time must bring body_window_bytes", 10,
        hour},
    key{"http.body_window_bytes", SVC_AT(http.session.body_window_bytes), "fewer in a window end the request", 1,
        1'000'000'000},
    key{"http.body_timeout", SVC_AT(http.session.body_total), "a whole body", 10, hour},
    key{"http.write_timeout", SVC_AT(http.session.write), "a write without progress", 10, hour},
    key{"http.linger_timeout", SVC_AT(http.session.linger), "for the client to read a last answer", 10, hour},
    key{"http.drained_body", SVC_AT(http.session.drained_body), "an unread body up to this size keeps the connection",
        0, 1'000'000'000},
    key{"http.body_bytes", SVC_AT(http.bodies.process),
        "memory for bodies in the process; nobody may hold more of it than is left", 2 * whole_body,
        1'000'000'000'000},
    key{"http.body_bytes_per_worker", SVC_AT(http.bodies.worker), "the same in one worker", 2 * whole_body,
        1'000'000'000'000},
    key{"http.body_bytes_per_user", SVC_AT(http.bodies.user), "what a user may hold of it; more gets 503", whole_body,
        1'000'000'000'000},
    key{"http.json_values", SVC_AT(http.json_values), "values in one JSON body; more get 400", 1000, 10'000'000},
};

#undef SVC_LIMIT
#undef SVC_AT

constexpr std::array<std::string_view, 1> reserved{"outgoing_allow_cidrs"};

}  // namespace

std::span<key const> configuration_keys() {
  return table;
}

key const* find_key(std::string_view name) {
  auto const found = std::find_if(table.begin(), table.end(), [&](key const& k) { return k.name == name; });
  return found == table.end() ? nullptr : &*found;
}

bool reserved_key(std::string_view name) {
  return std::any_of(reserved.begin(), reserved.end(),
                     [&](std::string_view r) { return name == r || (name.starts_with(r) && name[r.size()] == '.'); });
}

}  // namespace svc::app
