// All monitors fall at once, on real instances, with receivers of several types over TLS, of which one hangs.
#include "integration/egress/http_server.hpp"
#include "integration/system/jobs.hpp"
#include "integration/system/overload/steady_load.hpp"
#include "monitor_rows.hpp"
#include "support/comes_true.hpp"
#include "support/metrics_page.hpp"
#include "support/watched_target.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <list>
#include <map>

namespace svc::test {
namespace {

using namespace std::chrono_literals;

constexpr int few_monitors = 300, monitors_of_target = 100;

/// The long form has intervals, retries and groups as users have them.
struct storm_plan {
  int monitors = long_form("TEST_STORM_MONITORS", few_monitors);
  bool is_long = monitors > few_monitors;
  int every = is_long ? 60 : 2, group = is_long ? 30 : 2;
  std::chrono::milliseconds calm = is_long ? 30s : 1s;
  std::chrono::milliseconds look = is_long ? 1s : 50ms;  ///< each look counts all of them
  std::chrono::seconds patience = is_long ? 300s : 60s;
  std::string per_minute = is_long ? "600" : "1000000";
  int targets = std::max(1, monitors / monitors_of_target);
  std::string config = is_long ? "{}" : R"({"retryStrategy":{"maxRetries":0}})";
};

std::string port_of(watched_target const& target) {
  auto const address = target.address();
  return address.substr(address.find(':') + 1);
}

http_server::script taking(std::string answer) {
  return [answer = std::move(answer)](http_connection& connection) {
    while (!connection.request().empty()) connection.send(answer);
  };
}

/// Two instances, an installation with one project, and the providers of its monitors.
class storm {
 public:
  explicit storm(storm_plan plan) : plan_(std::move(plan)) {
    allow_any_interval(two_);
    add_receiver("slack", "webhookUrl", answer_of(200, {}, "ok"));
    add_receiver("discord", "webhookUrl", answer_of(200, {}, "{}"));
    add_receiver("teams", "webhookUrl", answer_of(202));
    add_receiver("webhook", "url", answer_of(204));
    hanging_ = make_provider("slack", "webhookUrl", mute_.url());
  }

  fleet& instances() { return two_; }
  std::string number_of_all() const { return std::to_string(plan_.monitors); }

  /// Equally many on each of the targets: only some checks at a time go to one of them.
  void add_monitors(std::list<watched_target> const& targets) {
    std::string reported, ports;
    for (auto const& each : targets) ports += (ports.empty() ? "" : ",") + port_of(each);
    for (auto const& each : receivers_) reported += "\"" + each.provider + "\",";
    add_monitor_rows(
        two_, {.count = plan_.monitors,
               .type = "port_check",
               .target = "127.0.0.1",
               .every = plan_.every,
               .config = "jsonb_build_object('port', (ARRAY[" + ports + "])[1 + i % " +
                         std::to_string(targets.size()) + "]) || '" + plan_.config + "'",
               .alerts = R"({"enabled":true,"notificationProviders":[)" + reported + "\"" + hanging_ + "\"]}"});
  }
  bool all_become(std::string const& verdict) const {
    return comes_true(
        [&] {
          return two_.word("SELECT count(*) FROM monitor_status WHERE verdict = '" + verdict + "'") ==
                 number_of_all();
        },
        plan_.patience, plan_.look);
  }
  bool all_notified() const {
    return comes_true(
        [&] {
          return two_.word("SELECT count(*) FROM alerts WHERE status = 'pending' AND provider_id <> '" + hanging_ +
                           "'") == "0";
        },
        plan_.patience, plan_.look);
  }

  void check_history() const;
  /// `most`: of each receiver.
  void check_messages(std::size_t most) const;
  void check_delays() const;

 private:
  struct receiver {
    std::string type, provider;
    std::unique_ptr<http_server> server;
  };

  void add_receiver(std::string const& type, std::string const& member, std::string answer) {
    auto server = std::make_unique<http_server>(http_server::options{.tls = &trusted_}, taking(std::move(answer)));
    auto const url = server->url("/" + type);
    receivers_.push_back({type, make_provider(type, member, url), std::move(server)});
  }
  std::string make_provider(std::string const& type, std::string const& member, std::string const& url) const {
    auto const made =
        two_.client(0, two_.text("token"))
            .post("/api/notification-providers", R"({"name":")" + type + R"(","type":")" + type +
                                                     R"(","groupSeconds":)" + std::to_string(plan_.group) +
                                                     R"(,"config":{")" + member + R"(":")" + url + "\"}}");
    REQUIRE_MESSAGE(made.status == 201, made.body);
    return text_of(body_of(made), "/id");
  }

  storm_plan const plan_;
  throwaway_ca trusted_ = make_throwaway_ca("IP:127.0.0.1");
  temporary_directory files_;
  std::string authority_ = files_.write("ca.pem", trusted_.authority);
  fleet two_{2,
             {"SVC_OUTGOING_CA_FILE=" + authority_, "SVC_CHECKS_PER_TARGET_PER_MINUTE=" + plan_.per_minute,
              "SVC_WORKERS=1"}};
  http_server mute_{{.tls = &trusted_, .mute = true}, taking({})};
  std::list<receiver> receivers_{};
  std::string hanging_{};
};

/// Each fall is an outage, and an alert for each provider.
void storm::check_history() const {
  CHECK(two_.word("SELECT count(*) || ' ' || count(DISTINCT monitor_id) || ' ' || count(ended_at) FROM outages") ==
        number_of_all() + " " + number_of_all() + " 0");
  for (auto const& each : receivers_)
    CHECK(
        two_.word(
            "SELECT count(*) || ' ' || count(DISTINCT target_id) || ' ' || string_agg(DISTINCT type || ' ' || status,"
            " ',') FROM alerts WHERE provider_id = '" +
            each.provider + "'") == number_of_all() + " " + number_of_all() + " monitor_failure sent");
  CHECK(two_.word("SELECT count(*) || ' ' || string_agg(DISTINCT status, ',') FROM alerts WHERE provider_id = '" +
                  hanging_ + "'") == number_of_all() + " pending");
}

/// Failures that a webhook tells: one, or those that it names and those that it counts.
std::int64_t alerts_by(std::string const& request) {
  auto const body = boost::json::parse(request.substr(request.find("\r\n\r\n") + 4, std::string::npos));
  if (text_of(body, "/type") != "alerts.digest") return 1;
  return static_cast<std::int64_t>(body.at_pointer("/data/alerts").as_array().size()) +
         body.at_pointer("/data/unnamed").as_int64();
}

void storm::check_messages(std::size_t most) const {
  for (auto const& each : receivers_) {
    CAPTURE(each.type);
    auto const got = each.server->requests();
    CHECK(got.size() <= most);
    MESSAGE(each.type, ": ", got.size(), " messages");
    if (each.type != "webhook") continue;
    std::int64_t reported = 0;
    for (auto const& text : got) reported += alerts_by(text);
    CHECK(reported == plan_.monitors);
  }
}

/// The first message of each provider goes at once, the last one when its groups are over. An attempt at the one that
/// hangs lasts ten seconds.
void storm::check_delays() const {
  for (auto const& each : receivers_) {
    auto const seconds = two_.sql(
        "SELECT extract(epoch FROM min(sent_at) - min(created_at)), extract(epoch FROM max(sent_at) - "
        "max(created_at))"
        " FROM alerts WHERE provider_id = '" +
        each.provider + "'");
    CAPTURE(each.type);
    CHECK(std::stod(seconds[0][0]) < 5);
    CHECK(std::stod(seconds[0][1]) < 3 * plan_.group + 5);
    MESSAGE(each.type, ": first after ", seconds[0][0], " s, last after ", seconds[0][1], " s");
  }
  CHECK(two_.word("SELECT max(attempts) > 0 FROM alerts WHERE provider_id = '" + hanging_ + "'") == "t");
}

/// Turns of API workers that took longer than 20 ms, and the longest of all, in seconds.
struct worker_turns {
  double above = 0, longest = 0;
};

worker_turns turns_of(fleet const& fleet) {
  worker_turns out;
  for (std::size_t i = 0; i < fleet.size(); ++i) {
    auto const page = fleet.pages(i).get("/metrics").body;
    out.above += sum_of(page, "svc_worker_turn_seconds_count{") -
                 sum_of(page, "svc_worker_turn_seconds_bucket{", "le=\"0.02\"");
    out.longest = std::max(out.longest, greatest_of(page, "svc_worker_longest_turn_seconds{"));
  }
  return out;
}

TEST_CASE(
    "monitors that all fall within a minute: at most four messages to a chat, all in the history, none delayed") {
  storm_plan const plan;
  storm storm(plan);
  std::list<watched_target> targets(static_cast<std::size_t>(plan.targets));
  storm.add_monitors(targets);
  REQUIRE(storm.all_become("up"));
  auto& two = storm.instances();
  auto client = two.client(0, two.text("token"));
  steady_load load(two, two.text("token"), make_job(client));
  std::this_thread::sleep_for(plan.calm);
  auto const calm = load.next_part();
  auto const turns = turns_of(two);
  for (auto& each : targets) each.close();
  auto const fell = std::chrono::steady_clock::now();
  REQUIRE(storm.all_become("down"));
  auto const down = std::chrono::steady_clock::now();
  REQUIRE(storm.all_notified());
  auto const stormy = load.next_part();
  auto const turns_after = turns_of(two);
  storm.check_history();
  // Four, if all fell while the groups of three messages lasted; a busy machine takes longer for the short form.
  auto const groups = static_cast<std::size_t>((down - fell) / std::chrono::seconds(plan.group));
  storm.check_messages(plan.is_long ? 4 : std::max<std::size_t>(4, groups + 2));
  storm.check_delays();
  CHECK_MESSAGE(calm.failures + stormy.failures == 0, load.complaint());
  auto const seconds = [](auto took) { return std::chrono::duration<double>(took).count(); };
  MESSAGE(plan.monitors, " monitors down in ", seconds(down - fell), " s, told in ",
          seconds(std::chrono::steady_clock::now() - fell), " s; API before: ", calm.text(),
          "; meanwhile: ", stormy.text(), "; turns above 20 ms: ", turns_after.above - turns.above, ", longest ",
          turns_after.longest, " s");
  if (!plan.is_long) return;
  CHECK(stormy.p99_ms <= 2 * calm.p99_ms + 1);
  CHECK(turns_after.above == turns.above);
}

}  // namespace
}  // namespace svc::test
