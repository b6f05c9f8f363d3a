#include "app/process/descriptors.hpp"

#include "svc/core/log.hpp"
#include "svc/monitoring/notifications/provider_tests.hpp"
#include "svc/monitoring/scheduler/check_tests.hpp"
#include "svc/sign_in/oidc/oidc_client.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace svc::app {
namespace {

/// The descriptors of the process: listeners, event queues, files that it reads again, an accepted connection that no
/// worker has room for.
constexpr std::size_t of_process = 64;
/// The descriptors of a worker: Redis, the ends of pipes, event queues.
constexpr std::size_t of_worker = 8;

/// The descriptors of the delivery: attempts at messages, each with a connection and a resolver of its address.
constexpr std::size_t of_delivery = 2 * (64 + notifications::provider_tests::most) + of_worker + pool_of_delivery;

/// The descriptors of requests to identity providers, which run on the thread of the delivery.
std::size_t of_sign_in(configuration const& config) {
  return config.sign_in.oidc.empty() ? 0 : 2 * sign_in::oidc_client::most_requests;
}

/// The sockets with which a worker asks each name server about the domains of status pages: UDP and TCP.
std::size_t of_names(configuration const& config) {
  // `egress::system_nameservers` returns at most three.
  constexpr std::size_t most_of_system = 3;
  return 2 * (config.checks.resolvers.empty() ? most_of_system : config.checks.resolvers.size());
}

/// The needs of clients have priority.
constexpr std::size_t share_of_checks = 4;

std::size_t check_workers_of(configuration const& config) {
  return static_cast<std::size_t>(std::max(1, config.checks.workers));
}

/// Returns one for each served contract: clients of different contracts share no table of connections.
std::size_t tables_of(configuration const& config) {
  bool const internal = std::ranges::any_of(
      config.listeners, [](auto const& each) { return each.kind == listener_kind::internal_api; });
  return static_cast<std::size_t>(config.worker_count()) * (internal ? 2 : 1);
}

/// Returns the descriptors for everything but connections of clients, if each check worker has that many checks in
/// progress.
std::size_t descriptors_of_others(configuration const& config, std::size_t checks) {
  return of_process + of_delivery + of_sign_in(config) + config.admin.connections +
         static_cast<std::size_t>(config.worker_count()) *
             (of_worker + of_names(config) + static_cast<std::size_t>(config.postgres.pool_per_worker)) +
         static_cast<std::size_t>(config.checks.workers) *
             (of_worker + pool_of_checks + scheduler::check_tests::most + checks);
}

/// Logs each number of the configuration that does not fit.
void warn_about_limit(configuration const& config, std::size_t limit) {
  for (auto const& each : numbers_beyond(config, limit))
    log::warn("the limit of open files is too low for " + std::string(each.key),
              {{"configured", each.configured},
               {"fitting", each.fitting},
               {"limit", limit},
               {"enough", descriptors_enough(config)},
               {"action", "set LimitNOFILE in the unit, or ulimit -n, to what is enough"}});
}

}  // namespace

std::vector<reduced_number> numbers_beyond(configuration const& config, std::size_t descriptors) {
  std::vector<reduced_number> out;
  auto const add = [&out](std::string_view key, std::size_t configured, std::size_t fitting) {
    if (fitting < configured) out.push_back({key, configured, fitting});
  };
  add("http.connections", config.http.session.connections, settings_within(config, descriptors).connections);
  if (config.checks.workers > 0)
    add("checks.in_flight", static_cast<std::size_t>(config.checks.in_flight), checks_within(config, descriptors));
  return out;
}

std::size_t descriptors_enough(configuration const& config) {
  auto const checks = static_cast<std::size_t>(config.checks.in_flight);
  auto const for_checks = config.checks.workers == 0 ? 0 : share_of_checks * check_workers_of(config) * checks;
  auto const& clients = config.http.session;
  return std::max(for_checks, descriptors_of_others(config, checks) +
                                  tables_of(config) * (clients.connections + clients.reserved_connections));
}

std::size_t descriptors_needed(configuration const& config) {
  // The minimum has room for one check at a time. A larger limit also leaves room for more checks.
  return descriptors_of_others(config, 1) + tables_of(config) * 2 * config.http.session.reserved_connections;
}

std::size_t checks_within(configuration const& config, std::size_t descriptors) {
  return std::clamp<std::size_t>(descriptors / share_of_checks / check_workers_of(config), 1,
                                 static_cast<std::size_t>(config.checks.in_flight));
}

net::session_settings settings_within(configuration const& config, std::size_t descriptors) {
  auto made = config.to_session_settings();
  auto const others = descriptors_of_others(config, checks_within(config, descriptors));
  auto const each = (descriptors - std::min(descriptors, others)) / tables_of(config);
  auto const room = each - std::min(each, made.reserved_connections);
  made.connections = std::clamp<std::size_t>(room, 1, made.connections);
  return made;
}

std::size_t raise_descriptor_limit() {
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return 1024;
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
  ::getrlimit(RLIMIT_NOFILE, &files);
  return static_cast<std::size_t>(files.rlim_cur);
}

std::size_t claim_descriptors(configuration const& config) {
  auto const limit = raise_descriptor_limit();
  auto const needed = descriptors_needed(config);
  if (limit >= needed) {
    warn_about_limit(config, limit);
    return limit;
  }
  throw std::runtime_error("the limit of open files is " + std::to_string(limit) + ", but at least " +
                           std::to_string(needed) + " are needed and " + std::to_string(descriptors_enough(config)) +
                           " are enough: set LimitNOFILE in the unit, or ulimit -n");
}

}  // namespace svc::app
