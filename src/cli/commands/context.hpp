#pragma once

#include "cli/console/console.hpp"
#include "cli/console/failure.hpp"
#include "cli/http/client.hpp"
#include "cli/settings/project_check.hpp"
#include "cli/settings/settings.hpp"

#include <functional>
#include <optional>

namespace CLI {
class App;
}

namespace svc::cli {

/// The request for the owner of the token.
inline request const whoami_request{.method = "GET", .target = "/api/auth/whoami"};
/// Returns the failure for an answer to that request without facts about a token.
failure not_whoami(settings const& settings);

/// The objects that a command works with. The context loads settings and creates the client at their first use, so
/// that help, completion and version need neither. The program has one context.
class context {
 public:
  global_options options;
  class console console;

  /// Loads the settings once; `load_settings` may throw.
  settings const& config();
  /// Returns the client for commands that use the CLI token. If the settings name an organization or a project and
  /// there is a token, the context first asks whoami (once a day for each token). A token of another organization or
  /// project ends the command with `failure` (usage). The service cannot answer this question about a trigger key.
  class client& client();
  /// Returns the same client without that question: for commands that need no token, and for commands that check it
  /// themselves.
  class client& client_without_check();

  /// Remembers whoami's answer about the settings' token, and shows its expiry at the end.
  void learn(boost::json::value const& whoami);
  /// Warns at the end of a command that used the token if it expires soon. Asks the service at most once a day for
  /// each token, for two seconds at most, and prints nothing when there is no answer.
  void warn_of_expiry();

  /// The action of the chosen command. The command's callback sets it, and `run_program` runs it after parsing the
  /// whole line.
  std::function<exit_code()> action;

 private:
  void check_position();
  void ask_quickly();

  std::optional<settings> config_;
  std::optional<class client> client_;
  bool uses_token_ = false;
  std::optional<token_facts> learned_;
};

// Each function adds its commands to the tree. The functions only declare; `context::action` does the work.
void add_job_commands(CLI::App& root, context& cx);         // jobs.cpp: list get create update delete; keys; trigger
void add_trigger_command(CLI::App& job, context& cx);       // trigger.cpp
void add_trigger_key_commands(CLI::App& job, context& cx);  // trigger_keys.cpp
void add_run_commands(CLI::App& root, context& cx);         // runs.cpp: list get status cancel rerun delete
void add_run_output(CLI::App& run, context& cx);            // run_output.cpp
void add_run_watching(CLI::App& run, context& cx);          // run_watching.cpp: watch stream
void add_test_commands(CLI::App& root, context& cx);
void add_variable_commands(CLI::App& root, context& cx);
void add_tag_commands(CLI::App& root, context& cx);
void add_monitor_commands(CLI::App& root, context& cx);         // monitors.cpp: list get create update delete; ...
void add_monitor_check_commands(CLI::App& app, context& cx);    // monitor_checks.cpp: check test rotate-key
void add_monitor_history_commands(CLI::App& app, context& cx);  // monitor_history.cpp: results stats
void add_monitor_maintenance(CLI::App& monitor, context& cx);   // windows.cpp
void add_window_commands(CLI::App& root, context& cx);          // windows.cpp: list get create update end delete; ...
void add_page_commands(CLI::App& root, context& cx);      // status_pages.cpp: list get create update delete; ...
void add_incident_commands(CLI::App& root, context& cx);  // incidents.cpp: list get create update post; ...
void add_outage_list(CLI::App& app, context& cx, char const* name);  // outages.cpp: also `monitor outages`
void add_outage_commands(CLI::App& root, context& cx);               // outages.cpp: list ack
void add_alert_commands(CLI::App& root, context& cx);
void add_provider_commands(CLI::App& root, context& cx);
void add_token_commands(CLI::App& root, context& cx);  // tokens.cpp
void add_audit_command(CLI::App& root, context& cx);
void add_usage_command(CLI::App& root, context& cx);
void add_api_command(CLI::App& root, context& cx);  // api.cpp
void add_health_command(CLI::App& root, context& cx);
void add_version_command(CLI::App& root, context& cx);
void add_update_command(CLI::App& root, context& cx);
void add_login_commands(CLI::App& root, context& cx);      // login.cpp: login, logout, whoami
void add_doctor_command(CLI::App& root, context& cx);      // doctor.cpp
void add_completion_command(CLI::App& root, context& cx);  // completion.cpp
void add_manual_command(CLI::App& root, context& cx);      // manual.cpp; hidden

}  // namespace svc::cli
