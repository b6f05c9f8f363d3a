// Tests the output of every command with --json against the schemas of the contract that the service serves. The
// commands come from the program's own tree, so a command without a row here fails.
#include "app/migrations/database_session.hpp"
#include "contract/served_contract.hpp"
#include "integration/cli/svc_user.hpp"
#include "support/https_client.hpp"

#include "cli/commands/context.hpp"
#include "cli/manual/command_tree.hpp"
#include "cli/program.hpp"

#include <CLI/CLI.hpp>

#include <doctest/doctest.h>

#include <boost/json/parse.hpp>

#include <algorithm>
#include <map>
#include <set>

namespace svc::test {
namespace {

namespace json = boost::json;
using words = std::vector<std::string>;

/// A service, its contract, and one of each resource to ask for.
struct contract_world {
  temporary_directory directory;
  dev_service dev{directory.path(), {with_runner}};
  svc_user user{dev};
  support::api_client api{dev.text("url"), dev.text("caFile"), dev.text("token"), std::chrono::seconds(60)};
  served_contract contract{api.get("/openapi/openapi.json").body};
  std::map<std::string, std::string> known;  ///< values of {name} in arguments

  contract_world() {
    known["test"] = user.id({"test", "create", "standing", "--type", "command", "--script", "-"}, "echo ok");
    known["job"] = user.id({"job", "create", "standing", "--type", "command", "--test", "standing"});
    known["tag"] = user.id({"tag", "create", "standing"});
    known["variable"] = user.id({"var", "set", "STANDING"}, "value");
    known["config"] = directory.write("config.json", R"({"to":["a@example.org"]})");
    known["provider"] = user.id({"provider", "create", "standing", "--type", "email", "--config", known["config"]});
    known["monitor"] = user.id(
        {"monitor", "create", "standing", "--type", "website", "--target", "https://shop.example.org/", "--disable"});
    known["page"] = user.id({"page", "create", "standing", "--status", "published"});
    known["logo"] = directory.write("logo.png", "\x89PNG\r\n\x1a\n");
    make_trouble();
    known["run"] = user.id({"test", "execute", "standing"});
    known["queued"] = queued_run();
    known["store"] = directory.path() + "/store";
    api.get("/api/runs/" + known["run"] + "?wait=55");
  }

  /// Creates a run that stays queued: its job may execute one run at a time, and another run is executing.
  std::string queued_run() {
    user.out({"test", "create", "sleeps", "--type", "command", "--script", "-"}, "sleep 600");
    user.out({"job", "create", "sleeps", "--type", "command", "--test", "sleeps", "--max-concurrent", "1"});
    user.out({"job", "trigger", "sleeps"});
    return user.json({"job", "trigger", "sleeps"}).at_pointer("/data/runId").as_string().c_str();
  }

  /// Creates an open outage of the monitor, and an alert whose message was given up; no route creates them.
  void make_trouble() {
    app::database_session sql(secret_string(dev.text("postgresUrl")), std::chrono::milliseconds(5000));
    known["outage"] =
        sql.run(
               "INSERT INTO outages (id, project_id, monitor_id, started_at, detected_at, cause,"
               " cause_message, cause_location, locations_down) SELECT gen_random_uuid(), project_id, id,"
               " now(), now(), 3, 'refused', 'local', '{local}' FROM monitors WHERE id = $1 RETURNING id",
               {known["monitor"]})
            .at(0)
            .at(0)
            .value();
    known["alert"] = sql.run(
                            "INSERT INTO alerts (id, project_id, type, target_type, target_id, target_name, about,"
                            " number, provider_id, provider_name, status) SELECT gen_random_uuid(), o.project_id,"
                            " 'monitor_failure', 'monitor', o.monitor_id, 'standing', o.id, 0, p.id, p.name, 'failed'"
                            " FROM outages o JOIN notification_providers p ON p.id = $2 WHERE o.id = $1 RETURNING id",
                            {known["outage"], known["provider"]})
                         .at(0)
                         .at(0)
                         .value();
  }

  words filled(words arguments) const {
    for (auto& word : arguments)
      if (word.starts_with('{') && word.ends_with('}')) word = known.at(word.substr(1, word.size() - 2));
    return arguments;
  }

  http::operation const& operation(std::string const& id) const {
    auto const& all = contract.operations();
    auto const found = std::find_if(all.begin(), all.end(), [&](auto const& op) { return op.id == id; });
    if (found == all.end()) throw std::runtime_error("no operation " + id);
    return *found;
  }

  /// Returns the faults of an answer to the operation.
  std::string faults(std::string const& id, json::value const& answer) {
    auto const& op = operation(id);
    auto const* const response = contract.response(op, op.success);
    return contract.faults(response->at("content").at("application/json").at("schema"), answer);
  }
};

contract_world& the_contract() {
  static contract_world world;
  return world;
}

/// The form of the output of `--json`.
enum class shape {
  answer,   ///< the operation's answer
  nothing,  ///< the operation has no answer
  other,    ///< not, or not only, an answer of the API: tested with the command
};

struct row {
  std::string command;  ///< without "svc"
  shape prints;
  std::string operation{};
  words arguments{};
  std::string input{};
};

/// The rows run in this order, because later rows use resources of earlier ones.
std::vector<row> const& table() {
  static std::vector<row> const out{
      {"job list", shape::answer, "list_jobs", {"--limit", "1"}},
      {"job get", shape::answer, "get_job", {"{job}"}},
      {"job create", shape::answer, "create_job", {"made", "--param", "A=1", "--cron", "0 3 * * *"}},
      {"job update", shape::answer, "update_job", {"{job}", "--run-timeout", "600"}},
      {"job delete", shape::nothing, "delete_job", {"made"}},
      {"job trigger", shape::answer, "trigger_job", {"{job}"}},
      {"job keys list", shape::answer, "list_trigger_keys", {"{job}"}},
      {"job keys create", shape::answer, "create_trigger_key", {"{job}", "made"}},
      {"job keys update", shape::answer, "update_trigger_key", {"{job}", "made", "--rate-limit", "20/60s"}},
      {"job keys disable", shape::answer, "update_trigger_key", {"{job}", "made"}},
      {"job keys enable", shape::answer, "update_trigger_key", {"{job}", "made"}},
      {"job keys rotate", shape::answer, "rotate_trigger_key", {"{job}", "made"}},
      {"job keys revoke", shape::nothing, "delete_trigger_key", {"{job}", "made"}},
      {"run watch", shape::answer, "get_run", {"{run}"}},
      {"run stream", shape::other},  // NDJSON of events: watch_test
      {"run list", shape::answer, "list_runs", {"--from", "-1h"}},
      {"run get", shape::answer, "get_run", {"{run}"}},
      {"run status", shape::answer, "get_run_status", {"{run}"}},
      {"run cancel", shape::answer, "cancel_run", {"{queued}"}},
      {"run rerun", shape::answer, "rerun_run", {"{run}"}},
      {"run output", shape::other},  // NDJSON: runs_test
      {"run delete", shape::nothing, "delete_run", {"{run}"}},
      {"test list", shape::answer, "list_tests"},
      {"test get", shape::answer, "get_test", {"{test}", "--script"}},
      {"test create", shape::answer, "create_test", {"made", "--type", "command", "--tag", "standing"}},
      {"test update", shape::answer, "update_test", {"{test}", "--priority", "high"}},
      {"test delete", shape::nothing, "delete_test", {"made"}},
      {"test tags", shape::answer, "put_test_tags", {"{test}", "--tag", "{tag}"}},
      {"test execute", shape::answer, "execute_test", {"{test}"}},
      {"var list", shape::answer, "list_variables"},
      {"var get", shape::answer, "get_variable", {"STANDING"}},
      {"var set", shape::answer, "create_variable", {"MADE", "--secret"}, "hidden"},
      {"var delete", shape::nothing, "delete_variable", {"MADE"}},
      {"tag list", shape::answer, "list_tags"},
      {"tag get", shape::answer, "get_tag", {"{tag}"}},
      {"tag create", shape::answer, "create_tag", {"made"}},
      {"tag update", shape::answer, "update_tag", {"{tag}", "--hex", "#1f883d"}},
      {"tag delete", shape::nothing, "delete_tag", {"made"}},
      {"monitor list", shape::answer, "list_monitors"},
      {"monitor get", shape::answer, "get_monitor", {"{monitor}"}},
      {"monitor create",
       shape::answer,
       "create_monitor",
       {"made", "--type", "ping_host", "--target", "shop.example.org", "--alert", "standing"}},
      {"monitor update", shape::answer, "update_monitor", {"{monitor}", "--mute", "1h"}},
      {"monitor pause", shape::answer, "pause_monitor", {"made"}},
      {"monitor resume", shape::answer, "resume_monitor", {"made"}},
      {"monitor check", shape::other},       // monitor_checks_test
      {"monitor test", shape::other},        // monitor_checks_test
      {"monitor rotate-key", shape::other},  // monitor_checks_test
      {"monitor results", shape::answer, "list_monitor_results", {"{monitor}"}},
      {"monitor stats", shape::answer, "get_monitor_stats", {"{monitor}"}},
      {"monitor outages", shape::answer, "list_outages", {"{monitor}"}},
      {"monitor tags", shape::answer, "replace_monitor_tags", {"{monitor}", "--tag", "{tag}"}},
      {"page list", shape::answer, "list_status_pages"},
      {"page create", shape::answer, "create_status_page", {"made", "--name", "Made"}},
      {"page get", shape::answer, "get_status_page", {"made"}},
      {"page update", shape::answer, "update_status_page", {"made", "--headline", "All is well"}},
      {"page archive", shape::answer, "update_status_page", {"made"}},
      {"page publish", shape::answer, "update_status_page", {"made"}},
      {"page logo", shape::answer, "set_status_page_logo", {"made", "{logo}"}},
      {"page verify-domain", shape::other},  // status_pages_test
      {"page component create", shape::answer, "create_component", {"made", "Checkout", "--monitor", "{monitor}"}},
      {"page component list", shape::answer, "list_components", {"{page}"}},
      {"page component get", shape::answer, "get_component", {"made", "Checkout"}},
      {"page component update", shape::answer, "update_component", {"made", "Checkout", "--group", "Shop"}},
      {"page subscriber list", shape::answer, "list_subscribers", {"{page}"}},
      {"page subscriber delete", shape::other},  // status_pages_test
      {"incident create",
       shape::answer,
       "create_incident",
       {"made", "fails", "--component", "Checkout=partial_outage", "--body", "-"},
       "We look for the cause."},
      {"incident list", shape::answer, "list_incidents", {"{page}"}},
      {"incident get", shape::answer, "get_incident", {"made", "fails"}},
      {"incident update", shape::answer, "update_incident", {"made", "fails", "--impact", "critical"}},
      {"incident post", shape::answer, "create_incident_update", {"made", "fails", "--text", "A disk is full."}},
      {"incident updates", shape::answer, "list_incident_updates", {"made", "fails"}},
      {"incident correct", shape::other},  // status_pages_test
      {"incident resolve", shape::answer, "create_incident_update", {"made", "fails", "--text", "It works again."}},
      {"incident delete", shape::nothing, "delete_incident", {"made", "fails"}},
      {"window create",
       shape::answer,
       "create_maintenance_window",
       {"made", "--monitor", "{monitor}", "--for", "30m", "--page", "made", "--component", "Checkout"}},
      {"window list", shape::answer, "list_maintenance_windows", {"--monitor", "{monitor}"}},
      {"window get", shape::answer, "get_maintenance_window", {"made"}},
      {"window update", shape::answer, "update_maintenance_window", {"made", "--description", "work"}},
      {"window post", shape::answer, "create_window_update", {"made", "--text", "Half of it is done."}},
      {"window updates", shape::answer, "list_window_updates", {"made"}},
      {"window correct", shape::other},  // status_pages_test
      {"window end", shape::answer, "end_maintenance_window", {"made"}},
      {"window delete", shape::nothing, "delete_maintenance_window", {"made"}},
      {"page component delete", shape::nothing, "delete_component", {"made", "Checkout"}},
      {"page delete", shape::nothing, "delete_status_page", {"made", "--yes"}},
      {"monitor maintenance", shape::answer, "start_monitor_maintenance", {"{monitor}", "1h", "work"}},
      {"monitor delete", shape::nothing, "delete_monitor", {"made"}},
      {"monitor restore", shape::other},  // needs a deleted monitor: monitors_test
      {"outage list", shape::answer, "list_outages", {"{monitor}"}},
      {"outage open", shape::answer, "list_monitors"},
      {"outage ack", shape::answer, "acknowledge_outage", {"{monitor}", "{outage}"}},
      {"alert list", shape::answer, "list_alerts"},
      {"alert get", shape::answer, "get_alert", {"{alert}"}},
      {"alert retry", shape::answer, "retry_alert", {"{alert}"}},
      {"provider test", shape::other},  // monitors_test
      {"provider list", shape::answer, "list_notification_providers"},
      {"provider get", shape::answer, "get_notification_provider", {"{provider}"}},
      {"provider create",
       shape::answer,
       "create_notification_provider",
       {"made", "--type", "email", "--config", "{config}"}},
      {"provider update", shape::answer, "update_notification_provider", {"{provider}", "--disable"}},
      {"provider delete", shape::nothing, "delete_notification_provider", {"made"}},
      {"token list", shape::answer, "list_cli_tokens"},
      {"token get", shape::answer, "get_cli_token", {"self"}},
      {"token create", shape::answer, "create_cli_token", {"made"}},
      {"token disable", shape::answer, "update_cli_token", {"made"}},
      {"token enable", shape::answer, "update_cli_token", {"made"}},
      {"token rename", shape::answer, "update_cli_token", {"made", "renamed"}},
      {"token rotate", shape::answer, "rotate_cli_token", {"renamed"}},
      {"token revoke", shape::nothing, "delete_cli_token", {"renamed"}},
      {"whoami", shape::answer, "whoami"},
      {"api", shape::answer, "list_jobs", {"GET", "/api/jobs"}},
      {"help", shape::other},  // unit usage_test
      {"login", shape::other},
      {"logout", shape::other},
      {"doctor", shape::other},
      {"version", shape::other},
      {"update", shape::other},  // update_test
      {"completion bash", shape::other},
      {"completion fish", shape::other},
      {"completion zsh", shape::other},
      {"audit", shape::answer, "list_audit", {"--limit", "100"}},
      {"usage", shape::answer, "get_usage"},
      {"health", shape::answer, "get_health"},
  };
  return out;
}

std::set<std::string> commands_of_the_tree() {
  cli::context cx;
  CLI::App root("", "svc");
  cli::build_tree(root, cx);
  auto const tree = cli::described(root);
  std::set<std::string> out;
  for (auto const* const leaf : cli::leaves_of(tree)) out.insert(leaf->path.substr(std::string("svc ").size()));
  return out;
}

words split(std::string const& command) {
  words out(1);
  for (char const c : command) c == ' ' ? out.emplace_back() : out.back() += c;
  return out;
}

}  // namespace

TEST_CASE("every command of the tree has a row, and every row a command") {
  std::set<std::string> rows;
  for (auto const& r : table()) CHECK(rows.insert(r.command).second);
  for (auto const& command : commands_of_the_tree()) {
    CAPTURE(command);
    CHECK(rows.contains(command));
  }
  CHECK(rows.size() == commands_of_the_tree().size());
}

TEST_CASE("every command prints with --json only answers that its operation can give") {
  auto& world = the_contract();
  for (auto const& r : table()) {
    if (r.prints == shape::other) continue;
    CAPTURE(r.command);
    auto arguments = split(r.command);
    auto const more = world.filled(r.arguments);
    arguments.insert(arguments.end(), more.begin(), more.end());
    arguments.emplace_back("--json");
    auto const got = world.user.run(arguments, r.input);
    CAPTURE(got.out);
    CHECK_MESSAGE(got.code == 0, got.err);
    if (r.prints == shape::nothing || got.code != 0) {
      CHECK(got.out.empty());
      continue;
    }
    CHECK(std::count(got.out.begin(), got.out.end(), '\n') <= 1);  // api passes the answer's bytes unchanged
    CHECK(world.faults(r.operation, json::parse(got.out)) == "");
  }
}

TEST_CASE("lists with --all are pages by the contract too") {
  auto& world = the_contract();
  for (auto const& r : table()) {
    if (!r.command.ends_with("list")) continue;
    CAPTURE(r.command);
    auto arguments = split(r.command);
    auto const more = world.filled(r.arguments);
    arguments.insert(arguments.end(), more.begin(), more.end());
    arguments.insert(arguments.end(), {"--all", "--json"});
    CHECK(world.faults(r.operation, json::parse(world.user.out(arguments))) == "");
  }
}

TEST_CASE("flags take the values of the contract's enums and no others") {
  auto& world = the_contract();
  struct {
    char const* command;
    char const* flag;
    char const* operation;
    char const* parameter;
  } const cases[] = {
      {"job list", "--status", "list_jobs", "status"},
      {"job list", "--sort", "list_jobs", "sort"},
      {"run list", "--status", "list_runs", "status"},
      {"run list", "--trigger", "list_runs", "trigger"},
      {"test list", "--type", "list_tests", "type"},
      {"monitor list", "--status", "list_monitors", "status"},
      {"monitor list", "--type", "list_monitors", "type"},
      {"monitor list", "--sort", "list_monitors", "sort"},
      {"window list", "--state", "list_maintenance_windows", "state"},
      {"page list", "--status", "list_status_pages", "status"},
      {"incident list standing", "--status", "list_incidents", "status"},
      {"alert list", "--target-type", "list_alerts", "targetType"},
      {"alert list", "--type", "list_alerts", "type"},
      {"alert list", "--status", "list_alerts", "status"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.flag);
    auto const declared = world.contract.parameters(world.operation(c.operation));
    auto const found =
        std::find_if(declared.begin(), declared.end(), [&](auto const& p) { return p.name == c.parameter; });
    REQUIRE(found != declared.end());
    for (auto const& value : found->schema.at("enum").as_array()) {
      auto arguments = split(c.command);
      arguments.insert(arguments.end(), {c.flag, std::string(value.as_string())});
      CHECK(world.user.run(arguments).code == 0);
      arguments.back() += "x";
      CHECK(world.user.run(arguments).code == 3);
    }
  }
}

TEST_CASE("every filter of a list is a flag") {
  auto& world = the_contract();
  std::map<std::string, std::string> const otherwise{
      {"jobId", "--job"},       {"actorId", "--actor"},          {"cursor", "--all"},
      {"targetId", "--target"}, {"targetType", "--target-type"}, {"providerId", "--provider"},
      {"tagId", "--tag"},       {"monitorId", "--monitor"}};
  for (auto const& r : table()) {
    if (!r.command.ends_with("list") && r.command != "audit") continue;
    auto arguments = split(r.command);
    arguments.emplace_back("--help");
    auto const help = world.user.out(arguments);
    for (auto const& parameter : world.contract.parameters(world.operation(r.operation))) {
      if (parameter.input != "query") continue;
      CAPTURE(r.command);
      CAPTURE(parameter.name);
      auto const named = otherwise.find(parameter.name);
      CHECK(help.find(named == otherwise.end() ? "--" + parameter.name : named->second) != std::string::npos);
    }
  }
}

}  // namespace svc::test
