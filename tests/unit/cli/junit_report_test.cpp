#include "cli/events/run_report.hpp"

#include <doctest/doctest.h>
#include <boost/property_tree/ptree.hpp>
#include <boost/property_tree/xml_parser.hpp>

#include <sstream>

using namespace svc::cli;

namespace {

/// Reads it with RapidXML, which is not ours.
boost::property_tree::ptree parsed(std::string const& text) {
  std::istringstream words(text);
  boost::property_tree::ptree out;
  boost::property_tree::read_xml(words, out);
  return out;
}

run_result some_run() {
  return {.id = "r-1",
          .job = "nightly <1>",
          .status = "failed",
          .duration_ms = 61'005,
          .tests = {{.title = "login", .status = "passed", .duration_ms = 1'234},
                    {.title = "check \"out\" & pay",
                     .status = "failed",
                     .details = "exit code 1",
                     .duration_ms = 20,
                     .last_lines = {"\x1b[31mred\x1b[0m", "a < b"}},
                    {.title = "slow", .status = "timed_out"},
                    {.title = "late", .status = "skipped"}}};
}

}  // namespace

TEST_CASE("a run is one suite with one case for each test") {
  CHECK(
      junit_report(some_run(), "2026-11-28T10:00:00Z", {}) ==
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites name=\"nightly &lt;1&gt;\" tests=\"4\" failures=\"1\" errors=\"1\" time=\"61.005\">\n"
      "  <testsuite name=\"nightly &lt;1&gt;\" tests=\"4\" failures=\"1\" errors=\"1\" skipped=\"1\" time=\"61.005\""
      " timestamp=\"2026-11-28T10:00:00Z\">\n"
      "    <properties>\n"
      "      <property name=\"runId\" value=\"r-1\"/>\n"
      "      <property name=\"status\" value=\"failed\"/>\n"
      "    </properties>\n"
      "    <testcase name=\"login\" classname=\"nightly &lt;1&gt;\" time=\"1.234\"/>\n"
      "    <testcase name=\"check &quot;out&quot; &amp; pay\" classname=\"nightly &lt;1&gt;\" time=\"0.020\">\n"
      "      <failure type=\"failed\" message=\"exit code 1\">red\na &lt; b\n</failure>\n"
      "    </testcase>\n"
      "    <testcase name=\"slow\" classname=\"nightly &lt;1&gt;\" time=\"0.000\">\n"
      "      <error type=\"timed_out\" message=\"timed_out\"/>\n"
      "    </testcase>\n"
      "    <testcase name=\"late\" classname=\"nightly &lt;1&gt;\" time=\"0.000\">\n"
      "      <skipped type=\"skipped\" message=\"skipped\"/>\n"
      "    </testcase>\n"
      "  </testsuite>\n"
      "</testsuites>\n");
}

TEST_CASE("a run that did not pass is never a report in which all passed") {
  struct {
    char const* name;
    char const* status;
    std::vector<test_result> tests;
    char const* unknown;
    char const* message;  ///< of the case `run`; empty: there is none
  } const table[] = {
      {"passed", "passed", {{.title = "a", .status = "passed"}}, "", ""},
      {"failed by a test", "failed", {{.title = "a", .status = "failed"}}, "", ""},
      {"cancelled",
       "cancelled",
       {{.title = "a", .status = "passed"}, {.title = "b", .status = "cancelled"}},
       "",
       "The run ended as cancelled."},
      {"no test at all", "error", {}, "", "The run ended as error."},
      {"its end was not seen",
       "running",
       {{.title = "a", .status = "passed"}},
       "The time of --timeout is over.",
       "The time of --timeout is over."},
      {"nothing is known", "", {}, "No answer.", "No answer."},
  };
  for (auto const& each : table) {
    CAPTURE(std::string(each.name));
    run_result const run{.id = "r", .job = "j", .status = each.status, .tests = each.tests};
    auto const suite = parsed(junit_report(run, {}, each.unknown)).get_child("testsuites.testsuite");
    std::string message;
    for (auto const& [tag, child] : suite)
      if (tag == "testcase" && child.get<std::string>("<xmlattr>.name") == "run")
        message = child.get<std::string>("error.<xmlattr>.message");
    CHECK(message == each.message);
    CHECK((suite.get<int>("<xmlattr>.failures") + suite.get<int>("<xmlattr>.errors") > 0) ==
          (std::string(each.status) != "passed"));
  }
}

TEST_CASE("any bytes become text that XML allows") {
  std::string every;
  for (int c = 0; c < 256; ++c) every += static_cast<char>(c);
  every += "\xEF\xBF\xBE \xEF\xBF\xBF \xED\xA0\x80 \xF4\x90\x80\x80 ]]> \xF0\x9F\x98\x80";
  auto run = some_run();
  run.job = run.tests[1].title = run.tests[1].details = every;
  run.tests[1].last_lines = {every, every};
  auto const text = junit_report(run, every, every);
  for (char const c : text) CHECK((static_cast<unsigned char>(c) >= 0x20 || c == '\n'));
  CHECK(text.find("\xEF\xBF\xBE") == std::string::npos);
  CHECK(text.find("\xEF\xBF\xBF") == std::string::npos);
  CHECK(text.find("]]>") == std::string::npos);
  auto const read = parsed(text).get_child("testsuites.testsuite");
  CHECK(read.get<std::string>("<xmlattr>.name").find("\xF0\x9F\x98\x80") != std::string::npos);
}
