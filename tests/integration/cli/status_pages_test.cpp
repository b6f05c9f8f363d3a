// Status pages, incidents and announcements with `svc`, against the real service and scripted answers.
#include "integration/cli/scripted_server.hpp"
#include "integration/cli/svc_user.hpp"
#include "support/comes_true.hpp"
#include "support/https_client.hpp"

#include <doctest/doctest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace svc::test {
namespace {

using namespace std::chrono_literals;

/// A project with two monitors and a published page of two components.
struct published_project {
  published_project() {
    for (auto const* const name : {"shop", "database"})
      user.out({"monitor", "create", name, "--type", "ping_host", "--target", "example.org", "--disable"});
    user.out({"page", "create", "acme", "--name", "Acme", "--status", "published"});
    user.out({"page", "component", "create", "acme", "Checkout", "--group", "Shop", "--monitor", "shop"});
    user.out({"page", "component", "create", "acme", "Payments"});
  }

  /// Returns the answer of a public path to a visitor without a token.
  support::answer visit(std::string const& path) const {
    support::https_client visitor(dev.text("url"), dev.text("caFile"));
    return visitor.request("GET", path);
  }

  temporary_directory directory;
  dev_service dev{directory.path()};
  svc_user user{dev};
};

published_project& the_publisher() {
  static published_project project;
  return project;
}

constexpr auto scripted_page = "01934f2e-a001-7d3e-9b1f-5a2c8e4d6f70",
               scripted_incident = "01934f2e-a003-7d3e-9b1f-5a2c8e4d6f70";

std::string page_answer(std::string const& more = {}) {
  return R"({"id":")" + std::string(scripted_page) + R"(","slug":"acme","name":"Acme","status":"published")" + more +
         "}";
}

std::string list_answer(std::string const& row) {
  return R"({"data":[)" + row + R"(],"pagination":{}})";
}

invocation page_call(scripted_server const& server, std::vector<std::string> words) {
  return {.arguments = std::move(words),
          .environment = {"SERVICE_URL=" + server.url(),
                          "SERVICE_TOKEN=svc_live_0123456789ABCDEFGHIJKLMNOPQRSTUV0l3Q8O"}};
}

}  // namespace

TEST_CASE("a page is created as a draft, published at an address that is shown, archived and deleted by its slug") {
  auto const& p = the_publisher();
  auto const& user = p.user;
  auto const made = user.run({"page", "create", "draft", "--json"});
  CHECK(made.code == 0);
  CHECK(boost::json::parse(made.out).at("name") == "draft");
  CHECK_MESSAGE(has_text(made.err, "The page is a draft, which nobody sees; svc page publish draft"), made.err);
  CHECK(p.visit("/status/draft").status == 404);
  CHECK_MESSAGE(
      has_text(user.out({"page", "publish", "draft"}), "\nAddress\t" + p.dev.text("url") + "/status/draft\n"), "");
  CHECK(user.out({"page", "list", "--status", "published", "--search", "draf", "-q"}) ==
        user.out({"page", "get", "draft", "-q"}));
  CHECK(user.json({"page", "update", "draft", "--language", "de", "--zone", "Europe/Berlin"}).at("language") == "de");
  CHECK_FALSE(has_text(user.out({"page", "archive", "draft"}), p.dev.text("url")));
  CHECK(user.run({"page", "create", "draft"}).code == 1);
  CHECK(user.run({"page", "delete", "draft"}).err == "Deleted page draft.\n");
  auto const kept = user.run({"page", "delete", "acme"});
  CHECK(kept.code == 3);
  CHECK_MESSAGE(
      has_text(kept.err, "The page acme is published, with its incidents and subscribers; nothing was deleted."),
      kept.err);
  CHECK(user.run({"page", "get", "acme"}).code == 0);
}

TEST_CASE("components name their monitors, take an override, and are found below their page only") {
  auto const& user = the_publisher().user;
  auto const shown = user.out({"page", "component", "get", "acme", "Checkout"});
  CHECK_MESSAGE(has_text(shown, "\nGroup\tShop\n"), shown);
  CHECK_MESSAGE(has_text(shown, "\nMonitors\tshop\n"), shown);
  auto const down = user.json({"page", "component", "update", "acme", "Payments", "--override", "major_outage"});
  CHECK(down.at("status") == "major_outage");
  CHECK(user.json({"page", "get", "acme"}).at("componentStatus") == "major_outage");
  user.out({"page", "component", "update", "acme", "Payments", "--clear", "override"});
  auto const changed = user.json({"page", "component", "update", "acme", "Payments", "--monitor", "database"});
  CHECK(changed.at("monitorIds").as_array().size() == 1);
  CHECK(user.json({"page", "component", "update", "acme", "Payments", "--clear", "monitor"})
            .at("monitorIds")
            .as_array()
            .empty());
  struct {
    std::vector<std::string> command;
    int code;
    char const* said;
  } const cases[] = {
      {{"page", "component", "get", "acme", "Search"},
       1,
       "svc: There is no component 'Search'.\n     svc page component list acme shows them.\n"},
      {{"page", "component", "get", "nobody", "Checkout"}, 1, "svc: There is no page 'nobody'.\n"},
      {{"page", "component", "create", "acme", "Checkout"}, 1, "svc: The component 'Checkout' exists already: "},
      {{"page", "component", "create", "acme", "x", "--monitor", "nobody"},
       1,
       "svc: There is no monitor 'nobody'.\n"},
      {{"page", "create", "Acme!"}, 1, "svc: NAME must have 3 to 63 characters"},
      {{"page", "create", "login"}, 1, "svc: NAME 'login' is reserved"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.said);
    auto const got = user.run(c.command);
    CHECK(got.code == c.code);
    CHECK_MESSAGE(has_text(got.err, c.said), got.err);
  }
}

TEST_CASE("a name that two components of a page have is refused with the ids of both") {
  auto const& user = the_publisher().user;
  auto const first = user.out({"page", "component", "create", "acme", "Twin", "-q"});
  auto const second = user.out({"page", "component", "create", "acme", "Twin", "--allow-duplicate", "-q"});
  auto const got = user.run({"page", "component", "get", "acme", "Twin"});
  CHECK(got.code == 3);
  CHECK_MESSAGE(has_text(got.err, "svc: Several components of a page have the name 'Twin'."), got.err);
  for (auto const& id : {first, second}) {
    CHECK_MESSAGE(has_text(got.err, id.substr(0, id.size() - 1)), got.err);
    user.out({"page", "component", "delete", "acme", id.substr(0, id.size() - 1), "--yes"});
  }
}

TEST_CASE(
    "an incident is opened with components by name, updated, corrected, resolved and followed by a post-mortem") {
  auto const& p = the_publisher();
  auto const& user = p.user;
  auto const made = user.json({"incident", "create", "acme", "Checkout fails", "--impact", "major", "--component",
                               "Checkout=partial_outage", "--body", "-"},
                              "Payments by card fail.\n");
  CHECK(made.at("status") == "investigating");
  CHECK(made.at("updates").at(0).at("body") == "Payments by card fail.");
  CHECK_MESSAGE(
      has_text(user.out({"incident", "get", "acme", "Checkout fails"}), "\nComponents\tCheckout: partial outage\n"),
      "");
  CHECK(comes_true([&] { return has_text(p.visit("/status/acme").body, "Payments by card fail."); }, 10s));

  CHECK(
      user.json({"incident", "post", "acme", "Checkout fails", "--status", "identified", "--text", "A disk is full."})
          .at("status") == "identified");
  auto const kept = user.json({"incident", "post", "acme", "Checkout fails", "--text", "We are repairing it."});
  CHECK(kept.at("status") == "identified");
  auto const id = std::string(kept.at("id").as_string());
  auto const corrected = user.json({"incident", "correct", "acme", "Checkout fails", id, "--text", "We replace it."});
  CHECK(corrected.at("body") == "We replace it.");
  CHECK_FALSE(corrected.at("editedAt").is_null());
  CHECK(has_text(user.out({"incident", "updates", "acme", "Checkout fails", "-q"}), id));
  CHECK(user.json({"incident", "update", "acme", "Checkout fails", "--impact", "critical", "--clear", "component"})
            .at("components")
            .as_array()
            .empty());

  auto const etag = user.out({"incident", "get", "acme", "Checkout fails", "--etag"});
  user.out({"incident", "update", "acme", "Checkout fails", "--impact", "minor"});
  auto const stale = user.run({"incident", "update", "acme", "Checkout fails", "--impact", "major", "--if-match",
                               etag.substr(0, etag.size() - 1)});
  CHECK(stale.code == 1);
  CHECK_MESSAGE(has_text(stale.err, "svc incident get acme 'Checkout fails' shows it as it is now"), stale.err);

  CHECK(user.json({"incident", "resolve", "acme", "Checkout fails", "--text", "Payments work."}).at("status") ==
        "resolved");
  CHECK(user.out({"incident", "list", "acme", "--status", "identified", "-q"}).empty());
  auto const late = user.run({"incident", "post", "acme", "Checkout fails", "--text", "x"});
  CHECK(late.code == 3);
  CHECK_MESSAGE(has_text(late.err, "--status postmortem adds a post-mortem"), late.err);
  CHECK(user.json({"incident", "post", "acme", "Checkout fails", "--status", "postmortem", "--text", "Disks age."})
            .at("status") == "postmortem");
  // The name of a resolved incident is free again.
  user.out({"incident", "create", "acme", "Checkout fails", "--text", "Again.", "--silent"});
  CHECK(user.run({"incident", "create", "acme", "Checkout fails", "--text", "Again."}).code == 1);
  CHECK(user.run({"incident", "delete", "acme", "Checkout fails"}).err == "Deleted incident Checkout fails.\n");
}

TEST_CASE("mistakes about incidents name their options, and nothing is published without a text") {
  auto const& user = the_publisher().user;
  auto const before = user.out({"incident", "list", "acme", "-q"});
  struct {
    std::vector<std::string> more;
    int code;
    char const* said;
  } const cases[] = {
      {{}, 3, "svc: The text for visitors is missing.\n     Add --text"},
      {{"--text", "x", "--component", "Checkout"},
       3,
       "svc: --component: 'Checkout' is not a component with its status."},
      {{"--text", "x", "--component", "Search=major_outage"}, 1, "svc: There is no component 'Search'.\n"},
      {{"--text", "x", "--component", "Checkout=broken"}, 1, "svc: --component must be "},
      {{"--body", "Payments fail."}, 3, "svc: Cannot read Payments fail.: No such file"},
      {{"--text", "x", "--status", "scheduled"}, 3, "svc: --status must be "},
      {{"--text", "x", "--start", "100d"}, 1, "svc: --start "},
  };
  for (auto const& c : cases) {
    CAPTURE(c.said);
    std::vector<std::string> command{"incident", "create", "acme", "wrong"};
    command.insert(command.end(), c.more.begin(), c.more.end());
    auto const got = user.run(command);
    CHECK(got.code == c.code);
    CHECK_MESSAGE(has_text(got.err, c.said), got.err);
  }
  CHECK(user.out({"incident", "list", "acme", "-q"}) == before);
}

TEST_CASE("a window is announced on a page by name, and gets updates there that can be corrected") {
  auto const& user = the_publisher().user;
  auto const made =
      user.json({"window", "create", "move", "--monitor", "shop", "--start", "2d", "--for", "2h", "--page", "acme",
                 "--component", "Checkout", "--text", "The shop is read-only.", "--announce", "7d"});
  CHECK(made.at_pointer("/announcement/title") == "move");
  CHECK(made.at("announceHours") == 168);
  CHECK(made.at("componentIds").as_array().size() == 1);
  auto const page = user.out({"window", "get", "move"});
  CHECK_MESSAGE(has_text(page, "\nPages\tacme\nComponents\tCheckout\nAnnouncement\tmove\n"), page);
  auto const post = user.json({"window", "post", "move", "--text", "It takes an hour longer."});
  auto const id = std::string(post.at("id").as_string());
  CHECK(user.out({"window", "updates", "move", "-q"}) == id + "\n");
  CHECK(user.json({"window", "correct", "move", id, "--text", "It takes two hours longer."}).at("body") ==
        "It takes two hours longer.");
  CHECK(user.json({"window", "update", "move", "--clear", "title"}).at("announcement").is_null());
  auto const other = user.run({"window", "update", "move", "--component", "Search"});
  CHECK(other.code == 1);
  CHECK_MESSAGE(has_text(other.err, "The pages of the window have no component 'Search'."), other.err);
  auto const left = user.json({"window", "update", "move", "--clear", "page"});
  CHECK(left.at("statusPageIds").as_array().empty());
  CHECK(left.at("componentIds").as_array().empty());
  user.out({"window", "delete", "move"});
}

TEST_CASE("a logo is a picture by its first bytes and at most 256 KiB, and is removed again") {
  auto const& p = the_publisher();
  auto const& user = p.user;
  std::string const png("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16);
  CHECK(user.run({"page", "logo", "acme", p.directory.write("logo.png", png)}).err ==
        "Stored the logo of page acme.\n");
  CHECK(comes_true([&] { return p.visit("/status/acme/logo").body == png; }, 10s));
  CHECK(user.run({"page", "logo", "acme", "--none"}).err == "Removed the logo of page acme.\n");
  struct {
    std::vector<std::string> more;
    char const* said;
  } const cases[] = {
      {{p.directory.write("logo.svg", "<svg/>")}, "The logo is not a PNG, JPEG or WebP."},
      {{p.directory.write("large.png", png + std::string(256 * 1024, ' '))},
       "is longer than the service accepts (256 KiB)."},
      {{"missing.png"}, "Cannot read missing.png"},
      {{}, "Write the FILE of the logo, or --none to remove it."},
      {{"logo.png", "--none"}, "Write the FILE of the logo, or --none to remove it."},
  };
  for (auto const& c : cases) {
    CAPTURE(c.said);
    std::vector<std::string> command{"page", "logo", "acme"};
    command.insert(command.end(), c.more.begin(), c.more.end());
    auto const got = user.run(command);
    CHECK(got.code == 3);
    CHECK_MESSAGE(has_text(got.err, c.said), got.err);
  }
}

TEST_CASE("a domain that is not proved ends with exit 1 and names the record that is missing") {
  for (bool const verified : {true, false}) {
    CAPTURE(verified);
    scripted_server const server([&](received const& r) {
      if (has_text(r.line(), "/verify-domain"))
        return whole_answer(200, verified ? R"({"verified":true,"found":["svc-verify=abc"]})"
                                          : R"({"verified":false,"found":["other"]})");
      auto const page =
          page_answer(R"(,"domain":{"txtName":"_svc-verify.status.example.org","txtValue":"svc-verify=abc"})");
      return whole_answer(200, has_text(r.line(), "?") ? list_answer(page) : page);
    });
    auto const got = run_svc(page_call(server, {"page", "verify-domain", "acme"}));
    CHECK(got.code == (verified ? 0 : 1));
    CHECK(has_text(got.out, verified ? "Verified\ttrue" : "Verified\tfalse"));
    CHECK(has_text(got.err, "Add the TXT record _svc-verify.status.example.org with the value svc-verify=abc") !=
          verified);
  }
}

TEST_CASE("the address of a page is on its domain once that is proved, but a page for members stays at the service") {
  for (std::string const visibility : {"public", "members"}) {
    CAPTURE(visibility);
    auto const page =
        page_answer(R"(,"visibility":")" + visibility +
                    R"(","customDomain":"status.example.org","domain":{"verifiedAt":"2026-11-20T10:12:12.345Z"})");
    scripted_server const server(
        [&](received const& r) { return whole_answer(200, has_text(r.line(), "?") ? list_answer(page) : page); });
    auto const got = run_svc(page_call(server, {"page", "get", "acme"}));
    auto const address = visibility == "public" ? "https://status.example.org/" : server.url() + "/status/acme";
    CHECK_MESSAGE(has_text(got.out, "\nAddress\t" + address + "\n"), got.out);
  }
}

TEST_CASE("names of incidents are looked up among open incidents first") {
  for (bool const open : {true, false}) {
    CAPTURE(open);
    scripted_server const server([&](received const& r) {
      auto const incident = R"({"id":")" + std::string(scripted_incident) + R"(","name":"down","status":"resolved"})";
      if (has_text(r.line(), "GET /api/status-pages?")) return whole_answer(200, list_answer(page_answer()));
      if (!has_text(r.line(), "/incidents?")) return whole_answer(201, incident);
      bool const listed = open ? has_text(r.line(), "status=monitoring") : !has_text(r.line(), "status=");
      return whole_answer(200, list_answer(listed ? incident : ""));
    });
    auto const got =
        run_svc(page_call(server, {"incident", "post", "acme", "down", "--status", "postmortem", "--text", "x"}));
    CHECK_MESSAGE(got.code == 0, got.err);
    std::vector<std::string> lines;
    for (auto const& each : server.requests())
      if (has_text(each.line(), "/incidents")) lines.push_back(each.line());
    REQUIRE(lines.size() == (open ? 4 : 5));
    CHECK(has_text(lines[0], "status=investigating"));
    CHECK(has_text(lines[1], "status=identified"));
    CHECK(has_text(lines[2], "status=monitoring"));
    if (!open) CHECK_FALSE(has_text(lines[3], "status="));
    CHECK(lines.back() == "POST /api/status-pages/" + std::string(scripted_page) + "/incidents/" + scripted_incident +
                              "/updates HTTP/1.1");
  }
}

TEST_CASE("a subscriber is removed by address, and only from the named page") {
  constexpr auto subscriber =
      R"({"id":"01934f2e-a005-7d3e-9b1f-5a2c8e4d6f70","email":"ada@example.com","status":"active",
    "componentIds":[],"confirmedAt":"2026-11-20T10:12:12.345Z"})";
  scripted_server const server([&](received const& r) {
    if (has_text(r.line(), "DELETE ")) return whole_answer(204, "");
    return whole_answer(200, list_answer(has_text(r.line(), "/subscribers") ? subscriber : page_answer()));
  });
  auto const listed = run_svc(page_call(server, {"page", "subscriber", "list", "acme"}));
  CHECK_MESSAGE(has_text(listed.out, "\tada@example.com\tactive\t"), listed.out);
  auto const removed =
      run_svc(page_call(server, {"page", "subscriber", "delete", "acme", "ada@example.com", "--yes"}));
  CHECK_MESSAGE(removed.code == 0, removed.err);
  std::string asked;
  for (auto const& each : server.requests()) asked += each.line() + "\n";
  CHECK(has_text(asked, "\nDELETE /api/status-pages/" + std::string(scripted_page) +
                            "/subscribers/01934f2e-a005-7d3e-9b1f-5a2c8e4d6f70 HTTP/1.1\n"));
}

}  // namespace svc::test
