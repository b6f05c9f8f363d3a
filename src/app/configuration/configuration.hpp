#pragma once

#include "svc/access/authenticator.hpp"
#include "svc/api/response_account.hpp"
#include "svc/api/services.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/log.hpp"
#include "svc/core/secret.hpp"
#include "svc/core/settings_table.hpp"
#include "svc/domain/limit.hpp"
#include "svc/domain/quota.hpp"
#include "svc/domain/session.hpp"
#include "svc/egress/address_policy.hpp"
#include "svc/egress/mail/mail_client.hpp"
#include "svc/http/body_budget.hpp"
#include "svc/http/client_address.hpp"
#include "svc/live/output/output_writer.hpp"
#include "svc/live/output/run_streams.hpp"
#include "svc/monitoring/checks/engine.hpp"
#include "svc/net/session_settings.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/redis/client.hpp"
#include "svc/redis/primary_locator.hpp"
#include "svc/sign_in/oidc/settings.hpp"
#include "svc/sign_in/password_hasher.hpp"
#include "svc/sign_in/password_policy.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace svc::app {

/// The contract that a listener serves.
enum class listener_kind : std::uint8_t { public_api, internal_api };

/// One `[[listeners]]` table.
struct listener_settings {
  std::string address = "127.0.0.1:8443";  ///< `ADDRESS:PORT`, `[IPv6]:PORT` (port 0 takes a free one), `unix:/PATH`
  bool tls = true;                         ///< false: plain, for a proxy that terminates TLS
  bool proxy_protocol = false;             ///< each connection starts with a PROXY header from a trusted peer
  listener_kind kind = listener_kind::public_api;
  unsigned unix_mode = 0660;  ///< of a Unix socket's path

  friend bool operator==(listener_settings const&, listener_settings const&) = default;
};

/// One `[[sign_in.oidc]]` table.
struct oidc_table {
  sign_in::oidc_provider provider{};  ///< without its secret
  std::string client_secret_file{};
  std::string email_verified = "required";
};

/// The number of connections to PostgreSQL: of a check worker, of the thread that packs the results of all check
/// workers, and of the thread that delivers alerts.
inline constexpr int pool_of_checks = 2, pool_of_packing = 2, pool_of_delivery = 4;

/// The settings that the operator may choose, with their defaults. `a.b` in the file is SVC_A_B in the environment;
/// the table in src/app/configuration/keys.cpp names the key of each member. Immutable after loading, shared by all
/// workers.
struct configuration {
  std::string file{};  ///< path of the file that these values were read from; empty: none. It has no key
  std::vector<listener_settings> listeners{listener_settings{}};
  std::string public_url{};                    ///< without a trailing slash; empty: the first public listener's
  std::vector<std::string> cors_origins{};     ///< origins whose pages may read answers
  std::vector<std::string> trusted_proxies{};  ///< address ranges
  std::string client_address_header = "x-forwarded-for";
  struct {
    bool serve = true;
    std::string directory{};  ///< empty: `client_directory` finds it
  } cli{};
  struct {
    bool enabled = true;
    std::string directory{};  ///< empty: the embedded pages
  } dashboard{};
  struct {
    std::string address = "127.0.0.1:9464";
    std::vector<std::string> hosts{};  ///< names in `Host` in addition to IP literals and localhost
    std::size_t connections = 64;
  } admin{};
  struct {
    std::string cert_file{};         ///< PEM; the certificate first, then its chain
    std::string key_file{};          ///< PEM, unencrypted
    std::string ticket_keys_file{};  ///< empty: random keys of this process
  } tls{};
  struct {
    secret_string url{};
    secret_string migrate_url{};  ///< the tables' owner, never for serving; empty: `url`
    int pool_per_worker = 8;
    bool prepared_statements = true;
    milliseconds connect_timeout{2000};
    milliseconds statement_timeout{5000};
  } postgres{};
  struct {
    secret_string url{};
    std::string mode = "single";
    std::string username{};    ///< replaces the URL's when set
    secret_string password{};  ///< replaces the URL's when set
    bool tls = false;          ///< like `rediss://`
    std::string tls_ca_file{};
    milliseconds deadline{50};  ///< of one command
    milliseconds connect_timeout{2000};
    secret_string output_url{};            ///< of the Redis that holds live output; empty: `url`
    milliseconds output_deadline{2000};    ///< of one command there
    std::vector<std::string> sentinels{};  ///< `HOST:PORT`; of mode sentinel, like all below
    std::string sentinel_master{};         ///< the primary's name there
    std::string sentinel_username{};
    secret_string sentinel_password{};
    bool sentinel_tls = false;
    milliseconds sentinel_deadline{1000};  ///< of one question to one sentinel
    std::vector<std::string> nodes{};      ///< `HOST:PORT`; of mode cluster
  } redis{};
  limit_table limits{};
  quota_table quotas{};
  std::string master_key_file{};
  int instances = 1;
  int workers = 0;  ///< 0: one for each core this process may use
  milliseconds drain_delay{0};
  milliseconds drain_timeout{30'000};
  struct {
    milliseconds idle = std::chrono::hours(12);       ///< since the last activity
    milliseconds absolute = std::chrono::hours(168);  ///< since the sign-in
    milliseconds fresh = std::chrono::minutes(15);    ///< since the sign-in, for operations with `x-fresh`
  } sessions{};
  struct {
    bool enabled = true;
    sign_in::password_rules rules{};
    sign_in::password_hash_settings hashing{};
    std::string denied_file{};  ///< `sign_in::denied_passwords`; empty: none
  } passwords{};
  struct {
    std::string level = "info";
  } log{};
  struct {
    int unseen_reads = 50;  ///< PostgreSQL statements per second for tokens never seen valid
    int seen_reads = 2000;  ///< the same for tokens seen valid before
  } auth{};
  struct {
    output::output_limits limits{};
    milliseconds heartbeat{15'000};    ///< of a stream
    int memory_share = 50;             ///< percent of its Redis's `maxmemory` for all live output
    std::size_t memory = 268'435'456;  ///< bytes, where Redis has no `maxmemory` or does not report it
  } output{};
  struct {
    milliseconds lease{30'000};   ///< of a claim, without a heartbeat
    milliseconds first_lease{0};  ///< until a claim's first heartbeat; 0: `lease`
    int retries = 1;              ///< of a run whose runner was lost
    int max_per_project = 0;      ///< slots of a runner that several projects share; 0: all
  } runners{};
  struct {
    milliseconds interval{60'000};
    milliseconds runs_age = std::chrono::hours(90 * 24);         ///< since a run's end; 0: no limit
    int runs_per_job = 100'000;                                  ///< 0: any number
    milliseconds trigger_audits = std::chrono::hours(400 * 24);  ///< audit entries of triggers; 0: no limit
    milliseconds results = std::chrono::hours(14 * 24);          ///< single results of checks
    milliseconds days = std::chrono::hours(800 * 24);            ///< daily sums of the results
    milliseconds failures = std::chrono::hours(90 * 24);         ///< details of failed checks, in full
    milliseconds outages = std::chrono::hours(800 * 24);         ///< since their end
    milliseconds deleted_monitors = std::chrono::hours(30 * 24);
    milliseconds alerts = std::chrono::hours(400 * 24);
  } retention{};
  struct {
    std::string link{};                          ///< a URL with `{type}` and `{id}`; empty: messages have no link
    std::vector<std::string> mail_recipients{};  ///< `notifications::recipient_policy`; empty: every address
    int mails_per_day = 2000;                    ///< of a project; 0: any number
    int mails_per_address = 120;                 ///< per hour, of all projects; 0: any number
  } notifications{};
  struct {
    std::string url{};  ///< smtp:// or smtps://; empty: no mail is sent
    std::string username{};
    secret_string password{};
    std::string sender{};
    std::string tls{};      ///< required, opportunistic, off; empty: required unless the server is on this machine
    std::string ca_file{};  ///< PEM; authorities in addition to the system's
    int per_second = 10;    ///< mails of an instance
  } smtp{};
  struct {
    std::vector<oidc_table> oidc{};
    std::vector<sign_in::group_mapping> groups{};
  } sign_in{};
  struct {
    int subscribers = 2000;                   ///< active ones of a page, and as many that wait for a confirmation
    int copies = 2000;                        ///< pages whose snapshots Redis keeps
    std::size_t memory = 16UL * 1024 * 1024;  ///< of a worker, for rendered pages; as much for snapshots
    int confirmations_per_hour = 600;         ///< mails, of all instances
  } pages{};
  std::vector<std::string> outgoing_allow_cidrs{};  ///< ranges that users' addresses may be in, in addition to the
                                                    ///< public internet
  std::string outgoing_ca_file{};                   ///< PEM; authorities in addition to the system's
  struct {
    int workers = 1;                                 ///< threads; 0: this instance checks nothing
    int in_flight = 2000;                            ///< concurrent checks of one worker
    int per_target_per_minute = 600;                 ///< of one project, to one address and port
    std::vector<std::string> resolvers{};            ///< `ADDRESS[:PORT]`; empty: the system's resolvers
    std::vector<std::string> connectivity_probes{};  ///< `HOST:PORT`
    std::string user_agent = "svcd";
    milliseconds min_interval{30'000};  ///< for new settings of monitors
  } checks{};
  struct {
    net::session_settings session{};
    output::stream_limits streams{};
    milliseconds deadline{2000};      ///< of a request, from its complete head and body
    std::size_t in_flight = 1000;     ///< requests of one worker; more get 503
    std::size_t outside_waits = 256;  ///< of one worker: requests that wait for checks and providers
    milliseconds queue_time{100};     ///< the wait for a turn or PostgreSQL from which some get 503; 0: any
    http::body_bytes bodies{};
    api::response_bytes responses{};
    std::size_t json_values = 50'000;  ///< of one document
  } http{};

  /// Returns the first public listener, whose address identifies the service, or null when none is public.
  listener_settings const* first_public() const;
  bool any_tls() const;
  /// The resolved value of `workers`.
  int worker_count() const;
  log::level log_level() const;
  postgres::settings to_postgres_settings() const;
  api::monitor_rules to_monitor_rules() const;
  /// Returns the settings with which checks reach their targets, the same for all workers. Throws
  /// `std::runtime_error` with the name of a file of authorities that is not usable.
  checks::engine_settings to_engine_settings() const;
  egress::resolver_settings to_resolver_settings() const;
  /// Returns the policy of messages over plain HTTP: only the ranges of `outgoing_allow_cidrs`.
  std::shared_ptr<egress::address_policy const> to_http_address_policy() const;
  /// Returns `std::nullopt` without `smtp.url`.
  std::optional<egress::mail_settings> to_mail_settings() const;
  /// Throws as `to_engine_settings` does.
  std::shared_ptr<egress::trust_store const> to_mail_trust() const;
  /// Reads the secrets of the identity providers. Throws `std::runtime_error` with the name of a file that cannot be
  /// used.
  std::shared_ptr<svc::sign_in::oidc_settings const> to_oidc_settings() const;
  bool uses_sentinel() const { return redis.mode == "sentinel"; }
  bool uses_cluster() const { return redis.mode == "cluster"; }
  /// Returns settings without the server if sentinels are configured: `redis_servers` adds the object that finds the
  /// server.
  redis::settings to_redis_settings() const;
  /// Returns the settings for live output: a separate connection, perhaps to a separate server.
  redis::settings to_output_redis_settings() const;
  redis::sentinel_settings to_sentinel_settings() const;
  net::session_settings const& to_session_settings() const { return http.session; }
  session_times to_session_times() const;
  /// Returns one worker's share of the rates of reads, which apply to the instance.
  access::read_rates to_read_rates() const;
  /// Returns the settings of the admin listener: it serves no API clients, so a few connections are enough.
  net::session_settings to_admin_session_settings() const;
  http::forwarding to_forwarding() const;
  /// The URL that a migration connects to.
  secret_string const& migration_url() const;
};

/// The use of the values, which decides which values must be set. `serving` needs all; `reloading` needs the same
/// without the contents of the TLS files; `administering` needs both stores; `migrating` needs only the database;
/// `showing` needs none.
enum class configuration_use : std::uint8_t { serving, reloading, administering, migrating, showing };

/// The sources of values; each source overrides those above it.
struct configuration_sources {
  std::optional<std::string> file{};                             ///< TOML
  std::vector<std::string> environment{};                        ///< `NAME=value`; only SVC_* is read
  std::vector<std::pair<std::string, std::string>> overrides{};  ///< key (or `listen`) and value: the command line
};

/// The merged values, and all problems with them. Use `values` only when `problems` is empty.
struct loaded_configuration {
  configuration values{};
  std::string file{};                   ///< the file that was read; empty: none
  std::vector<std::string> problems{};  ///< `PATH:LINE: KEY: REASON` or `VARIABLE: REASON`, never a secret's value
  std::vector<std::string> warnings{};  ///< settings that the next version will refuse, or that lack their effect
};

/// The file that is read, if it exists, when no other one is named.
inline constexpr char const* usual_configuration_file = "/etc/svcd/svcd.toml";
/// The help text of `--config` in each command.
inline constexpr char const* config_help =
    "TOML file, which SVC_* variables override; if not given, /etc/svcd/svcd.toml if it exists";

/// Reads and checks all sources; for serving also whether certificate, keys and URLs are usable. Never throws for bad
/// input.
loaded_configuration load_configuration(configuration_sources const& sources,
                                        configuration_use use = configuration_use::serving);

/// Reads the same sources again.
using configuration_reader = std::function<loaded_configuration(configuration_use)>;

/// Returns the SVC_* variables of this process, for `configuration_sources`. Call it only from the main thread.
std::vector<std::string> process_environment();

/// Returns TOML that `load_configuration` can read back, with secrets masked. With comments, it has each key's
/// purpose and range.
std::string print_configuration(configuration const& values, bool comments = false);

/// Returns true for `ADDRESS:PORT`, or `unix:` and an absolute path.
bool is_listener_address(std::string_view text);
/// The same rule in words.
std::string_view allowed_listener_address();

/// Returns true if a value of the file belongs to a `[[listeners]]` table.
bool is_listener_value(std::string_view name);
/// Stores one member, or reports which values are allowed.
void apply_listener(raw_value const& value, configuration& into, std::vector<std::string>& problems);
/// Checks the rules between listeners.
void check_listeners(configuration const& values, std::vector<std::string>& problems);
/// Writes the tables as TOML.
void print_listeners(configuration const& values, bool comments, std::string& out);

/// Returns true if a value of the file belongs to a `[[sign_in.oidc]]` or `[[sign_in.groups]]` table.
bool is_sign_in_value(std::string_view name);
/// Stores one member, or reports which values are allowed.
void apply_sign_in(raw_value const& value, configuration& into, std::vector<std::string>& problems);
/// Checks the rules between members and tables; for serving also the files with secrets.
void check_sign_in(configuration const& values, configuration_use use, std::vector<std::string>& problems);
/// Returns the tables as TOML; the same text for the same values.
std::string printed_sign_in(configuration const& values);

/// The keys of `svcd`. All code that reads, prints or explains the configuration uses this table; only the
/// `[[listeners]]` and `[[sign_in.*]]` tables are an exception (listeners.cpp, sign_in_tables.cpp).
settings_table const& configuration_keys();

/// Returns true for `ADDRESS:PORT` with an IP address (IPv6 in brackets).
bool is_address(std::string_view text);

}  // namespace svc::app
