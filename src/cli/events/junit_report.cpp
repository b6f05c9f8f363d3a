#include "cli/events/run_report.hpp"

#include "cli/console/harmless.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>

namespace svc::cli {
namespace {

/// The encodings of U+FFFE and U+FFFF, which are valid UTF-8 but no characters of XML.
constexpr std::string_view no_characters[] = {"\xEF\xBF\xBE", "\xEF\xBF\xBF"};
constexpr std::string_view replacement_character = "\xEF\xBF\xBD";

std::string attribute(std::string_view name, std::string_view value) {
  return std::string(" ").append(name).append("=\"").append(xml_text(value)).append("\"");
}

std::string seconds_text(std::optional<std::int64_t> milliseconds) {
  auto const time = std::max<std::int64_t>(0, milliseconds.value_or(0));
  std::array<char, 8> fraction{};
  std::snprintf(fraction.data(), fraction.size(), ".%03d", static_cast<int>(time % 1000));
  return std::to_string(time / 1000) + fraction.data();
}

enum class verdict : std::uint8_t { passed, failure, error, skipped };

verdict verdict_of(test_result const& test) {
  if (test.passed()) return verdict::passed;
  if (test.status == "failed") return verdict::failure;
  return test.status == "error" || test.status == "timed_out" ? verdict::error : verdict::skipped;
}

struct report_counts {
  std::size_t tests = 0, failures = 0, errors = 0, skipped = 0;

  void add(verdict verdict) {
    ++tests;
    failures += verdict == verdict::failure ? 1U : 0U;
    errors += verdict == verdict::error ? 1U : 0U;
    skipped += verdict == verdict::skipped ? 1U : 0U;
  }
  std::string attributes() const {
    return attribute("tests", std::to_string(tests)) + attribute("failures", std::to_string(failures)) +
           attribute("errors", std::to_string(errors));
  }
};

std::string case_head(std::string_view suite, std::string_view name, std::optional<std::int64_t> duration_ms) {
  return "    <testcase" + attribute("name", name) + attribute("classname", suite) +
         attribute("time", seconds_text(duration_ms));
}

/// Returns the element of an outcome. `element` is failure, error or skipped.
std::string outcome_element(std::string_view element, std::string_view status, std::string_view message,
                            std::string const& content) {
  auto out = "      <" + std::string(element) + attribute("type", status) + attribute("message", message);
  return content.empty() ? out + "/>\n" : out + ">" + content + "</" + std::string(element) + ">\n";
}

std::string test_case(std::string_view suite, test_result const& test) {
  auto const found = verdict_of(test);
  auto const head = case_head(suite, test.title, test.duration_ms);
  if (found == verdict::passed) return head + "/>\n";
  std::string lines;
  for (auto const& line : test.last_lines) lines += xml_text(line) + '\n';
  auto const message = test.details.empty() ? test.status : test.details;
  auto const* const element = found == verdict::failure ? "failure" : found == verdict::error ? "error" : "skipped";
  return head + ">\n" + outcome_element(element, test.status, message, lines) + "    </testcase>\n";
}

/// Returns the fault of the run itself; empty if its tests show every fault.
std::string fault_of(run_result const& run, std::string_view unknown_because) {
  if (!unknown_because.empty()) return std::string(unknown_because);
  bool const shown = std::ranges::any_of(run.tests, [](test_result const& each) {
    return verdict_of(each) == verdict::failure || verdict_of(each) == verdict::error;
  });
  if (run.passed() || shown) return {};
  return run.details.empty() ? "The run ended as " + run.status + "." : run.details;
}

}  // namespace

std::string xml_text(std::string_view text) {
  auto plain = harmless(without_colours(text));
  for (auto const& character : no_characters)
    for (auto sv = plain.find(character); sv != std::string::npos;
         sv = plain.find(character, sv + replacement_character.size()))
      plain.replace(sv, character.size(), replacement_character);
  std::string out;
  for (char const c : plain) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\t':
        out += "&#9;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string junit_report(run_result const& run, std::string_view started_at, std::string_view unknown_because) {
  std::string const suite = run.job.empty() ? "run " + run.id : run.job;
  auto const fault = fault_of(run, unknown_because);
  report_counts counts;
  std::string cases;
  for (auto const& test : run.tests) {
    counts.add(verdict_of(test));
    cases += test_case(suite, test);
  }
  if (!fault.empty()) {
    counts.add(verdict::error);
    auto const status = unknown_because.empty() ? run.status : std::string("unknown");
    cases += case_head(suite, "run", std::nullopt) + ">\n" + outcome_element("error", status, fault, "") +
             "    </testcase>\n";
  }
  auto const time = attribute("time", seconds_text(run.duration_ms));
  auto const properties = "    <properties>\n      <property" + attribute("name", "runId") +
                          attribute("value", run.id) + "/>\n      <property" + attribute("name", "status") +
                          attribute("value", run.status) + "/>\n    </properties>\n";
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" + attribute("name", suite) + counts.attributes() +
         time + ">\n  <testsuite" + attribute("name", suite) + counts.attributes() +
         attribute("skipped", std::to_string(counts.skipped)) + time +
         (started_at.empty() ? "" : attribute("timestamp", started_at)) + ">\n" + properties + cases +
         "  </testsuite>\n</testsuites>\n";
}

}  // namespace svc::cli
