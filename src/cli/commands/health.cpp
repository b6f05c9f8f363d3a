#include "cli/commands/resource.hpp"
#include "cli/console/show.hpp"

#include <CLI/CLI.hpp>

namespace svc::cli {
namespace {

constexpr column health_columns[] = {{"Status", "status"},
                                     {"Version", "version"},
                                     {"Redis", "dependencies.redis"},
                                     {"PostgreSQL", "dependencies.postgres"}};

/// Throws `failure` after the answer was shown, so that the exit code is enough for a monitor.
exit_code show_health(context& cx) {
  auto const got =
      cx.client_without_check().send({.method = "GET", .target = "/api/health", .context = credential::none});
  show_answer(cx.console, got.body, health_columns, {}, "status");
  auto const health = object_of(got.body);
  auto const* const status = member_of(health, "status");
  if (status != nullptr && *status == "ok") return exit_code::ok;
  auto const* const postgres = member_of(health, "dependencies.postgres");
  bool const only_redis = postgres != nullptr && *postgres == "up";
  throw failure(exit_code::unreachable, "degraded",
                "The service is not healthy: " + cell_text(status, cell::text, false),
                only_redis ? "Redis is unreachable: nothing is refused, and each instance limits requests on its own."
                           : "PostgreSQL is unreachable: requests that need it are refused until it is back.");
}

}  // namespace

void add_health_command(CLI::App& root, context& cx) {
  add_command(root, cx, "health", "Show the service's health; exit code 4 unless it is healthy", "--json",
              [&cx] { return show_health(cx); });
}

}  // namespace svc::cli
