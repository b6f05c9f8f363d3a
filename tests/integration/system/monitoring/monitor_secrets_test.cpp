// Creates all kinds of secrets of monitors and providers, while targets and receivers return all data that they got,
// in each spelling. Then the test searches everything that is stored, logged, exported, answered and sent for the
// secrets. The file is longer than others, because one installation has all secrets.
#include "integration/system/stored_texts.hpp"
#include "integration/system/windows/echoes.hpp"

#include "support/comes_true.hpp"
#include "support/mail_servers.hpp"
#include "svc/core/random.hpp"

#include <doctest/doctest.h>
#include <boost/json.hpp>

#include <chrono>
#include <map>

namespace svc::test {
namespace {

namespace json = boost::json;
using namespace std::chrono_literals;

struct guarded_secrets {
  /// Returns a new secret. Its owner is the provider of that name, if there is one.
  std::string secret(std::string const& label, std::string const& owner = {}) {
    secrets[label] = {random_alphanumeric(24), owner};
    return secrets[label].first;
  }
  /// Stores the value as a variable, between characters that each spelling treats differently.
  std::string variable(std::string const& key, std::string value) {
    REQUIRE(call("/api/variables", {{"key", key}, {"value", std::move(value)}, {"isSecret", true}}).status == 201);
    return "{{" + key + "}}";
  }
  std::string variable(std::string const& key) { return variable(key, "a/\"b&" + secret(key) + "<c+%d"); }

  answer call(std::string const& path, json::object const& body, int instance = 0) {
    auto got = fleet.client(static_cast<std::size_t>(instance), tenant.token)
                   .post(path, body.empty() ? std::string() : json::serialize(body));
    answers += got.body + "\n";
    return got;
  }
  std::string provider(std::string const& type, json::object config, bool enabled = true) {
    auto const got = call(
        "/api/notification-providers",
        {{"name", type}, {"type", type}, {"enabled", enabled}, {"groupSeconds", 0}, {"config", std::move(config)}});
    REQUIRE(got.status == 201);
    providers.push_back(text_of(body_of(got), "/id"));
    return providers.back();
  }
  json::object monitor_body(std::string const& label, std::string const& target, json::object config,
                            json::array const& providers) const {
    config["retryStrategy"] = {{"maxRetries", 0}};
    return {{"name", label},         {"type", "http_request"},
            {"target", target},      {"frequencyMinutes", 60},
            {"config", config},      {"alertConfig", {{"enabled", true}, {"notificationProviders", providers}}},
            {"description", planted}};
  }
  std::string monitor(json::object const& body) {
    auto const got = call("/api/monitors", body);
    REQUIRE(got.status == 201);
    monitors.push_back(text_of(body_of(got), "/id"));
    return monitors.back();
  }
  bool becomes(std::string const& monitor, std::string const& verdict) {
    return comes_true(
        [&] {
          return fleet.sql("SELECT verdict FROM monitor_status WHERE monitor_id = '" + monitor + "'")[0][0] ==
                 verdict;
        },
        20s);
  }

  throwaway_ca trusted = make_throwaway_ca("IP:127.0.0.1");
  temporary_directory files;
  std::string authority = files.write("ca.pem", trusted.authority);
  std::map<std::string, std::pair<std::string, std::string>> secrets{};
  std::string smtp_password = secret("smtp");
  mail_sink mails{{.tls = &trusted, .auth = "svc:" + smtp_password}};
  class fleet fleet{2,
                    {"SVC_OUTGOING_CA_FILE=" + authority, "SVC_LOG_LEVEL=debug", "SVC_SMTP_CA_FILE=" + authority,
                     "SVC_SMTP_URL=smtp://127.0.0.1:" + std::to_string(mails.port()), "SVC_SMTP_USERNAME=svc",
                     "SVC_SMTP_PASSWORD_FILE=" + files.write("password", smtp_password),
                     "SVC_SMTP_FROM=svc@example.org", "SVC_SMTP_TLS=required"}};
  tenant tenant = fleet.make_tenant();
  http_server plain{echo_target}, secure{{.tls = &trusted}, echo_target};
  http_server hook{{.tls = &trusted}, echo_receiver(200)}, refusing{{.tls = &trusted}, echo_receiver(400)},
      slack{{.tls = &trusted}, echo_receiver(200)}, discord{{.tls = &trusted}, echo_receiver(200)},
      teams{{.tls = &trusted}, echo_receiver(200)};
  std::string planted{}, answers{};
  std::vector<std::string> providers{}, monitors{};
};

/// Makes one provider of each type. Services with fixed addresses are stored, and never used.
json::array make_providers(guarded_secrets& secrets) {
  auto const hook_path = secrets.secret("hook path", "hook"),
             refusing_path = secrets.secret("refusing path", "refusing");
  json::object const fields{{"X-Key", secrets.secret("hook field", "hook")}};
  auto const signing = [&](std::string const& text, std::string const& owner) {
    return "whsec_" + to_base64(as_bytes(secrets.secret(text, owner) + "0123456789"));
  };
  json::array providers;
  auto const add = [&](std::string const& id) { providers.emplace_back(id); };
  add(secrets.provider("webhook", {{"url", secrets.hook.url("/" + hook_path)},
                                   {"headers", fields},
                                   {"signingSecret", signing("signing", "hook")}}));
  auto const refusing = secrets.provider("webhook", {{"url", secrets.refusing.url("/" + refusing_path)}});
  add(refusing);
  add(secrets.provider("slack", {{"webhookUrl", secrets.slack.url("/" + secrets.secret("slack", "slack"))}}));
  add(secrets.provider("discord", {{"webhookUrl", secrets.discord.url("/" + secrets.secret("discord", "discord"))}}));
  add(secrets.provider("teams", {{"webhookUrl", secrets.teams.url("/" + secrets.secret("teams", "teams"))}}));
  add(secrets.provider("email", {{"to", {"ops@mail.test"}}}));
  auto owner = secrets.fleet.client(0, secrets.tenant.token);
  auto const rotated =
      owner.patch("/api/notification-providers/" + secrets.providers.front(),
                  json::serialize(json::object{{"config", {{"signingSecret", signing("second signing", "hook")}}}}));
  CHECK(rotated.status == 200);
  secrets.answers += rotated.body;
  for (auto const& id : secrets.providers) {
    CHECK(secrets.call("/api/notification-providers/" + id + "/test", {}, 1).status == 200);
  }
  for (auto const& [server, label] :
       {std::pair(&secrets.hook, "unsaved hook"), {&secrets.refusing, "unsaved refusing"}}) {
    auto const path = secrets.secret(label, std::string(label).substr(8));
    CHECK(secrets
              .call("/api/notification-providers/test",
                    {{"name", "n"}, {"type", "webhook"}, {"config", {{"url", server->url("/" + path)}}}})
              .status == 200);
  }
  secrets.provider("telegram", {{"botToken", "7:" + secrets.secret("bot")}, {"chatId", "7"}}, false);
  secrets.provider("pagerduty", {{"routingKey", secrets.secret("routing") + "01234567"}}, false);
  secrets.provider("ntfy", {{"topic", "t"}, {"token", "tk_" + secrets.secret("token of ntfy")}}, false);
  return providers;
}

/// Makes monitors. Each except the first goes down in its own way and notifies a receiver; the second notifies all.
void make_monitors(guarded_secrets& secrets, json::array const& providers) {
  auto const plain = [&](std::string const& path) { return secrets.plain.url(path); };
  json::array const array{providers[0]};
  json::object const basic{{"type", "basic"}, {"username", "shop"}, {"password", secrets.secret("basic")}};
  json::object const bearer{{"type", "bearer"}, {"token", secrets.secret("bearer")}};
  json::object const config{{"method", "POST"},
                            {"headers",
                             {{"X-Api-Key", secrets.secret("field")},
                              {"X-Plain", secrets.variable("FIELD")},
                              {"Cookie", secrets.secret("cookie")}}},
                            {"body", "{\"k\":\"" + secrets.variable("BODY") + "\"}"},
                            {"capture", "on_failure"}};
  auto action = [&](json::object const& auth, json::object more = {}) {
    auto out = config;
    out["auth"] = auth;
    for (auto& each : more) out[each.key()] = each.value();
    return out;
  };
  secrets.monitor(
      secrets.monitor_body("well", plain("/well/" + secrets.variable("PATH_OF_ONE")), action(basic), array));
  secrets.monitor(secrets.monitor_body("fails", plain("/fails/"), action(basic), providers));
  secrets.monitor(secrets.monitor_body("fails by token", plain("/fails/" + secrets.variable("PATH_OF_TWO")),
                                       action(bearer), array));
  json::array const wrong{{{"source", "body"}, {"comparison", "equals"}, {"expected", "x"}}},
      wrong_field{{{"source", "header"}, {"property", "x-echo"}, {"comparison", "equals"}, {"expected", "x"}}};
  secrets.monitor(secrets.monitor_body("says else", plain("/well/"), action(basic, {{"assertions", wrong}}), array));
  secrets.monitor(secrets.monitor_body("has another field", plain("/well/"),
                                       action(bearer, {{"assertions", wrong_field}}), array));
  secrets.monitor(secrets.monitor_body("broken", plain("/broken/"), action(bearer), array));
  secrets.monitor(secrets.monitor_body("moved", plain("/moved/"), action(bearer), array));
  // A check with its own key, over TLS, and one with an invalid key; a redirect from https to http is not followed.
  auto const line = secrets.trusted.key.find('\n') + 61;  // the part after the common start of all keys of its kind
  secrets.secrets["client key"] = {secrets.trusted.key.substr(line, 24), {}};
  json::object tls{{"ca", secrets.trusted.authority},
                   {"clientCertificate", secrets.variable("CERTIFICATE", secrets.trusted.certificate)},
                   {"clientKey", secrets.variable("CLIENT_KEY", secrets.trusted.key)}};
  secrets.monitor(
      secrets.monitor_body("moved to http", secrets.secure.url("/moved/"), action(bearer, {{"tls", tls}}), array));
  tls["clientKey"] = secrets.variable("NO_KEY", "-----BEGIN PRIVATE KEY-----\n" + secrets.secret("no key") + "\n");
  secrets.monitor(
      secrets.monitor_body("no key", secrets.secure.url("/well/"), action(bearer, {{"tls", tls}}), array));
  CHECK(secrets.becomes(secrets.monitors[0], "up"));
  for (std::size_t i = 1; i + 1 < secrets.monitors.size(); ++i) {
    CAPTURE(i);
    CHECK(secrets.becomes(secrets.monitors[i], "down"));
  }
  CHECK(secrets.call("/api/monitors/" + secrets.monitors[3] + "/check?wait=9", {}, 1).status == 200);
  auto unsaved = secrets.monitor_body("unsaved", plain("/fails/"),
                                      action({{"type", "bearer"}, {"token", secrets.secret("unsaved")}}), array);
  CHECK(secrets.call("/api/monitors/test", unsaved).status == 200);
  // This part concerns the message after the recovery.
  auto const edited =
      secrets.fleet.client(0, secrets.tenant.token)
          .patch("/api/monitors/" + secrets.monitors[1], R"({"config":{"expectedStatusCodes":"500"}})");
  CHECK(edited.status == 200);
  secrets.answers += edited.body;
  CHECK(secrets.call("/api/monitors/" + secrets.monitors[1] + "/check?wait=9", {}, 1).status == 200);
  CHECK(secrets.becomes(secrets.monitors[1], "up"));
}

/// Makes a key from before and after its rotation, and bodies of pings with all secrets of the project.
void make_heartbeat(guarded_secrets& secrets) {
  auto const made = secrets.fleet.client(0, secrets.tenant.token)
                        .post("/api/monitors", R"({"name":"backup","type":"heartbeat","config":{"schedule":)"
                                               R"({"everySeconds":3600}}})");
  REQUIRE(made.status == 201);
  secrets.monitors.push_back(text_of(body_of(made), "/id"));
  auto const path_of = [&](json::value const& shown, std::string const& label) {
    auto const url = text_of(shown, "/heartbeat/url");
    auto const path = url.substr(url.find("/api/heartbeats/"));
    // This is the random part of the key.
    secrets.secrets[label] = {path.substr(path.find("svc_beat_") + 9, 24), {}};
    return path;
  };
  auto const first = path_of(body_of(made), "beat");
  auto const rotated = secrets.fleet.client(0, secrets.tenant.token)
                           .post("/api/monitors/" + secrets.monitors.back() + "/rotate-key", "{}");
  REQUIRE(rotated.status == 200);
  auto const second = path_of(body_of(rotated), "second beat");
  auto const hidden = "a/\"b&" + secrets.secrets.at("BODY").first + "<c+%d";
  for (auto const& path : {first, second}) {
    CHECK(
        secrets.fleet.client(1).post(path + "/1", hidden + "\n" + path + "\n" + to_base64(as_bytes(hidden))).status ==
        200);
    CHECK(secrets.fleet.client(0).post(path, path).status == 200);
  }
}

/// Returns everything that users, operators and other receivers can see, by place.
std::vector<std::pair<std::string, std::string>> all_files(guarded_secrets& secrets) {
  auto owner = secrets.fleet.client(0, secrets.tenant.token);
  // This viewer may not see the address of a heartbeat.
  auto viewer = secrets.fleet.client(1, secrets.fleet.make_member(secrets.tenant, "project_viewer").token);
  for (auto const& each : secrets.monitors) {
    auto const address = "/api/monitors/" + each;
    for (auto const* more : {"?recentResults=20", "/results?limit=100", "/outages", "/stats"})
      secrets.answers += viewer.get(address + more).body + "\n";
  }
  for (auto const* path : {"/api/alerts?limit=100", "/api/alerts/history?limit=100", "/api/monitors",
                           "/api/notification-providers", "/api/variables", "/api/audit?limit=100"})
    secrets.answers += owner.get(path).body + "\n";
  std::vector<std::pair<std::string, std::string>> out{{"PostgreSQL", dump_postgres(secrets.fleet)},
                                                       {"Redis", dump_redis(secrets.fleet)},
                                                       {"answers", secrets.answers}};
  for (std::size_t i = 0; i < secrets.fleet.size(); ++i) {
    auto& process = secrets.fleet.process(i);
    auto const proc = "/proc/" + std::to_string(process.pid());
    out.emplace_back("log", process.err().text());
    out.emplace_back("metrics", secrets.fleet.pages(i).get("/metrics").body);
    out.emplace_back("command line", read_file(proc + "/cmdline"));
    out.emplace_back("environment", read_file(proc + "/environ"));
  }
  for (auto const& [label, server] : {std::pair<std::string, http_server*>("hook", &secrets.hook),
                                      {"refusing", &secrets.refusing},
                                      {"slack", &secrets.slack},
                                      {"discord", &secrets.discord},
                                      {"teams", &secrets.teams}}) {
    std::string got;
    for (auto const& each : server->requests()) got += each + "\n";
    out.emplace_back(label, got);
  }
  std::string mails;
  for (auto const& each : secrets.mails.mails()) mails += json::serialize(each) + "\n";
  out.emplace_back("mails", mails);
  return out;
}

}  // namespace

TEST_CASE(
    "secrets of monitors and providers, which targets and receivers send back in each spelling, are found nowhere") {
  guarded_secrets secrets;
  // The search finds values that are not hidden, in each spelling. This proves that the search works.
  std::vector<std::string> open;
  for (int i = 0; i < 4; ++i) open.push_back(random_alphanumeric(24));
  secrets.planted =
      open[0] + " " + hex(open[1]) + " " + to_base64(as_bytes("it is " + open[2])) + " " + percent_encoded(open[3]);
  auto const providers = make_providers(secrets);
  make_monitors(secrets, providers);
  make_heartbeat(secrets);
  REQUIRE(secrets.fleet.redis({"SET", "planted", secrets.planted}) == "OK");
  CHECK(secrets.fleet.client(0).call("GET", "/livez", {}, {{"X-Request-Id", open[0]}}).status == 200);
  CHECK(comes_true(
      [&] {
        std::string fates;
        for (auto const& each : secrets.fleet.sql("SELECT type || ' ' || count(DISTINCT provider_id) FROM alerts"
                                                  " WHERE status = 'sent' GROUP BY type ORDER BY 1"))
          fates += each[0] + ", ";
        return fates.find("monitor_failure 5, monitor_recovery 5, ") != fates.npos;
      },
      60s));

  auto const paths = all_files(secrets);
  for (auto const& [spot, content] : paths) {
    CAPTURE(spot);
    CHECK_FALSE(content.empty());
    for (auto const& [label, secret] : secrets.secrets) {
      if (secret.second == spot) continue;
      CAPTURE(label);
      CHECK_FALSE(reveals(content, secret.first));
    }
    if (spot == "PostgreSQL" || spot == "Redis" || spot == "answers") {
      for (auto const& each : open) CHECK(reveals(content, each));
    }
    // A provider's own receiver gets the secrets that it needs.
    for (auto const& [label, secret] : secrets.secrets) {
      if (secret.second != spot || label.ends_with("signing")) continue;
      CAPTURE(label);
      CHECK(reveals(content, secret.first));
    }
    if (spot == "environment") CHECK(content.find("SVC_SMTP_PASSWORD_FILE=") != content.npos);
    if (spot == "mails") CHECK(content.find("fails") != content.npos);
  }
  CHECK(reveals(paths[3].second, open[0]));
  // Targets got the secrets that were meant for them.
  std::string asked;
  for (auto const* server : {&secrets.plain, &secrets.secure})
    for (auto const& each : server->requests()) asked += each + "\n";
  for (auto const* label : {"basic", "bearer", "field", "FIELD", "BODY", "cookie", "PATH_OF_ONE", "PATH_OF_TWO"})
    CHECK(reveals(asked, secrets.secrets.at(label).first));
}

}  // namespace svc::test
