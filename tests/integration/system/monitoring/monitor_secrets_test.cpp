// All secrets that monitors and providers can have, while targets and receivers send back whatever they got, in each
// spelling; then all that is stored, logged, exported, answered and sent is searched for them. Longer than other
// files, because it is one installation that has them all.
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
  /// A new secret, whose owner is the provider of that name, if it is one's.
  std::string secret(std::string const& label, std::string const& owner = {}) {
    secrets[label] = {random_alphanumeric(24), owner};
    return secrets[label].first;
  }
  /// As a variable, between characters that each spelling treats in its own way.
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
                            json::array const& tell) const {
    config["retryStrategy"] = {{"maxRetries", 0}};
    return {{"name", label},         {"type", "http_request"},
            {"target", target},      {"frequencyMinutes", 60},
            {"config", config},      {"alertConfig", {{"enabled", true}, {"notificationProviders", tell}}},
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

/// One of each type. Those of services whose addresses are fixed are stored, and never sent to.
json::array make_providers(guarded_secrets& in) {
  auto const hook_path = in.secret("hook path", "hook"), refusing_path = in.secret("refusing path", "refusing");
  json::object const fields{{"X-Key", in.secret("hook field", "hook")}};
  auto const signing = [&](std::string const& of, std::string const& owner) {
    return "whsec_" + to_base64(as_bytes(in.secret(of, owner) + "0123456789"));
  };
  json::array tell;
  auto const add = [&](std::string const& id) { tell.emplace_back(id); };
  add(in.provider(
      "webhook",
      {{"url", in.hook.url("/" + hook_path)}, {"headers", fields}, {"signingSecret", signing("signing", "hook")}}));
  auto const refusing = in.provider("webhook", {{"url", in.refusing.url("/" + refusing_path)}});
  add(refusing);
  add(in.provider("slack", {{"webhookUrl", in.slack.url("/" + in.secret("slack", "slack"))}}));
  add(in.provider("discord", {{"webhookUrl", in.discord.url("/" + in.secret("discord", "discord"))}}));
  add(in.provider("teams", {{"webhookUrl", in.teams.url("/" + in.secret("teams", "teams"))}}));
  add(in.provider("email", {{"to", {"ops@mail.test"}}}));
  auto owner = in.fleet.client(0, in.tenant.token);
  auto const rotated =
      owner.patch("/api/notification-providers/" + in.providers.front(),
                  json::serialize(json::object{{"config", {{"signingSecret", signing("second signing", "hook")}}}}));
  CHECK(rotated.status == 200);
  in.answers += rotated.body;
  for (auto const& id : in.providers) {
    CHECK(in.call("/api/notification-providers/" + id + "/test", {}, 1).status == 200);
  }
  for (auto const& [server, label] : {std::pair(&in.hook, "unsaved hook"), {&in.refusing, "unsaved refusing"}}) {
    auto const path = in.secret(label, std::string(label).substr(8));
    CHECK(in.call("/api/notification-providers/test",
                  {{"name", "n"}, {"type", "webhook"}, {"config", {{"url", server->url("/" + path)}}}})
              .status == 200);
  }
  in.provider("telegram", {{"botToken", "7:" + in.secret("bot")}, {"chatId", "7"}}, false);
  in.provider("pagerduty", {{"routingKey", in.secret("routing") + "01234567"}}, false);
  in.provider("ntfy", {{"topic", "t"}, {"token", "tk_" + in.secret("token of ntfy")}}, false);
  return tell;
}

/// Each goes down in its own way, but the first, and tells a receiver; the second tells all.
void make_monitors(guarded_secrets& in, json::array const& tell) {
  auto const plain = [&](std::string const& path) { return in.plain.url(path); };
  json::array const one{tell[0]};
  json::object const basic{{"type", "basic"}, {"username", "shop"}, {"password", in.secret("basic")}};
  json::object const bearer{{"type", "bearer"}, {"token", in.secret("bearer")}};
  json::object const config{
      {"method", "POST"},
      {"headers",
       {{"X-Api-Key", in.secret("field")}, {"X-Plain", in.variable("FIELD")}, {"Cookie", in.secret("cookie")}}},
      {"body", "{\"k\":\"" + in.variable("BODY") + "\"}"},
      {"capture", "on_failure"}};
  auto with = [&](json::object const& auth, json::object more = {}) {
    auto out = config;
    out["auth"] = auth;
    for (auto& each : more) out[each.key()] = each.value();
    return out;
  };
  in.monitor(in.monitor_body("well", plain("/well/" + in.variable("PATH_OF_ONE")), with(basic), one));
  in.monitor(in.monitor_body("fails", plain("/fails/"), with(basic), tell));
  in.monitor(in.monitor_body("fails by token", plain("/fails/" + in.variable("PATH_OF_TWO")), with(bearer), one));
  json::array const wrong{{{"source", "body"}, {"comparison", "equals"}, {"expected", "x"}}},
      wrong_field{{{"source", "header"}, {"property", "x-echo"}, {"comparison", "equals"}, {"expected", "x"}}};
  in.monitor(in.monitor_body("says else", plain("/well/"), with(basic, {{"assertions", wrong}}), one));
  in.monitor(in.monitor_body("has another field", plain("/well/"), with(bearer, {{"assertions", wrong_field}}), one));
  in.monitor(in.monitor_body("broken", plain("/broken/"), with(bearer), one));
  in.monitor(in.monitor_body("moved", plain("/moved/"), with(bearer), one));
  // With a key of its own, over TLS, and one that is no key; from https to http it is not followed.
  auto const line = in.trusted.key.find('\n') + 61;  // behind what all keys of its kind begin with
  in.secrets["client key"] = {in.trusted.key.substr(line, 24), {}};
  json::object tls{{"ca", in.trusted.authority},
                   {"clientCertificate", in.variable("CERTIFICATE", in.trusted.certificate)},
                   {"clientKey", in.variable("CLIENT_KEY", in.trusted.key)}};
  in.monitor(in.monitor_body("moved to http", in.secure.url("/moved/"), with(bearer, {{"tls", tls}}), one));
  tls["clientKey"] = in.variable("NO_KEY", "-----BEGIN PRIVATE KEY-----\n" + in.secret("no key") + "\n");
  in.monitor(in.monitor_body("no key", in.secure.url("/well/"), with(bearer, {{"tls", tls}}), one));
  CHECK(in.becomes(in.monitors[0], "up"));
  for (std::size_t i = 1; i + 1 < in.monitors.size(); ++i) {
    CAPTURE(i);
    CHECK(in.becomes(in.monitors[i], "down"));
  }
  CHECK(in.call("/api/monitors/" + in.monitors[3] + "/check?wait=9", {}, 1).status == 200);
  auto unsaved =
      in.monitor_body("unsaved", plain("/fails/"), with({{"type", "bearer"}, {"token", in.secret("unsaved")}}), one);
  CHECK(in.call("/api/monitors/test", unsaved).status == 200);
  // What it tells when it is up again.
  auto const edited = in.fleet.client(0, in.tenant.token)
                          .patch("/api/monitors/" + in.monitors[1], R"({"config":{"expectedStatusCodes":"500"}})");
  CHECK(edited.status == 200);
  in.answers += edited.body;
  CHECK(in.call("/api/monitors/" + in.monitors[1] + "/check?wait=9", {}, 1).status == 200);
  CHECK(in.becomes(in.monitors[1], "up"));
}

/// A key of before and after its rotation, and bodies of beats that have all that the project hides.
void make_heartbeat(guarded_secrets& in) {
  auto const made = in.fleet.client(0, in.tenant.token)
                        .post("/api/monitors", R"({"name":"backup","type":"heartbeat","config":{"schedule":)"
                                               R"({"everySeconds":3600}}})");
  REQUIRE(made.status == 201);
  in.monitors.push_back(text_of(body_of(made), "/id"));
  auto const path_of = [&](json::value const& shown, std::string const& label) {
    auto const url = text_of(shown, "/heartbeat/url");
    auto const path = url.substr(url.find("/api/heartbeats/"));
    // Its random part.
    in.secrets[label] = {path.substr(path.find("svc_beat_") + 9, 24), {}};
    return path;
  };
  auto const first = path_of(body_of(made), "beat");
  auto const rotated =
      in.fleet.client(0, in.tenant.token).post("/api/monitors/" + in.monitors.back() + "/rotate-key", "{}");
  REQUIRE(rotated.status == 200);
  auto const second = path_of(body_of(rotated), "second beat");
  auto const hidden = "a/\"b&" + in.secrets.at("BODY").first + "<c+%d";
  for (auto const& path : {first, second}) {
    CHECK(in.fleet.client(1).post(path + "/1", hidden + "\n" + path + "\n" + to_base64(as_bytes(hidden))).status ==
          200);
    CHECK(in.fleet.client(0).post(path, path).status == 200);
  }
}

/// All that users, operators and other receivers can see, by where it is.
std::vector<std::pair<std::string, std::string>> all_places(guarded_secrets& in) {
  auto owner = in.fleet.client(0, in.tenant.token);
  // A viewer, to whom no address of a heartbeat is shown.
  auto viewer = in.fleet.client(1, in.fleet.make_member(in.tenant, "project_viewer").token);
  for (auto const& each : in.monitors) {
    auto const at = "/api/monitors/" + each;
    for (auto const* more : {"?recentResults=20", "/results?limit=100", "/outages", "/stats"})
      in.answers += viewer.get(at + more).body + "\n";
  }
  for (auto const* path : {"/api/alerts?limit=100", "/api/alerts/history?limit=100", "/api/monitors",
                           "/api/notification-providers", "/api/variables", "/api/audit?limit=100"})
    in.answers += owner.get(path).body + "\n";
  std::vector<std::pair<std::string, std::string>> out{
      {"PostgreSQL", dump_postgres(in.fleet)}, {"Redis", dump_redis(in.fleet)}, {"answers", in.answers}};
  for (std::size_t i = 0; i < in.fleet.size(); ++i) {
    auto& process = in.fleet.process(i);
    auto const proc = "/proc/" + std::to_string(process.pid());
    out.emplace_back("log", process.err().text());
    out.emplace_back("metrics", in.fleet.pages(i).get("/metrics").body);
    out.emplace_back("command line", read_file(proc + "/cmdline"));
    out.emplace_back("environment", read_file(proc + "/environ"));
  }
  for (auto const& [label, server] : {std::pair<std::string, http_server*>("hook", &in.hook),
                                      {"refusing", &in.refusing},
                                      {"slack", &in.slack},
                                      {"discord", &in.discord},
                                      {"teams", &in.teams}}) {
    std::string got;
    for (auto const& each : server->requests()) got += each + "\n";
    out.emplace_back(label, got);
  }
  std::string mails;
  for (auto const& each : in.mails.mails()) mails += json::serialize(each) + "\n";
  out.emplace_back("mails", mails);
  return out;
}

}  // namespace

TEST_CASE(
    "secrets of monitors and providers, which targets and receivers send back in each spelling, are found nowhere") {
  guarded_secrets in;
  // What is not hidden is found, in each spelling: so the search is no blind one.
  std::vector<std::string> open;
  for (int i = 0; i < 4; ++i) open.push_back(random_alphanumeric(24));
  in.planted =
      open[0] + " " + hex(open[1]) + " " + to_base64(as_bytes("it is " + open[2])) + " " + percent_encoded(open[3]);
  auto const tell = make_providers(in);
  make_monitors(in, tell);
  make_heartbeat(in);
  REQUIRE(in.fleet.redis({"SET", "planted", in.planted}) == "OK");
  CHECK(in.fleet.client(0).call("GET", "/livez", {}, {{"X-Request-Id", open[0]}}).status == 200);
  CHECK(comes_true(
      [&] {
        std::string fates;
        for (auto const& each : in.fleet.sql("SELECT type || ' ' || count(DISTINCT provider_id) FROM alerts"
                                             " WHERE status = 'sent' GROUP BY type ORDER BY 1"))
          fates += each[0] + ", ";
        return fates.find("monitor_failure 5, monitor_recovery 5, ") != fates.npos;
      },
      60s));

  auto const places = all_places(in);
  for (auto const& [place, content] : places) {
    CAPTURE(place);
    CHECK_FALSE(content.empty());
    for (auto const& [label, secret] : in.secrets) {
      if (secret.second == place) continue;
      CAPTURE(label);
      CHECK_FALSE(reveals(content, secret.first));
    }
    if (place == "PostgreSQL" || place == "Redis" || place == "answers") {
      for (auto const& each : open) CHECK(reveals(content, each));
    }
    // What its own receiver gets is what it needs.
    for (auto const& [label, secret] : in.secrets) {
      if (secret.second != place || label.ends_with("signing")) continue;
      CAPTURE(label);
      CHECK(reveals(content, secret.first));
    }
    if (place == "environment") CHECK(content.find("SVC_SMTP_PASSWORD_FILE=") != content.npos);
    if (place == "mails") CHECK(content.find("fails") != content.npos);
  }
  CHECK(reveals(places[3].second, open[0]));
  // Targets got what was meant for them.
  std::string asked;
  for (auto const* server : {&in.plain, &in.secure})
    for (auto const& each : server->requests()) asked += each + "\n";
  for (auto const* label : {"basic", "bearer", "field", "FIELD", "BODY", "cookie", "PATH_OF_ONE", "PATH_OF_TWO"})
    CHECK(reveals(asked, in.secrets.at(label).first));
}

}  // namespace svc::test
