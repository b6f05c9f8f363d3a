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

/// Asks whose the token is.
inline request const whoami_request{.method = "GET", .target = "/api/auth/whoami"};
/// For an answer to it that says nothing of a token.
failure not_whoami(settings const& settings);

/// What a command works with. Settings are loaded and the client is made when first asked for, so that help,
/// completion and version need neither. One for the program.
class context {
 public:
  global_options options;
  class console console;

  /// Loads them once; `load_settings` may throw.
  settings const& config();
  /// For commands that use the CLI token. If the settings name an organization or a project and there is a token,
  /// whoami is asked first (once a day for each token), and a token of another place ends the command with `failure`
  /// (usage). A trigger key alone cannot be asked about.
  class client& client();
  /// The same one without that question: for commands that need no token, and for those that find out about it.
  class client& client_without_check();

  /// What was just learned of the settings' token from whoami: is remembered, and its expiry told at the end.
  void learn(boost::json::value const& whoami);
  /// At the end of a command that used the token: warns if it expires soon. Asks the service at most once a day for
  /// each token, for two seconds at most, and says nothing when there is no answer.
  void tell_expiry();

  /// What the chosen command does; set by its callback, run by `run_program` after the whole line was parsed.
  std::function<exit_code()> action;

 private:
  void check_place();
  void ask_quickly();

  std::optional<settings> config_;
  std::optional<class client> client_;
  bool uses_token_ = false;
  std::optional<token_facts> learned_;
};

// Each adds its commands to the tree. They only declare; the work is done in `context::action`.
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
void add_outage_list(CLI::App& app, context& cx, char const* name);  // outages.cpp: what `monitor outages` is too
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
