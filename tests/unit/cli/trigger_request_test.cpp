#include "cli/commands/trigger_request.hpp"
#include "cli/console/failure.hpp"

#include <doctest/doctest.h>

#include <boost/json/parse.hpp>

#include <functional>

using namespace svc::cli;

namespace {

/// The sentence and hint of the failure, which must be one of usage; empty: there is none.
std::string refusal_by(std::function<void()> const& act) {
  try {
    act();
    return {};
  } catch (failure const& f) {
    CHECK(f.exit() == exit_code::usage);
    return std::string(f.what()) + " " + f.hint();
  }
}

}  // namespace

TEST_CASE("an empty Idempotency-Key is refused") {
  CHECK(refusal_by([] { check_idempotency_key("build-7"); }).empty());
  CHECK(refusal_by([] { check_idempotency_key(""); }).find("--idempotency-key must not be empty") == 0);
}

TEST_CASE("parameters of the command line beat those of the file") {
  struct {
    char const* name;
    std::vector<std::string> assignments;
    std::string file;
    job_parameters expected;
    std::string refused;
  } const cases[] = {
      {"none", {}, "", {}, ""},
      {"the first sign parts", {"A=b=c", "B="}, "", {{"A", "b=c"}, {"B", ""}}, ""},
      {"a file", {}, R"({"A": "x", "N": -15, "T": true})", {{"A", "x"}, {"N", "-15"}, {"T", "true"}}, ""},
      {"both", {"A=y"}, R"({"A": "x", "B": "z"})", {{"A", "y"}, {"B", "z"}}, ""},
      {"no value", {"A"}, "", {}, "--param NAME=VALUE"},
      {"twice", {"A=1", "A=1"}, "", {}, "given twice"},
      {"a small letter", {"a=1"}, "", {}, "cannot be named \"a\""},
      {"no name", {"=1"}, "", {}, "cannot be named"},
      {"a digit first", {"1A=1"}, "", {}, "cannot be named"},
      {"the longest name", {std::string(64, 'A') + "=1"}, "", {{std::string(64, 'A'), "1"}}, ""},
      {"a longer one", {std::string(65, 'A') + "=1"}, "", {}, "cannot be named"},
      {"no JSON", {}, "A=1", {}, "is not JSON: line 1, column 1:"},
      {"a list", {}, "[]", {}, "not a JSON object"},
      {"null", {}, R"({"A": null})", {}, "neither text, integer"},
      {"a fraction", {}, R"({"A": 1.5})", {}, "in quotes"},
      {"a name in the file", {}, R"({"a": "1"})", {}, "cannot be named"},
  };
  for (auto const& c : cases) {
    CAPTURE(std::string(c.name));
    job_parameters got;
    auto const refused = refusal_by([&] { got = parameters_of(c.assignments, c.file); });
    CHECK(refused.empty() == c.refused.empty());
    CHECK(refused.find(c.refused) != std::string::npos);
    CHECK(got == c.expected);
  }
}

TEST_CASE("parameters are those that the job declares") {
  struct {
    char const* job;
    job_parameters given;
    std::string refused;
  } const cases[] = {
      {R"({"parameters": []})", {}, ""},
      {R"({"parameters": []})", {{"A", ""}}, "no parameter A; nothing was triggered. It takes none."},
      {R"({"parameters": [{"name": "A"}, {"name": "B"}]})", {{"C", ""}}, "It takes A, B."},
      {R"({"parameters": [{"name": "A", "required": true}]})", {}, "needs the parameter A"},
      {R"({"parameters": [{"name": "A", "required": true, "default": null}]})", {}, "needs the parameter A"},
      {R"({"parameters": [{"name": "A", "required": true, "default": "x"}]})", {}, ""},
      {R"({"parameters": [{"name": "A", "required": false}]})", {}, ""},
      {R"({"parameters": [{"name": "A", "required": true}]})", {{"A", ""}}, ""},
      {R"({})", {{"A", ""}}, ""},
      {R"({"parameters": [1]})", {{"A", ""}}, ""},
      {R"([])", {{"A", ""}}, ""},
  };
  for (auto const& c : cases) {
    CAPTURE(std::string(c.job));
    auto const refused = refusal_by([&] { check_parameters(c.given, boost::json::parse(c.job)); });
    CHECK(refused.empty() == c.refused.empty());
    CHECK(refused.find(c.refused) != std::string::npos);
  }
}

TEST_CASE("the body of a trigger") {
  CHECK(trigger_body({}, "") == "{}");
  CHECK(trigger_body({{"A", "\"x\""}}, "k") == R"({"parameters":{"A":"\"x\""},"dedupKey":"k"})");
}
