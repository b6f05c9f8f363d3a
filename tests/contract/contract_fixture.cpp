#include "contract/contract_fixture.hpp"

#include "support/comes_true.hpp"
#include "svc/core/bytes.hpp"
#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/monitoring/checks/packed_hour.hpp"
#include "svc/domain/token.hpp"

#include <algorithm>
#include <stdexcept>

namespace svc::test {
namespace {

namespace json = boost::json;

// Ids of the test, the monitor, the tag and the component in the documented bodies.
constexpr std::string_view documented_test = "01934f2e-5555-7d3e-9b1f-5a2c8e4d6f70";
constexpr std::string_view documented_monitor = "01934f2e-8888-7d3e-9b1f-5a2c8e4d6f70";
constexpr std::string_view documented_tag = "01934f2e-7777-7d3e-9b1f-5a2c8e4d6f70";
constexpr std::string_view documented_component = "01934f2e-a002-7d3e-9b1f-5a2c8e4d6f70";
constexpr int txt_type = 16;

std::vector<std::string> unlimited(std::vector<std::string> more, int resolver_port) {
  for (auto const* which : {"CLI", "TRIGGER_DEFAULT", "ANONYMOUS", "FEED", "DOWNLOAD", "HEALTH", "HEARTBEAT", "PROBE",
                            "REFUSED", "PROJECT", "RUNNER", "CLAIM", "SESSION", "SIGN_IN"})
    more.push_back(std::string("SVC_LIMITS_") + which + "_LIMIT=100000");
  more.emplace_back("SVC_PAGES_PER_PROJECT=1000");
  more.emplace_back("SVC_CHECKS_RESOLVERS=127.0.0.1:" + std::to_string(resolver_port));
  more.emplace_back(patient_redis);
  more.emplace_back(no_shedding);
  more.emplace_back(generous_reads);
  return more;
}

std::string replaced(std::string text, std::string_view subject, std::string_view replacement) {
  for (auto sv = text.find(subject); sv != text.npos; sv = text.find(subject, sv + replacement.size()))
    text.replace(sv, subject.size(), replacement);
  return text;
}

std::string id_of(json::value const& made) {
  return std::string(made.at("id").as_string());
}

}  // namespace

support::header_list request::all_headers() const {
  auto out = headers;
  if (!token.empty()) out.emplace_back("Authorization", "Bearer " + token);
  if (!body.empty() && !media.empty()) out.emplace_back("Content-Type", media);
  return out;
}

std::string path_of(http::operation const& op, std::map<std::string, std::string> const& ids) {
  std::string out;
  std::string before;
  for (std::size_t position = 1; position <= op.path.size();) {
    auto const end = std::min(op.path.find('/', position), op.path.size());
    auto const segment = op.path.substr(position, end - position);
    out += "/" + (segment.starts_with('{') ? ids.at(before) : segment);
    before = segment;
    position = end + 1;
  }
  return out;
}

std::string contract_fixture::fitted(contract_tenant const& tenant, std::string body) {
  body = replaced(std::move(body), documented_test, tenant.used_test);
  body = replaced(std::move(body), documented_monitor, tenant.ids.at("monitors"));
  body = replaced(std::move(body), documented_tag, tenant.ids.at("tags"));
  body = replaced(std::move(body), documented_component, tenant.ids.at("components"));
  return replaced(std::move(body), R"("slug":"acme)", R"("slug":"s)" + std::to_string(++slugs_) + "-acme");
}

dns_script contract_fixture::answer_names(dns_question const& question) {
  if (question.type != txt_type) return {.rcode = 3};
  std::lock_guard const lock(texts_mutex_);
  if (texts_.empty()) return {.rcode = 3};
  dns_script out;
  for (auto const& text : texts_)
    out.records.push_back(
        {.owner = {}, .type = txt_type, .ttl = 60, .data = std::string(1, static_cast<char>(text.size())) + text});
  return out;
}

contract_fixture::contract_fixture()
    : dev_(directory_.path(), {}, environment()),
      client_(url(), ca()),
      sql_(secret_string(dev_.text("postgresUrl")), milliseconds(5000)) {
  contract_.emplace(send({"GET", "/openapi/openapi.json"}).body);
  main_ = make_tenant();
}

std::vector<std::string> contract_fixture::environment(std::vector<std::string> more) const {
  return unlimited(std::move(more), names_of_targets_.port());
}

support::answer contract_fixture::send(support::https_client& client, request const& request) {
  return client.request(request.method, request.target, request.all_headers(), request.body);
}

json::value contract_fixture::must(unsigned status, request const& request) {
  auto const got = send(request);
  if (static_cast<unsigned>(got.status) != status)
    throw std::runtime_error(request.method + " " + request.target + ": " + std::to_string(got.status) + " " +
                             got.body);
  return got.body.empty() ? json::value() : json::parse(got.body);
}

attempt contract_fixture::ask(support::https_client& client, http::operation const& op, request const& request,
                              std::string about) {
  return {send(client, request), op.rate_class != "none", std::move(about)};
}

json::value contract_fixture::admin(std::vector<std::string> words) {
  words.insert(words.begin(), "admin");
  words.insert(words.end(), {"--json", "--config", dev_.text("configFile")});
  service service(words);
  if (service.wait() != 0) throw std::runtime_error("svcd admin " + words[1] + ": " + service.err().text());
  auto const line = service.out().wait_line([](std::string const&) { return true; }, std::chrono::seconds(5));
  return json::parse(line.value());
}

contract_tenant contract_fixture::make_tenant(std::string const& organization, std::string const& owner) {
  contract_tenant out;
  auto const slug = "p" + std::to_string(++names_);
  out.project = organization + "/" + slug;
  admin({"create-project", "--organization", organization, "--slug", slug, "--name", slug});
  out.token = make_token(out.project, owner);
  fill(out);
  return out;
}

void contract_fixture::fill(contract_tenant& tenant) {
  auto const make = [&](std::string const& target, std::string const& body) {
    return must(201, {"POST", target, tenant.token, body});
  };
  std::string const script = R"({"title":"t","type":"command","script":"echo"})";
  tenant.used_test = id_of(make("/api/tests", script));
  tenant.ids["tests"] = id_of(make("/api/tests", script));
  tenant.ids["tags"] = id_of(make("/api/tags", R"({"name":"standing"})"));
  tenant.ids["variables"] = id_of(make("/api/variables", R"({"key":"STANDING","value":"v"})"));
  auto const job = make("/api/jobs", R"({"name":"standing","jobType":"command","tests":[{"id":")" + tenant.used_test +
                                         R"("}],"parameters":[{"name":"BRANCH","default":"main"}]})");
  tenant.ids["jobs"] = id_of(job);
  auto const keys = "/api/jobs/" + tenant.ids["jobs"] + "/trigger-keys";
  auto const key = make(keys, R"({"name":"standing"})").at("triggerKey");
  tenant.ids["trigger-keys"] = id_of(key);
  tenant.trigger_key = key.at("key").as_string();
  auto const token = make("/api/cli-tokens", R"({"name":"standing"})").at("token");
  tenant.ids["cli-tokens"] = id_of(token);
  tenant.ids["notification-providers"] =
      id_of(make("/api/notification-providers",
                 R"({"name":"n","type":"slack","config":{"webhookUrl":"https://hooks.example.org/T1/B1"}})"));
  // The monitor is paused, so that nothing changes it.
  std::string const monitor =
      R"({"name":"standing","type":"website","target":"https://shop.example.org/","enabled":false})";
  tenant.ids["monitors"] = id_of(make("/api/monitors", monitor));
  make_results(tenant.ids["monitors"]);
  tenant.ids["outages"] = make_outage(tenant.ids["monitors"]);
  tenant.ids["alerts"] = make_alert(tenant);
  fill_page(tenant);
  tenant.deleted_monitor = id_of(make("/api/monitors", monitor));
  must(204, {"DELETE", "/api/monitors/" + tenant.deleted_monitor, tenant.token});
  tenant.heartbeat = id_of(
      make("/api/monitors", R"({"name":"beats","type":"heartbeat","config":{"schedule":{"everySeconds":3600}}})"));
  tenant.checked_monitor = id_of(
      make("/api/monitors", R"({"name":"checked","type":"port_check","target":"127.0.0.1","frequencyMinutes":1440,)"
                            R"("config":{"port":1,"retryStrategy":{"maxRetries":0}}})"));
  auto const run = [&] {
    auto const made = must(202, {"POST", "/api/jobs/" + tenant.ids["jobs"] + "/trigger", tenant.token});
    return std::string(made.at("data").at("runId").as_string());
  };
  tenant.ended_run = run();
  must(202, {"POST", "/api/runs/" + tenant.ended_run + "/cancel", tenant.token});
  tenant.ids["runs"] = run();
  fill_heartbeat(tenant);
}

/// A draft, so that its posts notify nobody, and a window on it.
void contract_fixture::fill_page(contract_tenant& tenant) {
  auto const make = [&](std::string const& target, std::string const& body) {
    return id_of(must(201, {"POST", target, tenant.token, body}));
  };
  std::string const settings = R"({"name":"standing","slug":"acme","customDomain":"status.example.org"})";
  auto const page = tenant.ids["status-pages"] =
      make("/api/status-pages", replaced(settings, "acme", "standing-" + std::to_string(++slugs_)));
  auto const path = "/api/status-pages/" + page;
  tenant.ids["components"] = make(path + "/components", R"({"name":"standing"})");
  tenant.ids["incidents"] = make(path + "/incidents", R"({"name":"standing","status":"investigating","body":"b"})");
  tenant.ids["updates"] =
      make(path + "/incidents/" + tenant.ids["incidents"] + "/updates", R"({"status":"identified","body":"b"})");
  auto const subscriber = sql_.run(
      "INSERT INTO page_subscribers (id, project_id, page_id, email, digest, state, confirmed_at)"
      " SELECT id_at(clock_timestamp(), gen_random_uuid()), project_id, id, 'ada@example.com',"
      " sha256('ada@example.com'), 'active', clock_timestamp() FROM status_pages WHERE id = $1 RETURNING id",
      {page});
  tenant.ids["subscribers"] = subscriber.at(0).at(0).value();
  tenant.ids["maintenance-windows"] = make_window(tenant, std::chrono::minutes(-1));
  tenant.window_update =
      make("/api/maintenance-windows/" + tenant.ids["maintenance-windows"] + "/updates", R"({"body":"b"})");
}

/// The heartbeat's key is the one in its path.
void contract_fixture::fill_heartbeat(contract_tenant& tenant) {
  auto const key = mint_ping_key();
  std::string const text(key.key.reveal());
  auto const slug = tenant.project.substr(tenant.project.find('/') + 1);
  auto const id = uuid::generate_v7().to_string();
  sql_.run(
      "INSERT INTO monitors (id, project_id, name, type, frequency_minutes, attempts_seconds, config, created_by)"
      " SELECT $1::uuid, p.id, 'standing', 'heartbeat', 5, 60, '{\"schedule\":{\"everySeconds\":3600}}',"
      " (SELECT u.id FROM users u LIMIT 1) FROM projects p WHERE p.slug = $2",
      {id, slug});
  sql_.run("INSERT INTO monitor_status (monitor_id) VALUES ($1::uuid)", {id});
  sql_.run(
      "INSERT INTO check_states (monitor_id, location_id, check_version)"
      " VALUES ($1::uuid, '00000000-0000-0000-0000-000000000000', 1)",
      {id});
  sql_.run("INSERT INTO heartbeats (monitor_id) VALUES ($1::uuid)", {id});
  sql_.run(
      "INSERT INTO heartbeat_keys (digest, monitor_id, sealed, key_id)"
      " VALUES (sha256($2::text::bytea), $1::uuid, '', gen_random_uuid())",
      {id, text});
  tenant.ids["heartbeats"] = text;
  tenant.ids["{key}"] = "log";  // the word after the key in a path
  tenant.ids["cli"] = "install.sh";
}

std::string contract_fixture::make_outage(std::string const& monitor, std::string const& ended,
                                          std::string const& reason) {
  auto const made = sql_.run(
      "INSERT INTO outages (id, project_id, monitor_id, started_at, detected_at, ended_at, end_reason, cause,"
      " cause_message, cause_location, locations_down)"
      " SELECT id_at(clock_timestamp(), gen_random_uuid()), project_id, id, clock_timestamp(), clock_timestamp(), " +
          ended + ", " + reason + ", 3, 'refused', 'local', '{local}' FROM monitors WHERE id = $1 RETURNING id",
      {monitor});
  return made.at(0).at(0).value();
}

/// The alert is a reminder, so that there may be many.
std::string contract_fixture::make_alert(contract_tenant const& tenant, std::string const& status) {
  auto const made = sql_.run(
      "INSERT INTO alerts (id, project_id, type, target_type, target_id, target_name, about, number, provider_id,"
      " provider_name, status, attempts, last_attempt_at, error_reason, error_status)"
      " SELECT id_at(clock_timestamp(), gen_random_uuid()), o.project_id, 'monitor_failure', 'monitor', o.monitor_id,"
      " 'standing', o.id, (SELECT count(*) FROM alerts a WHERE a.about = o.id), $2::uuid, 'n', " +
          status + ", 1, clock_timestamp(), 'rejected', 400 FROM outages o WHERE o.id = $1 RETURNING id",
      {tenant.ids.at("outages"), tenant.ids.at("notification-providers")});
  return made.at(0).at(0).value();
}

void contract_fixture::await_first_check(contract_tenant const& tenant) {
  auto const checked = [&] {
    return sql_.run("SELECT seen_at IS NOT NULL FROM check_states WHERE monitor_id = $1::uuid",
                    {tenant.checked_monitor})[0][0] == "t";
  };
  if (!comes_true(checked, std::chrono::seconds(20)))
    throw std::runtime_error("the first check of a monitor did not come");
}

/// Writes results of the last three minutes; the newest is a failure. All go into the current hour, like a late
/// result: the API shows them there although they started earlier, and new data may start with this hour.
void contract_fixture::make_results(std::string const& monitor) {
  auto const now = system_now().micros / 1000;
  for (int i = 0; i < 3; ++i) {
    auto const begin = now - 60'000L * (i + 1);
    checks::kept_result result{.slot = begin, .started_ms = begin, .response_time_ms = 12};
    if (i == 0) result.ended = checks::status::down;
    if (i == 0) result.code = checks::code::connect_refused;
    sql_.run(
        "INSERT INTO check_raw SELECT hour % 8, hour, $1::uuid, '00000000-0000-0000-0000-000000000000', $2::bigint, "
        "60,"
        " decode($3, 'hex') FROM (SELECT $4::bigint / 3600000 AS hour) t",
        {monitor, std::to_string(result.started_ms), to_hex(checks::packed({result})), std::to_string(now)});
  }
}

std::string contract_fixture::make_user(std::string const& project, std::string const& role) {
  auto const email = "u" + std::to_string(++names_) + "@example.org";
  admin({"create-user", "--email", email, "--name", email});
  bool const in_organization = role.starts_with("org_");
  admin({"add-member", "--organization", "demo", "--user", email, "--role", in_organization ? role : "org_member"});
  if (!role.empty() && !in_organization) admin({"add-member", "--project", project, "--user", email, "--role", role});
  return email;
}

std::string contract_fixture::sign_in(std::string const& email) {
  std::string const link(admin({"create-sign-in-link", "--user", email}).at("link").as_string());
  auto const secret = link.substr(link.find('#') + 1);
  request const opened{.method = "POST",
                       .target = "/dashboard/v1/sign-in/link",
                       .body = R"({"token":")" + secret + R"("})",
                       .headers = {{"Sec-Fetch-Site", "same-origin"}}};
  auto const field = send(opened).header("set-cookie").value();
  auto const start = field.find('=') + 1;
  return field.substr(start, field.find(';') - start);
}

std::string contract_fixture::make_token(std::string const& project, std::string const& owner) {
  auto const name = "made " + std::to_string(++names_);
  auto const made = admin({"create-token", "--project", project, "--owner", owner, "--name", name});
  return std::string(made.at("key").as_string());
}

std::string contract_fixture::make_window(contract_tenant const& tenant, std::chrono::minutes start) {
  auto const begin = system_now().micros + start.count() * 60'000'000;
  json::object const body{{"name", "standing"},
                          {"monitorIds", json::array{json::string(tenant.ids.at("monitors"))}},
                          {"statusPageIds", json::array{json::string(tenant.ids.at("status-pages"))}},
                          {"startsAt", to_rfc3339(timestamp{begin})},
                          {"endsAt", to_rfc3339(timestamp{begin + 86'400'000'000})}};
  return id_of(must(201, {"POST", "/api/maintenance-windows", tenant.token, json::serialize(body)}));
}

std::vector<std::string> contract_fixture::documented_bodies(http::operation const& op,
                                                             contract_tenant const& tenant) {
  std::vector<std::string> out;
  auto const schema = contract().body_schema(op);
  if (auto const* const examples = schema.if_contains("examples")) {
    for (auto const& example : examples->as_array()) out.push_back(fitted(tenant, json::serialize(example)));
  }
  if (out.empty()) out.emplace_back();
  return out;
}

request contract_fixture::good(http::operation const& op, contract_tenant const& tenant) {
  auto ids = tenant.ids;
  // The stream of a queued run never ends. A queued run has no output yet and cannot be deleted.
  if (op.id == "stream_run" || op.id == "get_run_output" || op.id == "delete_run") ids["runs"] = tenant.ended_run;
  if (op.id == "restore_monitor") ids["monitors"] = tenant.deleted_monitor;
  if (op.id == "check_monitor") ids["monitors"] = tenant.checked_monitor;
  if (op.id == "rotate_heartbeat_key") ids["monitors"] = tenant.heartbeat;
  if (op.id == "update_window_update") ids["updates"] = tenant.window_update;
  return {op.method, path_of(op, ids), op.token_kinds.empty() ? std::string() : tenant.token,
          documented_bodies(op, tenant).front()};
}

}  // namespace svc::test
