// Longer than other files: it has the one table of all keys, except those of `http`.
#include "app/configuration/configuration.hpp"
#include "app/configuration/http_keys.hpp"
#include "app/configuration/text_forms.hpp"

#include <algorithm>
#include <array>

namespace svc::app {
namespace {

using namespace key_forms;

constexpr std::int64_t longest_kept = 3650 * day;
constexpr std::int64_t most_admissions = 10'000'000;
constexpr std::int64_t longest_window = 86'400;
constexpr std::int64_t most_kept = 1'000'000;
constexpr std::int64_t most_kept_bytes = 1LL << 40;

#define SVC_AT(path) target_in<configuration>([](configuration& c) -> auto& { return c.path; })
#define SVC_LIMIT(which, clients)                                                                          \
  reloaded({"limits." #which ".limit", SVC_AT(limits.which.limit), "Requests per window from " clients, 1, \
            most_admissions}),                                                                             \
      reloaded({"limits." #which ".window",                                                                \
                SVC_AT(limits.which.seconds),                                                              \
                "Length of that window",                                                                   \
                1,                                                                                         \
                longest_window,                                                                            \
                nullptr,                                                                                   \
                {},                                                                                        \
                "seconds"})

constexpr std::array first_sections{
    setting{"public_url", SVC_AT(public_url),
            "Address at which clients reach this service, for links, the OpenAPI document and the origin of "
            "pages; empty: the listener's address, but for the origin the request's `Host`",
            0, 0, &a_url},
    setting{"cors_origins", SVC_AT(cors_origins), "Origins whose pages may read responses in a browser", 0, 0,
            &origins},
    reloaded({"trusted_proxies", SVC_AT(trusted_proxies),
              "Peers whose PROXY headers and client_address_header are trusted, besides those on a Unix socket", 0, 0,
              &ranges}),
    reloaded({"client_address_header", SVC_AT(client_address_header),
              "Header in which trusted proxies name the client; empty: none", 0, 0, &a_field_name}),
    setting{"master_key_file", SVC_AT(master_key_file),
            "Keys that wrap the data key of each project: lines of 64 hex characters (the first wraps, all unwrap), "
            "or 32 bytes",
            0, 0, &a_file},
    setting{"instances", SVC_AT(instances),
            "Number of instances to assume until they have counted themselves, and in the warning about "
            "PostgreSQL's connections",
            1, 1000},
    setting{"workers", SVC_AT(workers), "Threads that serve requests; 0: one for each core", 0, 256},
    setting{"drain_delay", SVC_AT(drain_delay),
            "Time after SIGTERM in which /readyz fails but connections are still accepted", 0, hour},
    setting{"drain_timeout", SVC_AT(drain_timeout), "Time that requests in progress then have to finish", 0, hour},
    setting{"outgoing_allow_cidrs", SVC_AT(outgoing_allow_cidrs),
            "Ranges that checks may reach besides the public internet; the addresses of clouds' credentials "
            "(169.254.0.0/16, fe80::/10, fd00:ec2::254) are open only to a range inside one of these three",
            0, 0, &ranges},
    setting{"outgoing_ca_file", SVC_AT(outgoing_ca_file),
            "PEM file with authorities that checks trust besides the system's", 0, 0, &a_file},

    setting{"cli.serve", SVC_AT(cli.serve), "Hand out the command-line client under /cli to everybody"},
    setting{"cli.directory", SVC_AT(cli.directory),
            "Directory with svc-linux-amd64 and svc-linux-arm64, read at the start; empty: ../lib/svcd/cli "
            "next to the program's directory",
            0, 0, &a_directory},

    setting{"dashboard.enabled", SVC_AT(dashboard.enabled), "Serve the dashboard's pages under /app"},
    setting{"dashboard.directory", SVC_AT(dashboard.directory),
            "Directory of pages, written by web/build.mjs, to serve instead of those in the program; for "
            "development",
            0, 0, &a_directory},

    setting{"admin.address", SVC_AT(admin.address),
            "Listener for /metrics, /livez and /readyz?verbose over plain HTTP; keep it private", 0, 0, &an_address},
    setting{"admin.hosts", SVC_AT(admin.hosts), "Host names for the admin pages, besides localhost and IP addresses",
            0, 0, &host_names},
    setting{"admin.connections", SVC_AT(admin.connections),
            "Connections to the admin pages; when all are in use, idle ones are closed", 1, 10'000},

    setting{"tls.cert_file", SVC_AT(tls.cert_file), "PEM file with the certificate, then its chain", 0, 0, &a_file},
    setting{"tls.key_file", SVC_AT(tls.key_file), "PEM file with the certificate's private key, unencrypted", 0, 0,
            &a_file},
    setting{"tls.ticket_keys_file", SVC_AT(tls.ticket_keys_file),
            "Lines of `openssl rand -hex 80` that only the owner can read: the first seals session tickets, "
            "all open them; empty: keys of this process",
            0, 0, &a_file},

    setting{"postgres.url", SVC_AT(postgres.url),
            "libpq URI or keyword string; if it lists several hosts, the primary is used unless it sets "
            "`target_session_attrs`"},
    setting{"postgres.migrate_url", SVC_AT(postgres.migrate_url),
            "Login of the tables' owner, for `svcd migrate` and `svcd admin drop-audit`; empty: postgres.url"},
    setting{"postgres.pool_per_worker", SVC_AT(postgres.pool_per_worker),
            "Maximum number of connections for each worker", 1, 1000},
    setting{"postgres.prepared_statements", SVC_AT(postgres.prepared_statements),
            "Set to false with PgBouncer older than 1.21"},
    setting{"postgres.connect_timeout", SVC_AT(postgres.connect_timeout),
            "Limit for one attempt to connect to one server", 10, hour},
    setting{"postgres.statement_timeout", SVC_AT(postgres.statement_timeout),
            "Limit that the server enforces for each statement", 10, hour},

    setting{"redis.url", SVC_AT(redis.url),
            "redis://[user[:password]@]host[:port][/db], rediss://... or unix:/path; only with mode single"},
    setting{"redis.mode", SVC_AT(redis.mode),
            "single: redis.url; sentinel: the server that redis.sentinels name; cluster: redis.nodes", 0, 0,
            &a_redis_mode},
    setting{"redis.username", SVC_AT(redis.username), "Replaces the user name in the URL"},
    setting{"redis.password", SVC_AT(redis.password), "Replaces the password in the URL"},
    setting{"redis.tls", SVC_AT(redis.tls), "Use TLS, as rediss:// does"},
    setting{"redis.tls_ca_file", SVC_AT(redis.tls_ca_file),
            "PEM file with the authorities to trust; empty: the system's", 0, 0, &a_file},
    setting{
        "redis.deadline", SVC_AT(redis.deadline),
        "Limit for one command; rate limits wait for a late reply until Redis has been silent for five times this", 1,
        hour},
    setting{"redis.connect_timeout", SVC_AT(redis.connect_timeout), "Limit for one attempt to connect", 10, hour},
    setting{"redis.output_url", SVC_AT(redis.output_url),
            "Redis server for the output of runs, with its own user and password; empty: redis.url"},
    setting{"redis.output_deadline", SVC_AT(redis.output_deadline),
            "Limit for one command to that server, at least redis.deadline", 1, hour},
    setting{"redis.sentinels", SVC_AT(redis.sentinels), "Sentinels that name the server; they are asked in turn", 0,
            0, &sentinel_addresses},
    setting{"redis.sentinel_master", SVC_AT(redis.sentinel_master),
            "Name of the primary in the sentinels' monitor line", 0, 0, &a_master_name},
    setting{"redis.sentinel_username", SVC_AT(redis.sentinel_username), "User name for the sentinels"},
    setting{"redis.sentinel_password", SVC_AT(redis.sentinel_password), "Password for the sentinels"},
    setting{"redis.sentinel_tls", SVC_AT(redis.sentinel_tls),
            "Use TLS to the sentinels; redis.tls_ca_file is for both"},
    setting{"redis.sentinel_deadline", SVC_AT(redis.sentinel_deadline),
            "Limit for asking one sentinel, with connection and TLS", 10, hour},
    setting{"redis.nodes", SVC_AT(redis.nodes),
            "Some nodes of the Redis Cluster; the first that answers names all others", 0, 0, &node_addresses},

    SVC_LIMIT(cli, "a user, over all of the user's tokens"),
    SVC_LIMIT(trigger_default, "a trigger key without a limit of its own"),
    reloaded(
        {"limits.trigger_most", SVC_AT(limits.trigger_most),
         "Maximum of a trigger key's own limit, in requests a minute; it also applies to keys with a larger limit", 1,
         most_admissions}),
    SVC_LIMIT(project, "a project, over all of its trigger keys"),
    SVC_LIMIT(runner, "a runner token"),
    SVC_LIMIT(claim, "a runner token, for claims and registrations; they count in limits.runner too"),
    SVC_LIMIT(anonymous, "a client address without a credential"),
    SVC_LIMIT(feed, "a client address, for feeds and OpenAPI documents"),
    SVC_LIMIT(download, "a client address, for the files of the command-line client"),
    SVC_LIMIT(health, "a client address, for /api/health"),
    SVC_LIMIT(heartbeat, "a heartbeat's key"),
    SVC_LIMIT(probe, "a user, for operations that check or try something outside; they count in limits.cli too"),
    SVC_LIMIT(refused, "a stored token that is refused"),
    SVC_LIMIT(session, "a user, over all of the user's sessions"),
    SVC_LIMIT(sign_in, "a client address, to the routes of the dashboard that need no session"),
    SVC_LIMIT(sign_in_account,
              "all browsers together that never signed in to an account, and from each other browser, to try its "
              "password"),
    SVC_LIMIT(recovery, "anybody, for a recovery mail to one address"),
    SVC_LIMIT(invitations, "an organization, to create or renew invitations"),
    SVC_LIMIT(page, "a client address, for public status pages, counted in each worker"),

    setting{"quotas.variables", SVC_AT(quotas.variables), "Variables in a project; 0: no limit", 0, most_kept},
    setting{"quotas.variable_bytes", SVC_AT(quotas.variable_bytes),
            "Total size of the values of a project's variables; 0: no limit", 0, most_kept_bytes},
    setting{"quotas.tests", SVC_AT(quotas.tests), "Tests in a project; 0: no limit", 0, most_kept},
    setting{"quotas.script_bytes", SVC_AT(quotas.script_bytes),
            "Total size of the scripts of a project's tests; 0: no limit", 0, most_kept_bytes},
    setting{"quotas.jobs", SVC_AT(quotas.jobs), "Jobs in a project, not counting deleted ones; 0: no limit", 0,
            most_kept},
    setting{"quotas.notification_providers", SVC_AT(quotas.providers),
            "Notification providers in a project; 0: no limit", 0, most_kept},
    setting{"quotas.queued_runs", SVC_AT(quotas.queued_runs),
            "Queued runs in a project; each instance may exceed it by one batch of 64 runs; 0: no limit", 0,
            most_kept},
    setting{"quotas.output_bytes", SVC_AT(quotas.output_bytes),
            "Stored output of a project, compressed; the oldest is dropped first; 0: no limit", 0,
            1'000'000'000'000'000},
    setting{"quotas.members", SVC_AT(quotas.members), "Members of an organization; 0: no limit", 0, most_kept},
    setting{"quotas.projects", SVC_AT(quotas.projects),
            "Projects of an organization, with archived ones; 0: no limit", 0, most_kept},
    setting{"quotas.page_bytes", SVC_AT(quotas.page_bytes),
            "Total size of the posts of a project's status pages; 0: no limit", 0, most_kept_bytes},
    setting{"monitors.per_project", SVC_AT(quotas.monitors),
            "Monitors in a project, not counting deleted ones; 0: no limit", 0, most_kept},
    setting{"pages.per_project", SVC_AT(quotas.status_pages), "Status pages in a project; 0: no limit", 0, most_kept},
    setting{"pages.subscribers", SVC_AT(pages.subscribers),
            "Subscribers of a status page, and as many addresses that have not confirmed yet", 1, 100'000},
    setting{"pages.copies", SVC_AT(pages.copies),
            "Status pages whose newest copies Redis keeps, for instances without PostgreSQL; up to 64 KiB each", 1,
            100'000},
    setting{"pages.memory", SVC_AT(pages.memory),
            "Bytes of one worker for rendered status pages, and the same again for the data behind them", 4'194'304,
            1'000'000'000'000},
    setting{"pages.confirmations_per_hour", SVC_AT(pages.confirmations_per_hour),
            "Mails that ask an address to confirm its subscription to a status page, over all instances; a project "
            "gets half",
            1, most_kept},
    setting{"sessions.idle", SVC_AT(sessions.idle), "Time without activity after which a session ends", second,
            90 * day},
    setting{"sessions.absolute", SVC_AT(sessions.absolute), "Longest lifetime of a session", second, 90 * day},
    setting{"sessions.fresh", SVC_AT(sessions.fresh), "Age up to which a sign-in allows sensitive changes", second,
            day},
    setting{"passwords.enabled", SVC_AT(passwords.enabled), "Let people sign in with passwords"},
    setting{"passwords.min_length", SVC_AT(passwords.rules.min_length),
            "Minimum number of characters of a new password", 8, 64},
    setting{"passwords.memory_kib", SVC_AT(passwords.hashing.memory_kib),
            "Memory of one hash (argon2id) in KiB; stored hashes are renewed with the next sign-in", 8192, 1'048'576},
    setting{"passwords.iterations", SVC_AT(passwords.hashing.iterations), "Passes of one hash over its memory", 1,
            20},
    setting{"passwords.threads", SVC_AT(passwords.hashing.threads),
            "Threads that hash passwords, at nice 10; each takes passwords.memory_kib", 1, 64},
    setting{"passwords.denied_file", SVC_AT(passwords.denied_file),
            "Sorted lines of SHA-1 in hexadecimal, with or without :COUNT, of passwords that nobody may set; "
            "empty: none",
            0, 0, &a_file},

    reloaded({"log.level", SVC_AT(log.level), "Lowest level that is written", 0, 0, &forms::log_level}),

    setting{"auth.unseen_reads", SVC_AT(auth.unseen_reads),
            "Database statements a second for tokens that were never seen valid, each for at most 500 tokens", 1,
            1'000'000},
    setting{"auth.seen_reads", SVC_AT(auth.seen_reads), "The same for tokens that were seen valid before", 1,
            1'000'000},

    setting{"output.lines", SVC_AT(output.limits.lines), "Lines kept from the output of one run", 1, 1'000'000},
    setting{"output.bytes", SVC_AT(output.limits.bytes), "Bytes kept from the output of one run", 1, 64'000'000},
    setting{"output.heartbeat", SVC_AT(output.heartbeat),
            "Interval of heartbeats on a stream; the stream of a token that is no longer valid ends at the next "
            "heartbeat at the latest",
            100, hour},
    setting{
        "output.memory_share", SVC_AT(output.memory_share),
        "Memory for the output of all runs that PostgreSQL does not have yet, in percent of its Redis's maxmemory", 1,
        90},
    setting{"output.memory", SVC_AT(output.memory),
            "The same in bytes, if that Redis has no maxmemory or does not report it", 1'000'000, 1'000'000'000'000},

    setting{"runners.lease", SVC_AT(runners.lease),
            "Time without a heartbeat after which a runner loses a claimed run", second, hour, nullptr,
            "executors.lease"},
    setting{"runners.first_lease", SVC_AT(runners.first_lease),
            "The same before the first heartbeat of a claim, if shorter; 0s: no separate limit", 0, hour, nullptr,
            "executors.first_lease"},
    setting{"runners.retries", SVC_AT(runners.retries), "Further attempts for a run whose runner was lost", 0, 100,
            nullptr, "executors.retries"},
    setting{"runners.max_per_project", SVC_AT(runners.max_per_project),
            "Slots that one project may use on a runner that several projects share; 0: all", 0, 1000, nullptr,
            "executors.max_per_project"},

    setting{"retention.interval", SVC_AT(retention.interval), "Interval between searches for data to delete", 100,
            hour},
    setting{"retention.runs_age", SVC_AT(retention.runs_age), "Age at which ended runs are deleted; 0s: never", 0,
            87'600 * hour},
    setting{"retention.runs_per_job", SVC_AT(retention.runs_per_job),
            "Newest runs kept for each job, and for the single tests of each project; 0: all are kept", 0,
            1'000'000'000},

    setting{"retention.trigger_audits", SVC_AT(retention.trigger_audits),
            "Age at which the audit entries of triggered jobs and executed tests are deleted, at least 24h; "
            "0s: never. All other entries stay",
            0, longest_kept},

    setting{"retention.results", SVC_AT(retention.results), "Retention of single results of checks, in whole days",
            day, 35 * day},
    setting{"retention.days", SVC_AT(retention.days), "Retention of a monitor's daily sums", day, longest_kept},
    setting{
        "retention.failures", SVC_AT(retention.failures),
        "Retention of the details of failed checks; at most 10 000 per project, or 100 per monitor if that is more",
        day, longest_kept},
    setting{"retention.outages", SVC_AT(retention.outages), "Retention of outages after their end", day,
            longest_kept},
    setting{"retention.deleted_monitors", SVC_AT(retention.deleted_monitors),
            "Time for which a deleted monitor can be restored", day, longest_kept},

    setting{"retention.alerts", SVC_AT(retention.alerts),
            "Retention of alerts; those about a certificate also stay until 30 days after the certificate's end, "
            "but for that reason at most 400 days",
            day, longest_kept},

    setting{"notifications.link", SVC_AT(notifications.link),
            "Link of each message, with {type} (monitor, job, provider, status_page) and {id} replaced; "
            "empty: the page in the dashboard, if it is served and public_url is set",
            0, 0, &a_link},
    setting{"notifications.mail_recipients", SVC_AT(notifications.mail_recipients),
            "Allowed recipients of mail: members (of the project's organization, at the address of their "
            "account), a domain, or all below one; empty: everybody",
            0, 0, &mail_recipients},
    setting{"notifications.mails_per_day", SVC_AT(notifications.mails_per_day),
            "Mails of a project per UTC day, over all instances, counted for each recipient; 0: no limit", 0,
            most_kept},
    setting{"notifications.mails_per_address", SVC_AT(notifications.mails_per_address),
            "Mails to an address per hour, from all projects and instances; a project may use half of what "
            "others have left; 0: no limit",
            0, most_kept},
    setting{"smtp.url", SVC_AT(smtp.url),
            "Mail server for alerts and links to people; default ports 587 (smtp) and 465 (smtps); empty: no "
            "mail is sent",
            0, 0, &a_mail_url},
    setting{"smtp.username", SVC_AT(smtp.username), "User name for the mail server; empty: no login"},
    setting{"smtp.password", SVC_AT(smtp.password), "Password for the mail server"},
    setting{"smtp.from", SVC_AT(smtp.sender), "Sender of mails", 0, 0, &a_sender},
    setting{"smtp.tls", SVC_AT(smtp.tls),
            "STARTTLS with smtp://; empty: required unless the server is on this machine", 0, 0, &a_mail_tls},
    setting{"smtp.ca_file", SVC_AT(smtp.ca_file),
            "PEM file with authorities to trust for the mail server besides the system's", 0, 0, &a_file},
    setting{"smtp.per_second", SVC_AT(smtp.per_second),
            "Mails that an instance sends per second, counted for each recipient: the service's first, then "
            "alerts, then mails of status pages; projects take turns",
            1, 10'000, nullptr, "notifications.mails_per_second"},

    setting{"checks.workers", SVC_AT(checks.workers), "Threads that check monitors; 0: this instance checks nothing",
            0, 64},
    setting{
        "checks.in_flight", SVC_AT(checks.in_flight),
        "Checks in progress in one of these threads; a check that cannot start within half its interval is skipped",
        1, 100'000},
    setting{"checks.per_target_per_minute", SVC_AT(checks.per_target_per_minute),
            "Connections a minute of a project's checks to one address and port, from one of these threads; "
            "further ones wait or are skipped",
            1, 1'000'000},
    setting{"checks.min_interval", SVC_AT(checks.min_interval),
            "Minimum interval of a monitor; existing shorter intervals stay", 10 * second, hour},
    setting{"checks.resolvers", SVC_AT(checks.resolvers), "DNS servers for checks; empty: those of /etc/resolv.conf",
            0, 0, &nameservers},
    setting{"checks.canaries", SVC_AT(checks.connectivity_probes),
            "TCP ports that answer whenever this location reaches the internet: a failed check counts only "
            "if one answers after it; empty: every failure counts",
            0, 0, &connectivity_probes},
    setting{"checks.user_agent", SVC_AT(checks.user_agent), "User-Agent of checks", 0, 0, &a_user_agent},
};

#undef SVC_LIMIT
#undef SVC_AT

consteval auto all_sections() {
  std::array<setting, first_sections.size() + http_keys.size()> out{};
  std::ranges::copy(http_keys, std::ranges::copy(first_sections, out.begin()).out);
  return out;
}
constexpr auto table = all_sections();

}  // namespace

settings_table const& configuration_keys() {
  static constexpr settings_table all{.prefix = "SVC_", .all = table, .listing = "svcd print-config --comments"};
  return all;
}

}  // namespace svc::app
