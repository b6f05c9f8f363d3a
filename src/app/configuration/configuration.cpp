#include "app/configuration/configuration.hpp"

#include "svc/core/ip_address.hpp"
#include "svc/egress/trust.hpp"
#include "svc/monitoring/notifications/request.hpp"
#include "svc/net/listener.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

namespace svc::app {
namespace {

void describe(setting const& s, std::string& out) {
  auto const variable = configuration_keys().variable(s.name);
  out.append("# ").append(s.help).append(".\n");
  out.append("# ").append(s.allowed()).append("; ").append(variable);
  if (s.secret()) out.append(" or ").append(variable).append("_FILE");
  out.append("\n");
}

std::vector<cidr> opened_ranges(std::vector<std::string> const& texts) {
  std::vector<cidr> out;
  for (auto const& text : texts)
    if (auto const range = cidr::parse(text)) out.push_back(*range);
  return out;
}

/// Returns the file of the system's authorities; empty on a machine without the package ca-certificates, which can
/// then check only by `outgoing_ca_file`, or without TLS.
std::string system_authorities() {
  return ::access(egress::system_authorities, R_OK) == 0 ? egress::system_authorities : "";
}

std::vector<redis::address> addresses_in(std::vector<std::string> const& texts) {
  std::vector<redis::address> out;
  for (auto const& text : texts)
    if (auto address = redis::parse_address(text)) out.push_back(std::move(*address));
  return out;
}

}  // namespace

listener_settings const* configuration::first_public() const {
  auto const found = std::find_if(listeners.begin(), listeners.end(),
                                  [](auto const& each) { return each.kind == listener_kind::public_api; });
  return found == listeners.end() ? nullptr : &*found;
}

bool configuration::any_tls() const {
  return std::any_of(listeners.begin(), listeners.end(), [](auto const& each) { return each.tls; });
}

int configuration::worker_count() const {
  if (workers > 0) return workers;
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0) return std::max(1, CPU_COUNT(&allowed));
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

log::level configuration::log_level() const {
  auto out = log::level::info;
  log::parse_level(log.level, out);
  return out;
}

postgres::settings configuration::to_postgres_settings() const {
  return {.url = postgres.url,
          .size = postgres.pool_per_worker,
          .prepared_statements = postgres.prepared_statements,
          .connect_timeout = postgres.connect_timeout,
          .statement_timeout = postgres.statement_timeout,
          .lock_timeout = http.deadline};
}

session_times configuration::to_session_times() const {
  auto const whole = [](milliseconds time) { return std::chrono::ceil<std::chrono::seconds>(time); };
  return {.idle = whole(sessions.idle), .absolute = whole(sessions.absolute), .fresh = whole(sessions.fresh)};
}

access::read_rates configuration::to_read_rates() const {
  double const workers = worker_count();
  return {auth.unseen_reads / workers, auth.seen_reads / workers};
}

net::session_settings configuration::to_admin_session_settings() const {
  auto made = to_session_settings();
  made.connections = admin.connections;
  made.reserved_connections = 0;
  return made;
}

api::monitor_rules configuration::to_monitor_rules() const {
  return {.reachable = egress::address_policy(opened_ranges(outgoing_allow_cidrs)),
          .least_interval = std::chrono::ceil<std::chrono::seconds>(checks.min_interval),
          .recipients = notifications::recipient_policy(notifications.mail_recipients)};
}

egress::resolver_settings configuration::to_resolver_settings() const {
  egress::resolver_settings out;
  for (auto const& text : checks.resolvers)
    if (auto const address = egress::parse_nameserver(text)) out.servers.push_back(*address);
  return out;
}

checks::engine_settings configuration::to_engine_settings() const {
  checks::engine_settings out{
      .names = to_resolver_settings(),
      .policy = std::make_shared<egress::address_policy const>(opened_ranges(outgoing_allow_cidrs)),
      .trust = std::make_shared<egress::trust_store const>(
          std::initializer_list<std::string>{system_authorities(), outgoing_ca_file}),
      .user_agent = checks.user_agent};
  for (auto const& text : checks.connectivity_probes)
    if (auto connectivity_probe = checks::parse_connectivity_probe(text))
      out.connectivity_probes.push_back(std::move(*connectivity_probe));
  return out;
}

std::shared_ptr<egress::address_policy const> configuration::to_http_address_policy() const {
  return std::make_shared<egress::address_policy const>(
      egress::address_policy::of_opened_only(opened_ranges(outgoing_allow_cidrs)));
}

std::optional<egress::mail_settings> configuration::to_mail_settings() const {
  auto const server = egress::parse_mail_url(smtp.url);
  auto const source = notifications::address_of_sender(smtp.sender);
  if (smtp.url.empty() || !server || !source) return std::nullopt;
  using egress::mail_tls;
  auto const tls = smtp.tls == "off"             ? mail_tls::off
                   : smtp.tls == "opportunistic" ? mail_tls::opportunistic
                   : smtp.tls == "required"      ? mail_tls::required
                                                 : egress::usual_tls(*server);
  return egress::mail_settings{
      .server = *server, .username = smtp.username, .password = smtp.password, .sender = *source, .tls = tls};
}

std::shared_ptr<egress::trust_store const> configuration::to_mail_trust() const {
  return std::make_shared<egress::trust_store const>(
      std::initializer_list<std::string>{system_authorities(), outgoing_ca_file, smtp.ca_file});
}

redis::settings configuration::to_redis_settings() const {
  auto out = redis.mode == "single" ? redis::parse_url(redis.url.reveal()) : redis::settings{};
  if (uses_cluster()) out.cluster = addresses_in(redis.nodes);
  if (!redis.username.empty()) out.username = redis.username;
  if (!redis.password.empty()) out.password = redis.password;
  if (redis.tls) out.tls = true;
  out.tls_ca_file = redis.tls_ca_file;
  out.command_deadline = redis.deadline;
  // A connection counts as silent only after the commands on it could have been answered.
  out.silence_limit = std::max(out.silence_limit, redis.deadline);
  out.longest_wait = std::max(out.longest_wait, redis.deadline);
  out.connect_timeout = redis.connect_timeout;
  return out;
}

redis::settings configuration::to_output_redis_settings() const {
  auto out = to_redis_settings();
  if (!redis.output_url.empty()) {
    out = redis::parse_url(redis.output_url.reveal());
    out.tls_ca_file = redis.tls_ca_file;
    out.connect_timeout = redis.connect_timeout;
  }
  out.command_deadline = std::max(redis.deadline, redis.output_deadline);
  out.silence_limit = std::max(out.silence_limit, out.command_deadline);
  return out;
}

redis::sentinel_settings configuration::to_sentinel_settings() const {
  redis::sentinel_settings out{.master = redis.sentinel_master,
                               .username = redis.sentinel_username,
                               .password = redis.sentinel_password,
                               .tls = redis.sentinel_tls,
                               .tls_ca_file = redis.tls_ca_file,
                               .deadline = redis.sentinel_deadline};
  out.sentinels = addresses_in(redis.sentinels);
  return out;
}

http::forwarding configuration::to_forwarding() const {
  std::vector<cidr> ranges;
  for (auto const& text : trusted_proxies)
    if (auto const range = cidr::parse(text)) ranges.push_back(*range);
  return {client_address_header, [ranges = std::move(ranges)](std::string_view address) {
            // The mode of a Unix socket has already decided who can connect.
            if (address == net::unix_peer) return true;
            auto const source = ip_address::parse(address);
            return source &&
                   std::any_of(ranges.begin(), ranges.end(), [&](auto const& r) { return r.contains(*source); });
          }};
}

secret_string const& configuration::migration_url() const {
  return postgres.migrate_url.empty() ? postgres.url : postgres.migrate_url;
}

std::string print_configuration(configuration const& values, bool comments) {
  std::string out;
  std::string_view section;
  for (setting const& s : configuration_keys().all) {
    auto const its_section = section_of(s.name);
    if (its_section != section) out.append("\n[").append(its_section).append("]\n");
    section = its_section;
    if (comments) describe(s, out);
    auto const member = section.empty() ? s.name : s.name.substr(section.size() + 1);
    out.append(member).append(" = ").append(s.printed(&values)).append("\n");
  }
  print_listeners(values, comments, out);
  out += printed_sign_in(values);
  return out;
}

}  // namespace svc::app
