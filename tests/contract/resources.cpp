// Tests ids that do not exist here, states that forbid the operation, and limits that are reached.
#include "contract/provoker.hpp"

#include <iterator>
#include <stdexcept>

namespace svc::test {
namespace {

namespace json = boost::json;

std::string text(json::value const& value, std::string_view member) {
  return std::string(value.at(member).as_string());
}

/// Accepts one operation.
auto only(std::string id) {
  return [id = std::move(id)](http::operation const& op) { return op.id == id; };
}

/// Returns the answer without the parts that differ from request to request.
std::string sentence(attempt const& attempt) {
  auto body = json::parse(attempt.got.body).as_object();
  body.erase("requestId");
  return std::to_string(attempt.got.status) + json::serialize(body);
}

/// The answer must not reveal that another project has the id.
std::vector<attempt> play_unknown(contract_fixture& s, http::operation const& op, contract_tenant const& elsewhere) {
  std::vector<attempt> out;
  auto r = s.good(op);
  for (auto const& [kind, id] : s.main().ids) {
    // The path segment after a key is a word.
    if (kind == "{key}" || op.path.find("/" + kind + "/{") == std::string::npos) continue;
    auto ids = s.main().ids;
    // A pattern bounds the names of the files.
    ids[kind] = kind == "cli" ? "svc-linux-none" : nowhere;
    r.target = path_of(op, ids);
    out.push_back(s.ask(op, r, "unknown " + kind));
    // Public operations belong to no project.
    if (op.token_kinds.empty()) continue;
    ids[kind] = elsewhere.ids.at(kind);
    r.target = path_of(op, ids);
    out.push_back(s.ask(op, r, "another project's " + kind));
    if (sentence(out.back()) != sentence(*std::prev(out.end(), 2)))
      throw std::runtime_error("another project's " + kind + " is not answered as an unknown one");
  }
  return out;
}

/// Creates a run of the main job and sets it to this state.
std::string make_run(contract_fixture& s, std::string const& assignments) {
  auto const made =
      s.must(202, {"POST", "/api/jobs/" + s.main().ids.at("jobs") + "/trigger", s.main().token}).at("data");
  auto const id = text(made, "runId");
  s.sql().run("UPDATE runs SET " + assignments + " WHERE id = $1", {id});
  return id;
}

std::vector<attempt> on_runs(contract_fixture& s, http::operation const& op, std::vector<std::string> const& runs) {
  std::vector<attempt> out;
  for (auto const& id : runs) {
    auto ids = s.main().ids;
    ids["runs"] = id;
    auto r = s.good(op);
    r.target = path_of(op, ids);
    out.push_back(s.ask(op, r));
  }
  return out;
}

void add_runs(contract_fixture& s, std::vector<provoker>& out) {
  out.push_back({"run_already_over", "ended", any_operation, [&s](http::operation const& op) {
                   std::vector<std::string> ended;
                   for (std::string const status : {"passed", "failed", "error", "cancelled", "timed_out"})
                     ended.push_back(make_run(s, "status = '" + status + "', completed_at = clock_timestamp()"));
                   return on_runs(s, op, ended);
                 }});
  out.push_back({"run_not_over", "queued, running", any_operation, [&s](http::operation const& op) {
                   auto const running = make_run(s, "status = 'running', started_at = clock_timestamp()");
                   return on_runs(s, op, {s.main().ids.at("runs"), running});
                 }});
  out.push_back({"output_dropped", "stored and dropped", any_operation, [&s](http::operation const& op) {
                   auto const run = make_run(s, "status = 'passed', completed_at = clock_timestamp()");
                   s.sql().run(
                       "INSERT INTO run_output (run_id, size, lines, stored_at, dropped_at)"
                       " VALUES ($1, 1, 1, clock_timestamp(), clock_timestamp())",
                       {run});
                   return on_runs(s, op, {run});
                 }});
}

std::string make_job(contract_fixture& s, std::string const& body) {
  return text(s.must(201, {"POST", "/api/jobs", s.main().token, body}), "id");
}

/// Triggers with the CLI token and with one of its keys; both get the same answer.
std::vector<attempt> trigger(contract_fixture& s, http::operation const& op, std::string const& job) {
  auto const made = s.must(201, {"POST", "/api/jobs/" + job + "/trigger-keys", s.main().token, R"({"name":"k"})"});
  std::vector<attempt> out;
  for (auto const& token : {s.main().token, text(made.at("triggerKey"), "key")})
    out.push_back(s.ask(op, {"POST", "/api/jobs/" + job + "/trigger", token}));
  return out;
}

/// Repeats a run of a job like the standing one, after `patch` has changed the job.
std::vector<attempt> rerun(contract_fixture& s, http::operation const& op, std::string const& patch) {
  auto const job =
      make_job(s, R"({"name":"changed","jobType":"command","tests":[{"id":")" + s.main().used_test + R"("}]})");
  auto const made = s.must(202, {"POST", "/api/jobs/" + job + "/trigger", s.main().token}).at("data");
  s.must(200, {"PATCH", "/api/jobs/" + job, s.main().token, patch});
  auto out = on_runs(s, op, {text(made, "runId")});
  s.must(204, {"DELETE", "/api/jobs/" + job, s.main().token});
  return out;
}

void add_jobs(contract_fixture& s, std::vector<provoker>& out) {
  out.push_back({"job_disabled", "PATCH enabled", any_operation, [&s](http::operation const& op) {
                   if (!takes_trigger(op)) return rerun(s, op, R"({"enabled":false})");
                   auto const test = R"("tests":[{"id":")" + s.main().used_test + R"("}])";
                   return trigger(s, op,
                                  make_job(s, R"({"name":"off","jobType":"command","enabled":false,)" + test + "}"));
                 }});
  out.push_back({"job_has_no_tests", "empty job", any_operation, [&s](http::operation const& op) {
                   if (!takes_trigger(op)) return rerun(s, op, R"({"tests":[]})");
                   return trigger(s, op, make_job(s, R"({"name":"empty"})"));
                 }});
  out.push_back({"validation_failed", "undeclared parameter", takes_trigger, [&s](http::operation const& op) {
                   auto r = s.good(op);
                   r.body = R"({"parameters":{"NOBODY":"x"}})";
                   auto attempt = s.ask(op, r);
                   attempt.pointer = "/parameters/NOBODY";
                   return std::vector{attempt};
                 }});
  out.push_back({"test_in_use", "a job runs it", any_operation, [&s](http::operation const& op) {
                   auto r = s.good(op);
                   r.target = "/api/tests/" + s.main().used_test;
                   if (op.method == "PATCH") r.body = R"({"type":"browser"})";
                   auto entry = s.ask(op, r);
                   entry.pointer = "/jobs/" + s.main().ids.at("jobs");
                   return std::vector{entry};
                 }});
}

/// Acknowledges an outage that is over.
std::vector<attempt> play_over(contract_fixture& s, http::operation const& op) {
  auto ids = s.main().ids;
  ids["outages"] = s.make_outage(ids.at("monitors"), "clock_timestamp() + interval '1 s'", "'recovered'");
  auto r = s.good(op);
  r.target = path_of(op, ids);
  return {s.ask(op, r)};
}

attempt play_alert(contract_fixture& s, http::operation const& op, contract_tenant const& tenant, std::string id) {
  auto ids = tenant.ids;
  ids["alerts"] = std::move(id);
  auto r = s.good(op, tenant);
  r.target = path_of(op, ids);
  return s.ask(op, r);
}

void add_alerts(contract_fixture& s, std::vector<provoker>& out) {
  out.push_back({"alert_not_failed", "sent, pending", any_operation, [&s](http::operation const& op) {
                   auto const tenant = s.make_tenant();
                   std::vector<attempt> done;
                   for (auto const* status : {"'sent'", "'pending'"})
                     done.push_back(play_alert(s, op, tenant, s.make_alert(tenant, status)));
                   return done;
                 }});
  out.push_back({"provider_disabled", "disabled, deleted", any_operation, [&s](http::operation const& op) {
                   auto const input = s.make_tenant();
                   auto const provider = "/api/notification-providers/" + input.ids.at("notification-providers");
                   s.must(200, {"PATCH", provider, input.token, R"({"enabled":false})"});
                   std::vector<attempt> done{play_alert(s, op, input, input.ids.at("alerts"))};
                   s.must(204, {"DELETE", provider, input.token});
                   done.push_back(play_alert(s, op, input, input.ids.at("alerts")));
                   return done;
                 }});
}

void add_monitors(contract_fixture& s, std::vector<provoker>& out) {
  out.push_back({"monitor_not_deleted", "a live one", any_operation, [&s](http::operation const& op) {
                   auto r = s.good(op);
                   r.target = path_of(op, s.main().ids);
                   return std::vector{s.ask(op, r)};
                 }});
  out.push_back({"monitor_paused", "a paused one", any_operation, [&s](http::operation const& op) {
                   auto r = s.good(op);
                   r.target = path_of(op, s.main().ids);
                   return std::vector{s.ask(op, r)};
                 }});
  out.push_back({"type_not_checkable", "a heartbeat, or none", any_operation, [&s](http::operation const& op) {
                   auto r = s.good(op);
                   auto ids = s.main().ids;
                   if (op.id == "check_monitor") ids["monitors"] = s.main().heartbeat;
                   r.target = path_of(op, ids);
                   if (op.id == "test_monitor")
                     r.body = R"({"name":"abc","type":"heartbeat","config":{"schedule":{"everySeconds":60}}})";
                   return std::vector{s.ask(op, r)};
                 }});
  out.push_back(
      {"outage_over", "ended", any_operation, [&s](http::operation const& op) { return play_over(s, op); }});
}

/// Sends the operation's request for this maintenance window of the main project.
attempt play_window(contract_fixture& s, http::operation const& op, std::string id) {
  auto ids = s.main().ids;
  ids["maintenance-windows"] = std::move(id);
  auto r = s.good(op);
  r.target = path_of(op, ids);
  return s.ask(op, r);
}

void add_windows(contract_fixture& s, std::vector<provoker>& out) {
  out.push_back({"window_not_active", "scheduled, ended", any_operation, [&s](http::operation const& op) {
                   std::vector<attempt> done{play_window(s, op, s.make_window(s.main(), std::chrono::minutes(60)))};
                   auto const ended = s.make_window(s.main(), std::chrono::minutes(-1));
                   s.must(200, {"POST", "/api/maintenance-windows/" + ended + "/end", s.main().token});
                   done.push_back(play_window(s, op, ended));
                   return done;
                 }});
  out.push_back({"window_over", "ended", any_operation, [&s](http::operation const& op) {
                   auto const ended = s.make_window(s.main(), std::chrono::minutes(-1));
                   s.must(200, {"POST", "/api/maintenance-windows/" + ended + "/end", s.main().token});
                   return std::vector{play_window(s, op, ended)};
                 }});
  out.push_back({"dependency_cycle", "itself", any_operation, [&s](http::operation const& op) {
                   auto r = s.good(op);
                   r.body = R"({"dependsOn":[")" + s.main().ids.at("monitors") + R"("]})";
                   return std::vector{s.ask(op, r)};
                 }});
}

/// Creates a second resource with the same name, or renames the first one to the name of one created here.
std::vector<attempt> play_taken(contract_fixture& s, http::operation const& op) {
  auto r = s.good(op);
  bool const variable = op.path.starts_with("/api/variables");
  r.body = variable ? R"({"key":"STANDING","value":"v"})" : R"({"name":"standing"})";
  if (op.method == "POST") return {s.ask(op, r)};
  auto const shelf = r.target.substr(0, r.target.rfind('/'));
  r.body = variable ? R"({"key":"TAKEN","value":"v"})" : R"({"name":"taken"})";
  s.must(201, {"POST", shelf, s.main().token, r.body});
  return {s.ask(op, r)};
}

/// The token uses all its streams, of a queued run.
std::vector<attempt> play_streams(contract_fixture& s, http::operation const& op) {
  auto const tenant = s.make_tenant();
  auto r = s.good(op, tenant);
  r.target = path_of(op, tenant.ids);
  std::vector<support::https_client> viewers;
  for (int i = 0; i < 20; ++i) {
    viewers.emplace_back(s.url(), s.ca());
    viewers.back().open_stream("GET " + r.target + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + r.token +
                               "\r\n\r\n");
  }
  return {s.ask(op, r)};
}

/// The owner, who is an editor, tries to enable the token again.
std::vector<attempt> play_enable_again(contract_fixture& s, http::operation const& op) {
  auto const editor = s.make_user(s.main().project, "project_editor");
  auto const own = s.make_token(s.main().project, editor);
  auto r = s.good(op);
  r.target = r.target.substr(0, r.target.rfind('/'));
  auto const made = s.must(201, {"POST", r.target, own, R"({"name":"bound"})"});
  auto const& token = made.at(made.as_object().contains("token") ? "token" : "triggerKey");
  r.target += "/" + text(token, "id");
  s.must(200, {"PATCH", r.target, s.main().token, R"({"enabled":false})"});
  r.token = own;
  r.body = R"({"enabled":true})";
  return {s.ask(op, r)};
}

/// Sets the numbers that the database has counted for the place. The service's own role may not write them.
void pretend(contract_fixture& s, contract_tenant const& tenant, std::string const& numbers) {
  auto url = s.dev().text("postgresUrl");
  std::string const service_role = "//svc_app@";
  url.replace(url.find(service_role), service_role.size(), "//svc_owner@");
  app::database_session owner(secret_string(url), milliseconds(5000));
  owner.run("UPDATE project_usage SET " + numbers + " WHERE project_id = (SELECT project_id FROM jobs WHERE id = $1)",
            {tenant.ids.at("jobs")});
}

std::vector<attempt> play_larger(contract_fixture& s, http::operation const& op, contract_tenant const& tenant) {
  auto r = s.good(op, tenant);
  bool const variable = op.path.starts_with("/api/variables");
  bool const post = op.path.find("/updates/") != op.path.npos;
  if (post)
    r.body = R"({"body":"longer than the standing one"})";
  else if (op.method == "PATCH")
    r.body = variable ? R"({"value":"longer"})" : R"({"script":"echo longer"})";
  return {s.ask(op, r)};
}

/// A worker admits what its last count left before it counts again.
std::vector<attempt> play_queued(contract_fixture& s, http::operation const& op, contract_tenant const& tenant) {
  auto const r = s.good(op, tenant);
  for (int i = 0; i < 64 && s.send(r).status == 202; ++i) {
  }
  return {s.ask(op, r)};
}

void add_quotas(contract_fixture& s, std::vector<provoker>& out) {
  auto const many = s.make_tenant(), large = s.make_tenant(), queue = s.make_tenant();
  pretend(s, many, "used = 10000");
  pretend(s, large, "bytes = 1000000000");
  s.sql().run(
      "INSERT INTO runs (id, project_id, job_type, trigger, triggered_by, test_count, timeout_seconds) SELECT"
      " id_at(clock_timestamp(), gen_random_uuid()), project_id, 'command', 'remote', 'filling', 1, 60"
      " FROM jobs, generate_series(1, 5000) WHERE id = $1",
      {queue.ids.at("jobs")});
  out.push_back({"monitor_limit_reached", "one too many, or a byte", any_operation,
                 [&s, many, large](http::operation const& op) {
                   auto r = s.good(op, op.method == "PATCH" ? large : many);
                   if (op.method == "PATCH") r.body = R"({"config":{"keywordInBody":"longer"}})";
                   return std::vector{s.ask(op, r)};
                 }});
  for (std::string const code : {"variable_limit_reached", "test_limit_reached", "job_limit_reached",
                                 "provider_limit_reached", "status_page_limit_reached"}) {
    out.push_back({code, "one too many", any_operation,
                   [&s, many](http::operation const& op) { return std::vector{s.ask(op, s.good(op, many))}; }});
  }
  for (std::string const code : {"variable_bytes_exceeded", "script_bytes_exceeded", "page_bytes_exceeded"}) {
    out.push_back({code, "a byte too many", any_operation,
                   [&s, large](http::operation const& op) { return play_larger(s, op, large); }});
  }
  out.push_back({"queue_full", "5 000 wait", any_operation,
                 [&s, queue](http::operation const& op) { return play_queued(s, op, queue); }});
}

}  // namespace

std::vector<provoker> unknown_resources(contract_fixture& s) {
  auto const elsewhere = s.make_tenant();
  std::vector<provoker> out;
  out.push_back({"not_found", "ids", any_operation,
                 [&s, elsewhere](http::operation const& op) { return play_unknown(s, op, elsewhere); }});
  return out;
}

std::vector<provoker> resource_states(contract_fixture& s) {
  std::vector<provoker> out;
  add_runs(s, out);
  add_jobs(s, out);
  add_monitors(s, out);
  add_windows(s, out);
  add_alerts(s, out);
  out.push_back(
      {"name_taken", "unrevoked", any_operation, [&s](http::operation const& op) { return play_taken(s, op); }});
  out.push_back({"disabled_by_administrator", "editor", any_operation,
                 [&s](http::operation const& op) { return play_enable_again(s, op); }});
  return out;
}

std::vector<provoker> full_shelves(contract_fixture& s) {
  auto const full = s.make_tenant();
  auto const fill = [&s, full](std::string const& shelf, int room) {
    for (int i = 0; i < room; ++i)
      s.must(201, {"POST", shelf, full.token, R"({"name":"filling )" + std::to_string(i) + R"("})"});
  };
  fill("/api/cli-tokens", 18);  // in addition to its first token and the standing one
  fill("/api/jobs/" + full.ids.at("jobs") + "/trigger-keys", 9);
  auto const play = [&s, full](http::operation const& op) { return std::vector{s.ask(op, s.good(op, full))}; };
  std::vector<provoker> out;
  out.push_back({"token_limit_reached", "the 21st", only("create_cli_token"), play});
  out.push_back({"trigger_key_limit_reached", "the 11th", only("create_trigger_key"), play});
  s.sql().run(
      "INSERT INTO tags (id, project_id, name, color, slot) SELECT gen_random_uuid(), project_id, 'filling' || n,"
      " '#000000', n FROM tags, generate_series(2, 200) n WHERE id = $1",
      {full.ids.at("tags")});
  out.push_back({"stream_limit_reached", "the 21st", any_operation,
                 [&s](http::operation const& op) { return play_streams(s, op); }});
  out.push_back({"tag_limit_reached", "the 201st", only("create_tag"), play});
  for (int i = 0; i < 99; ++i) s.make_window(full, std::chrono::minutes(60));  // in addition to the standing one
  out.push_back({"window_limit_reached", "the 101st", any_operation, play});
  add_quotas(s, out);
  return out;
}

}  // namespace svc::test
