// Tests monitors, outages and alerts with `svc`, from a failing target to a message that is sent again.
#include "integration/cli/scripted_server.hpp"
#include "integration/cli/svc_user.hpp"
#include "support/comes_true.hpp"

#include <doctest/doctest.h>

#include <boost/json/parse.hpp>

#include <atomic>

namespace svc::test {
namespace {

using namespace std::chrono_literals;

/// A service that may check this machine and send to it, a target, and a receiver that refuses messages until `takes`
/// is set.
struct telling_world {
  std::atomic<bool> up = false, takes = false;
  throwaway_ca identity = make_throwaway_ca("IP:127.0.0.1");
  scripted_server target{[this](received const&) { return whole_answer(up ? 200 : 503, "{}"); }};
  scripted_server receiver{[this](received const&) { return whole_answer(takes ? 200 : 400, "{}"); }, identity};
  temporary_directory directory;
  dev_service dev{directory.path() + "/data",
                  {},
                  {"SVC_OUTGOING_ALLOW_CIDRS=127.0.0.0/8",
                   "SVC_OUTGOING_CA_FILE=" + directory.write("ca.pem", identity.authority)}};
  svc_user user{dev};

  telling_world() {
    auto const config = directory.write("hook.json", R"({"url":")" + receiver.url() + R"(/"})");
    user.out({"provider", "create", "hook", "--type", "webhook", "--config", config});
    auto const checks = directory.write("checks.json", R"({"retryStrategy":{"maxRetries":0}})");
    user.out({"monitor", "create", "shop", "--type", "website", "--target", target.url() + "/", "--every", "5m",
              "--config", checks, "--alert", "hook"});
  }
  /// Returns a member of the monitor `shop`.
  std::string shown(std::string const& member) const {
    auto out = user.out({"monitor", "get", "shop", "--template", "{" + member + "}"});
    out.pop_back();
    return out;
  }
  bool becomes(std::string const& status) const {
    return comes_true([&] { return shown("status") == status; }, 10s);
  }
  /// Returns ids of alerts.
  std::string alerts(std::vector<std::string> const& filters) const {
    std::vector<std::string> words{"alert", "list", "-q"};
    words.insert(words.end(), filters.begin(), filters.end());
    return user.out(words);
  }
};

telling_world& the_telling() {
  static telling_world world;
  return world;
}

std::string text_in(boost::json::value const& value, char const* pointer) {
  return std::string(value.at_pointer(pointer).as_string());
}

}  // namespace

TEST_CASE("a monitor that fails has a result, an outage that is acknowledged, and an alert that is sent again") {
  auto& world = the_telling();
  auto const& user = world.user;
  REQUIRE(world.becomes("down"));
  CHECK(has_text(user.out({"monitor", "list", "--status", "down"}), "\tshop\tdown\twebsite\t"));
  CHECK(user.out({"monitor", "list", "--status", "up", "-q"}).empty());
  CHECK(has_text(user.out({"monitor", "results", "shop", "--status", "down"}), "\tstatus_unexpected\t"));
  CHECK(user.out({"monitor", "results", "shop", "-q"}).starts_with("20"));
  CHECK(has_text(user.out({"monitor", "stats", "shop", "--period", "24h"}), "Period\t24h\n"));

  auto const open = user.out({"outage", "list", "shop", "--open", "true", "-q"});
  CHECK(open == world.shown("openOutageId") + "\n");
  CHECK(user.out({"monitor", "outages", "shop", "-q"}) == open);
  auto const all_down = user.out({"outage", "open"});
  CHECK_MESSAGE(has_text(all_down, "\tshop\t"), all_down);
  CHECK_MESSAGE(has_text(all_down, open.substr(0, 36)), all_down);
  CHECK(user.out({"outage", "open", "--limit", "1", "-q"}) == world.shown("id") + "\n");
  auto const acknowledged = user.json({"outage", "ack", "shop"});
  CHECK(text_in(acknowledged, "/id") + "\n" == open);
  CHECK(acknowledged.at("acknowledgedAt").is_string());

  REQUIRE(comes_true([&] { return !world.alerts({"--status", "failed"}).empty(); }, 10s));
  auto const id = world.alerts({"--monitor", "shop", "--type", "monitor_failure", "--provider", "hook"});
  CHECK(id.size() == 37);
  auto const alert = user.json({"alert", "get", id.substr(0, 36)});
  CHECK(text_in(alert, "/error/reason") == "rejected");
  CHECK(has_text(text_in(alert, "/message"), "shop has been down since "));
  world.takes = true;
  // A failing id does not stop the ids after it.
  std::string const nobody = "01934f2e-bbbb-7d3e-9b1f-5a2c8e4d6f70";
  auto const both = user.run({"alert", "retry", nobody, id.substr(0, 36)});
  CHECK(both.code == 1);
  CHECK(has_text(both.err, nobody));
  CHECK(has_text(both.err, "1 of 2"));
  CHECK(has_text(both.out, "pending"));
  CHECK(comes_true([&] { return world.alerts({"--status", "sent"}) == id; }, 10s));
  auto const twice = user.run({"alert", "retry", id.substr(0, 36)});
  CHECK(twice.code == 1);
  CHECK(has_text(twice.err, "failed for good"));
}

TEST_CASE("a monitor is paused, resumed, muted, deleted and restored; without an open outage none is acknowledged") {
  auto& world = the_telling();
  auto const& user = world.user;
  CHECK(text_in(user.json({"monitor", "pause", "shop"}), "/status") == "paused");
  auto const none = user.run({"outage", "ack", "shop"});
  CHECK(none.code == 1);
  CHECK(has_text(none.err, "no ongoing outage"));
  world.up = true;
  CHECK(text_in(user.json({"monitor", "resume", "shop"}), "/status") == "pending");
  CHECK(world.becomes("up"));
  CHECK(user.out({"outage", "open", "-q"}).empty());
  user.out({"tag", "create", "production"});
  CHECK(user.out({"monitor", "tags", "shop", "--tag", "production"}) == "Tags\tproduction\n");
  CHECK(user.out({"monitor", "list", "--tag", "production", "-q"}) == world.shown("id") + "\n");
  auto const muted = user.json({"monitor", "update", "shop", "--mute", "2h", "--every", "10m"});
  CHECK(muted.at("mutedUntil").is_string());
  CHECK(muted.at("frequencyMinutes") == boost::json::value(10));
  CHECK(muted.at_pointer("/alertConfig/enabled") == boost::json::value(true));
  CHECK(user.json({"monitor", "update", "shop", "--clear", "mutedUntil"}).at("mutedUntil").is_null());
  auto const id = world.shown("id");
  CHECK(user.run({"monitor", "delete", "shop"}).err == "Deleted monitor shop.\n");
  CHECK(user.run({"monitor", "get", "shop"}).code == 1);
  CHECK(user.out({"monitor", "list", "--deleted", "true", "-q"}) == id + "\n");
  CHECK(text_in(user.json({"monitor", "restore", id}), "/status") == "paused");
  CHECK(user.run({"monitor", "restore", id}).code == 1);
}

TEST_CASE("the test of a provider shows the outcome, and the exit code says whether it was accepted") {
  struct {
    char const* answer;
    int code;
    char const* shown;
  } const cases[] = {
      {R"({"success":true,"message":"The message was delivered.","reason":"delivered"})", 0,
       "Delivered\ttrue\nReason\tdelivered\nMessage\tThe message was delivered.\n"},
      {R"({"success":false,"message":"No answer.","reason":"timeout"})", 1,
       "Delivered\tfalse\nReason\ttimeout\nMessage\tNo answer.\n"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.answer);
    std::string const provider = "01934f2e-7777-7d3e-9b1f-5a2c8e4d6f70";
    scripted_server const server([&](received const&) { return whole_answer(200, c.answer); });
    std::vector<std::string> const environment{"SERVICE_URL=" + server.url(),
                                               "SERVICE_TOKEN=svc_live_0123456789ABCDEFGHIJKLMNOPQRSTUV0l3Q8O"};
    auto const got = run_svc({.arguments = {"provider", "test", provider}, .environment = environment});
    CHECK(got.code == c.code);
    CHECK(got.out == c.shown);
    REQUIRE_FALSE(server.requests().empty());
    CHECK(server.requests().front().line() == "POST /api/notification-providers/" + provider + "/test HTTP/1.1");
    auto const json = run_svc({.arguments = {"provider", "test", provider, "--json"}, .environment = environment});
    CHECK(json.code == c.code);
    CHECK(json.out == std::string(c.answer) + "\n");
  }
}

}  // namespace svc::test
