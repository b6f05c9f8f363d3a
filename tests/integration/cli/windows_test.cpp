// Maintenance windows and dependencies of monitors with `svc`, against the real service and scripted answers.
#include "integration/cli/scripted_server.hpp"
#include "integration/cli/svc_user.hpp"
#include "support/comes_true.hpp"

#include <doctest/doctest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace svc::test {
namespace {

using namespace std::chrono_literals;

/// A project with a router, a shop behind it, and a tag.
struct planned_project {
  planned_project() {
    for (auto const* const name : {"router", "shop"})
      user.out({"monitor", "create", name, "--type", "ping_host", "--target", "example.org", "--disable"});
    user.out({"tag", "create", "db"});
    user.out({"monitor", "tags", "shop", "--tag", "db"});
  }
  std::string id(std::string const& monitor) const {
    return user.out({"monitor", "get", monitor, "--quiet"}).substr(0, 36);
  }

  temporary_directory directory;
  dev_service dev{directory.path()};
  svc_user user{dev};
};

planned_project& the_plans() {
  static planned_project project;
  return project;
}

constexpr auto shown_monitor = R"({"id":"01934f2e-8888-7d3e-9b1f-5a2c8e4d6f70","name":"shop","type":"website",
  "status":"down","target":"https://shop.example.org/","maintenance":{"id":"01934f2e-cccc-7d3e-9b1f-5a2c8e4d6f70",
  "name":"upgrade of the database and all its replicas","until":"2099-11-20T12:00:00.000Z"}})";

std::string window_answer(char const* state) {
  return R"({"id":"01934f2e-cccc-7d3e-9b1f-5a2c8e4d6f70","name":"deploy","state":")" + std::string(state) + R"("})";
}

invocation scripted_call(scripted_server const& server, std::vector<std::string> words) {
  return {.arguments = std::move(words),
          .environment = {"SERVICE_URL=" + server.url(),
                          "SERVICE_TOKEN=svc_live_0123456789ABCDEFGHIJKLMNOPQRSTUV0l3Q8O"}};
}

}  // namespace

TEST_CASE("a maintenance window is created, listed, changed, ended and deleted by its name") {
  auto const& p = the_plans();
  auto const& user = p.user;
  auto const id = user.id({"window", "create", "deploy", "--monitor", "shop", "--for", "30m"});
  CHECK(user.out({"window", "list", "--state", "active", "-q"}) == id + "\n");
  CHECK(user.out({"window", "list", "--monitor", "shop", "-q"}) == id + "\n");
  CHECK(user.out({"window", "list", "--monitor", "router", "-q"}).empty());
  auto const page = user.out({"window", "get", "deploy"});
  CHECK_MESSAGE(has_text(page, "\nState\tactive\n"), page);
  CHECK_MESSAGE(has_text(page, "\nMonitors\tshop\n"), page);
  CHECK_MESSAGE(has_text(page, "\nExcluded from uptime\ttrue\n"), page);

  auto const before = user.json({"window", "get", "deploy"});
  auto const longer = user.json({"window", "update", "deploy", "--for", "2h"});
  CHECK(longer.at("startsAt") == before.at("startsAt"));
  CHECK(longer.at("durationMinutes").is_null());
  CHECK(longer.at("endsAt") != before.at("endsAt"));
  auto const etag = user.out({"window", "get", "deploy", "--etag"});
  user.out({"window", "update", "deploy", "--description", "new kernel"});
  auto const late =
      user.run({"window", "update", "deploy", "--description", "x", "--if-match", etag.substr(0, etag.size() - 1)});
  CHECK(late.code == 1);
  CHECK(has_text(late.err, "Somebody has changed the window"));

  CHECK(user.json({"window", "end", "deploy"}).at("state") == "finished");
  auto const over = user.run({"window", "end", "deploy"});
  CHECK(over.code == 1);
  CHECK(has_text(over.err, "not active"));
  CHECK(user.run({"window", "update", "deploy", "--description", "x"}).code == 1);
  CHECK(user.run({"window", "delete", "deploy"}).err == "Deleted window deploy.\n");
  CHECK(has_text(user.run({"window", "get", "deploy"}).err, "There is no window 'deploy'."));
  CHECK(has_text(user.run({"window", "get", id}).err, "There is no window " + id + " in the token's project."));
}

TEST_CASE("a recurring window shows its rule and its next occurrence, and becomes one that happens once") {
  auto const& user = the_plans().user;
  user.out({"window", "create", "nightly", "--tag", "db", "--cron", "0 3 * * sun", "--zone", "Europe/Berlin", "--for",
            "90m", "--count-in-uptime"});
  auto const page = user.out({"window", "get", "nightly"});
  CHECK_MESSAGE(has_text(page, "\nSchedule\t0 3 * * sun in Europe/Berlin\nLasts (s)\t5400\n"), page);
  CHECK_MESSAGE(has_text(page, "\nTags\tdb\nCovered now\t1\n"), page);
  CHECK_MESSAGE(has_text(page, "\nExcluded from uptime\tfalse\n"), page);
  CHECK_FALSE(has_text(page, "\nStarts\t-\n"));
  CHECK(user.json({"window", "update", "nightly", "--for", "2h"}).at("durationMinutes") == boost::json::value(120));
  CHECK(user.json({"window", "update", "nightly", "--all-monitors"}).at("tagIds").is_null());
  auto const once = user.json({"window", "update", "nightly", "--start", "1d", "--for", "3h"});
  CHECK(once.at("cron").is_null());
  CHECK(once.at("state") == "scheduled");
  auto const idle = user.run({"window", "end", "nightly"});
  CHECK(idle.code == 1);
  CHECK(has_text(idle.err, "nothing to end"));
  user.out({"window", "delete", "nightly"});
}

TEST_CASE("a finished window leaves its name to the next one") {
  auto const& user = the_plans().user;
  std::vector<std::string> const creation{"window", "create", "release", "--all-monitors", "--for", "10m"};
  auto const first = user.id(creation);
  auto const twice = user.run(creation);
  CHECK(twice.code == 1);
  CHECK_MESSAGE(has_text(twice.err, "The window 'release' exists already: " + first + "."), twice.err);
  user.out({"window", "end", "release"});
  CHECK(user.json({"window", "get", "release"}).at("id") == boost::json::value(first));
  auto const second = user.id(creation);
  CHECK(second != first);
  CHECK(user.json({"window", "get", "release"}).at("id") == boost::json::value(second));
  user.out({"window", "delete", first, second});
}

TEST_CASE("maintenance of a monitor starts with one command, and is shown with the monitor") {
  auto const& p = the_plans();
  auto const& user = p.user;
  auto const window = user.json({"monitor", "maintenance", "shop", "2h", "database upgrade"});
  CHECK(window.at("state") == "active");
  CHECK(window.at("name") == "shop");
  CHECK(window.at("description") == "database upgrade");
  CHECK(boost::json::serialize(window.at("monitorIds")) == "[\"" + p.id("shop") + "\"]");
  CHECK(comes_true([&] { return user.json({"monitor", "get", "shop"}).at("maintenance").is_object(); }, 10s));
  CHECK(has_text(user.out({"monitor", "get", "shop"}), ", until "));
  CHECK(has_text(user.out({"monitor", "list"}), ", until "));
  struct {
    std::vector<std::string> more;
    int code;
    char const* said;
  } const cases[] = {
      {{"8d"}, 1, "svc: DURATION must be from 1m to 7d, not 8d.\n"},
      {{"90s"}, 3, "svc: DURATION: '90s' is not a number of whole minutes.\n"},
      {{"1h", std::string(2001, 'a')}, 1, "svc: TEXT "},
  };
  for (auto const& c : cases) {
    CAPTURE(c.said);
    std::vector<std::string> command{"monitor", "maintenance", "shop"};
    command.insert(command.end(), c.more.begin(), c.more.end());
    auto const got = user.run(command);
    CHECK(got.code == c.code);
    CHECK_MESSAGE(has_text(got.err, c.said), got.err);
  }
  CHECK(user.json({"window", "end", "shop"}).at("id") == window.at("id"));
  CHECK(comes_true([&] { return user.json({"monitor", "get", "shop"}).at("maintenance").is_null(); }, 10s));
}

TEST_CASE("mistakes about windows name their options") {
  auto const& user = the_plans().user;
  struct {
    std::vector<std::string> more;
    int code;
    char const* said;
  } const cases[] = {
      {{"--for", "30m"}, 3, "svc: The window would cover no monitor.\n     Choose monitors: --monitor MONITOR,"},
      {{"--all-monitors"}, 3, "svc: The window has no end.\n     Add --for 2h or --end TIME;"},
      {{"--all-monitors", "--end", "1h", "--for", "1h"}, 3, "svc: --end and --for exclude each other.\n"},
      {{"--all-monitors", "--start", "soon", "--for", "1h"}, 3, "svc: --start: 'soon' is not a time.\n"},
      {{"--all-monitors", "--cron", "61 3 * * *", "--for", "1h"}, 3, "svc: --cron: the minute must be from 0 to 59"},
      {{"--all-monitors", "--cron", "0 3 * * *", "--for", "2d"}, 1, "svc: --for must be from 1m to 1d, not 2d.\n"},
      {{"--monitor", "nobody", "--for", "1h"}, 1, "svc: There is no monitor 'nobody'.\n"},
      {{"--tag", "nobody", "--for", "1h"}, 1, "svc: There is no tag 'nobody'.\n"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.said);
    std::vector<std::string> command{"window", "create", "wrong"};
    command.insert(command.end(), c.more.begin(), c.more.end());
    auto const got = user.run(command);
    CHECK(got.code == c.code);
    CHECK_MESSAGE(has_text(got.err, c.said), got.err);
  }
  CHECK(user.out({"window", "list", "--state", "active", "-q"}).empty());
}

TEST_CASE("a monitor depends on others by name, never on itself by way of others, and on none after --clear") {
  auto const& p = the_plans();
  auto const& user = p.user;
  auto const only_router = "[\"" + p.id("router") + "\"]";
  auto const changed = user.json({"monitor", "update", "shop", "--depends-on", "router"});
  CHECK(boost::json::serialize(changed.at("dependsOn")) == only_router);
  CHECK(has_text(user.out({"monitor", "get", "shop"}), "\nDepends on\trouter\n"));
  auto const cycle = user.run({"monitor", "update", "router", "--depends-on", "shop"});
  CHECK(cycle.code == 1);
  CHECK_MESSAGE(has_text(cycle.err, "may not depend on itself"), cycle.err);
  CHECK(user.run({"monitor", "update", "shop", "--depends-on", "nobody"}).code == 1);
  auto const file = p.directory.write("cart.json", R"({"name":"cart","type":"ping_host","target":"example.org",
    "enabled":false,"dependsOn":["router"]})");
  auto const cart = user.json({"monitor", "create", "--file", file});
  CHECK(boost::json::serialize(cart.at("dependsOn")) == only_router);
  user.out({"monitor", "delete", "cart"});
  CHECK(user.json({"monitor", "update", "shop", "--clear", "depends-on"}).at("dependsOn").as_array().empty());
}

TEST_CASE("names of windows are looked up among unfinished windows first") {
  for (bool const unfinished : {true, false}) {
    CAPTURE(unfinished);
    scripted_server const server([&](received const& r) {
      bool const is_list = has_text(r.line(), "GET /api/maintenance-windows?");
      if (!is_list) return whole_answer(200, window_answer("finished"));
      bool const listed = has_text(r.line(), "state=scheduled") == unfinished && !has_text(r.line(), "state=active");
      return whole_answer(200, R"({"data":[)" + (listed ? window_answer("scheduled") : "") + R"(],"pagination":{}})");
    });
    auto const got = run_svc(scripted_call(server, {"window", "end", "deploy", "--json"}));
    CHECK_MESSAGE(got.code == 0, got.err);
    std::vector<std::string> lines;
    for (auto const& each : server.requests())
      if (has_text(each.line(), "/api/maintenance-windows")) lines.push_back(each.line());
    REQUIRE(lines.size() == (unfinished ? 3 : 4));
    CHECK(has_text(lines[0], "state=active"));
    CHECK(has_text(lines[1], "state=scheduled"));
    if (!unfinished) CHECK_FALSE(has_text(lines[2], "state="));
    CHECK(lines.back() == "POST /api/maintenance-windows/01934f2e-cccc-7d3e-9b1f-5a2c8e4d6f70/end HTTP/1.1");
  }
}

TEST_CASE("a list of monitors shows maintenance below its row on a terminal of 80 columns") {
  scripted_server const server([&](received const&) {
    return whole_answer(200, R"({"data":[)" + std::string(shown_monitor) + R"(],"pagination":{}})");
  });
  auto call = scripted_call(server, {"monitor", "list", "--color", "never"});
  call.terminal = terminal_size{.columns = 80};
  auto const shown = run_svc(call);
  // The time follows in the next line.
  CHECK_MESSAGE(has_text(shown.out, "    Maintenance: upgrade of the database and all its replicas, until\r\n"),
                shown.out);
  auto const json = run_svc(scripted_call(server, {"monitor", "list", "--json"}));
  CHECK(has_text(json.out, R"("until":"2099-11-20T12:00:00.000Z")"));
}

}  // namespace svc::test
