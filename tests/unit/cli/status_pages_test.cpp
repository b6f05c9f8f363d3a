// Status pages on the command line: bodies that options make, and what people see of answers.
#include "cli/commands/status_pages.hpp"
#include "cli/commands/arguments.hpp"
#include "cli/commands/window_pages.hpp"
#include "support/temporary_directory.hpp"

#include <CLI/CLI.hpp>

#include <doctest/doctest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>

namespace svc::cli {
namespace {

constexpr std::string_view published_part = "01934f2e-a002-7d3e-9b1f-5a2c8e4d6f70",
                           page_of_parts = "01934f2e-a001-7d3e-9b1f-5a2c8e4d6f70",
                           incidents_path = "/api/status-pages/01934f2e-a001-7d3e-9b1f-5a2c8e4d6f70/incidents";

/// Returns the body that a command line makes for a resource, before the resource prepares it.
std::string typed_body(resource const& r, bool creates, std::vector<std::string> words) {
  context cx;
  CLI::App app;
  body_flags flags(r.fields, r.name_member, creates);
  flags.declare(app);
  std::ranges::reverse(words);
  app.parse(words);
  return flags.json(cx);
}

std::string prepared_incident(std::string const& given, std::string const& id = {}) {
  context cx;
  auto body = boost::json::parse(given).as_object();
  page_incidents().address(incidents_path).prepare_owned(cx, incidents_path, body, id);
  return boost::json::serialize(body);
}

std::string prepared_window(std::string const& given, std::string const& id = {}) {
  context cx;
  auto body = boost::json::parse(given).as_object();
  prepare_publication(cx, body, id);
  return boost::json::serialize(body);
}

std::string usage_sentence(std::function<void()> const& act) {
  try {
    act();
  } catch (failure const& f) {
    CHECK(f.exit() == exit_code::usage);
    return f.what();
  }
  return {};
}

}  // namespace

TEST_CASE("a page is named by its slug, has the slug as its name unless another one is given, and clears lists") {
  CHECK(typed_body(page_resource(), true, {"acme", "--visibility", "restricted", "--allow-from", "203.0.113.0/24"}) ==
        R"({"slug":"acme","visibility":"restricted","allowedCidrs":["203.0.113.0/24"]})");
  CHECK(typed_body(page_resource(), false, {"--no-feeds", "--auto-incidents-after", "10m", "--clear", "domain"}) ==
        R"({"allowFeeds":false,"autoIncidentMinutes":10,"customDomain":null})");
  struct {
    char const *given, *id, *expected;
  } const cases[] = {
      {R"({"slug":"acme"})", "", R"({"slug":"acme","name":"acme"})"},
      {R"({"slug":"acme","name":"Acme"})", "", R"({"slug":"acme","name":"Acme"})"},
      {R"({"slug":"acme"})", page_of_parts.data(), R"({"slug":"acme"})"},
      {R"({"notificationProviders":null})", page_of_parts.data(), R"({"notificationProviders":[]})"},
      {R"({"allowedCidrs":null})", page_of_parts.data(), R"({"allowedCidrs":null})"},
  };
  context cx;
  for (auto const& c : cases) {
    CAPTURE(c.given);
    auto body = boost::json::parse(c.given).as_object();
    page_resource().prepare(cx, body, c.id);
    CHECK(boost::json::serialize(body) == c.expected);
  }
}

TEST_CASE("a new draft warns that nobody sees it, and a published page is not lost without a question") {
  boost::json::object const draft{{"slug", "acme"}, {"status", "draft"}},
      shown{{"slug", "acme"}, {"status", "published"}};
  CHECK(page_resource().warnings(draft, true) ==
        std::vector<std::string>{"The page is a draft, which nobody sees; svc page publish acme publishes it."});
  CHECK(page_resource().warnings(draft, false).empty());
  CHECK(page_resource().warnings(shown, true).empty());
}

TEST_CASE("a component takes monitors, an override and its end; a cleared list of monitors is empty") {
  auto const r = page_components().address("");
  std::string const monitor(published_part);
  CHECK(
      typed_body(r, true, {"Checkout", "--group", "Shop", "--monitor", monitor, "--position", "0", "--no-uptime"}) ==
      R"({"name":"Checkout","group":"Shop","position":0,"monitorIds":[")" + monitor + R"("],"showUptime":false})");
  CHECK(typed_body(r, false, {"--override", "major_outage", "--until", "2026-12-01T22:00:00Z"}) ==
        R"({"statusOverride":"major_outage","overrideUntil":"2026-12-01T22:00:00Z"})");
  context cx;
  auto body = boost::json::parse(typed_body(r, false, {"--clear", "monitor", "--clear", "override"})).as_object();
  r.prepare(cx, body, monitor);
  CHECK(boost::json::serialize(body) == R"({"monitorIds":[],"statusOverride":null})");
}

TEST_CASE("a new incident needs a text, starts by investigating, and names components with their status") {
  auto const r = page_incidents().address("");
  auto const id = std::string(published_part);
  CHECK(typed_body(r, true,
                   {"Checkout fails", "--impact", "major", "--component", "a=b=partial_outage", "--text",
                    "We look for the cause.", "--silent"}) ==
        R"({"name":"Checkout fails","impact":"major","components":[{"id":"a=b","status":"partial_outage"}],)"
        R"("body":"We look for the cause.","notify":false})");
  CHECK(prepared_incident(R"({"name":"n","body":"b","components":[{"id":")" + id +
                          R"(","status":"partial_outage"}]})") ==
        R"({"name":"n","body":"b","components":[{"id":")" + id +
            R"(","status":"partial_outage"}],"status":"investigating"})");
  CHECK(prepared_incident(R"({"name":"n","body":"b","status":"resolved"})") ==
        R"({"name":"n","body":"b","status":"resolved"})");
  CHECK(prepared_incident(R"({"components":null})", id) == R"({"components":[]})");
  CHECK(usage_sentence([] { prepared_incident(R"({"name":"n"})"); }) == "The text for visitors is missing.");
  CHECK(usage_sentence([] { prepared_incident(R"({"name":"n","body":""})"); }) ==
        "The text for visitors is missing.");
  for (std::string const wrong : {"Checkout", "=major_outage", "Checkout="}) {
    CAPTURE(wrong);
    CHECK(usage_sentence([&] { typed_body(r, true, {"n", "--component", wrong}); }) ==
          "--component: '" + wrong + "' is not a component with its status.");
  }
}

TEST_CASE("the text of a post comes from an option or a file, without the line end of the file") {
  svc::test::temporary_directory const directory;
  auto const file = directory.write("update.txt", "A fix is deployed.\n\nWe watch it.\n");
  auto const r = page_incidents().address("");
  CHECK(typed_body(r, true, {"n", "--body", file}) == R"({"name":"n","body":"A fix is deployed.\n\nWe watch it."})");
  CHECK(usage_sentence([&] { typed_body(r, true, {"n", "--body", file, "--text", "x"}); }) ==
        "--text and --body exclude each other.");
  // A text in place of a file is not published.
  CHECK(usage_sentence([&] {
          typed_body(r, true, {"n", "--body", "A fix is deployed."});
        }).starts_with("Cannot read A fix is deployed.: "));
}

TEST_CASE("a window is announced with its own name unless a title is given, and an announcement is cleared whole") {
  struct {
    char const *given, *id, *expected;
  } const cases[] = {
      {R"({"name":"nightly","announcement":{"body":"b"}})", "",
       R"({"name":"nightly","announcement":{"body":"b","title":"nightly"}})"},
      {R"({"name":"nightly","announcement":{"title":"t","body":"b"}})", "",
       R"({"name":"nightly","announcement":{"title":"t","body":"b"}})"},
      {R"({"announcement":{"body":"b"}})", page_of_parts.data(), R"({"announcement":{"body":"b"}})"},
      {R"({"announcement":{"title":null}})", page_of_parts.data(), R"({"announcement":null})"},
      {R"({"announcement":null})", page_of_parts.data(), R"({"announcement":null})"},
      {R"({"statusPageIds":null,"componentIds":null})", page_of_parts.data(),
       R"({"statusPageIds":[],"componentIds":[]})"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.given);
    CHECK(prepared_window(c.given, c.id) == c.expected);
  }
  auto const listed = R"({"statusPageIds":[")" + std::string(page_of_parts) + R"("],"componentIds":[")" +
                      std::string(published_part) + R"("]})";
  CHECK(prepared_window(listed) == listed);
  CHECK(usage_sentence([] { prepared_window(R"({"componentIds":["Checkout"]})"); }) == "--component needs a page.");
  CHECK(typed_body(window_resource(), false, {"--announce", "1d", "--silent", "--clear", "title"}) ==
        R"({"announceHours":24,"notify":false,"announcement":{"title":null}})");
}

TEST_CASE("hours are whole, and none of them is allowed") {
  CHECK(hours_argument("0s", "--announce") == 0);
  CHECK(hours_argument("3d", "--announce") == 72);
  CHECK(hours_argument("7200", "--announce") == 2);
  for (std::string const wrong : {"90m", "1", "soon", ""}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(hours_argument(wrong, "--announce"), failure);
  }
}

TEST_CASE("statuses of components have the colour of what they mean") {
  CHECK(colour_of("operational") == colour_of("up"));
  for (auto const* const bad : {"partial_outage", "partial outage", "major_outage"})
    CHECK(colour_of(bad) == colour_of("down"));
  CHECK(colour_of("degraded_performance") == colour_of("degraded"));
  CHECK(colour_of("under maintenance") == colour_of("running"));
  CHECK(colour_of("unknown").empty());
}

}  // namespace svc::cli
