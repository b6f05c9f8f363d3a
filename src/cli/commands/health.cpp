#include "cli/commands/context.hpp"
#include "cli/console/show.hpp"

#include <CLI/CLI.hpp>

namespace svc::cli {
namespace {

constexpr column health_columns[] = {{"Status", "status"},
                                     {"Version", "version"},
                                     {"Redis", "dependencies.redis"},
                                     {"PostgreSQL", "dependencies.postgres"}};

}  // namespace

void add_health_command(CLI::App& root, context& cx) {
  auto* const health =
      root.add_subcommand("health", "Ask the service how it is")->footer("Example:\n  svc health --json");
  health->callback([&cx] {
    cx.action = [&cx] {
      auto const got =
          cx.client_without_check().fetch({.method = "GET", .target = "/api/health", .with = credential::none});
      show_object(cx.console, got.as_object(), health_columns);
      return exit_code::ok;
    };
  });
}

}  // namespace svc::cli
