#include "cli/events/ci.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>

using namespace svc::cli;

namespace {

ci_log log_of(ci_system system) {
  return {system, [count = 0]() mutable { return "token" + std::to_string(++count); }};
}

}  // namespace

TEST_CASE("CI systems are known by their environment") {
  struct {
    std::map<std::string, std::string> environment;
    ci_system expected;
  } const cases[] = {
      {{}, ci_system::none},
      {{{"CI", "true"}}, ci_system::none},
      {{{"GITHUB_ACTIONS", "true"}}, ci_system::github},
      {{{"GITHUB_ACTIONS", "false"}}, ci_system::none},
      {{{"GITHUB_ACTIONS", ""}}, ci_system::none},
      {{{"GITLAB_CI", "true"}}, ci_system::gitlab},
      {{{"GITLAB_CI", "true"}, {"GITHUB_ACTIONS", "true"}}, ci_system::github},
  };
  for (auto const& c : cases) {
    auto const variable = [&c](char const* name) {
      auto const found = c.environment.find(name);
      return found == c.environment.end() ? nullptr : found->second.c_str();
    };
    CHECK(detect_ci(variable) == c.expected);
  }
}

TEST_CASE("groups in the language of each CI system, in which nobody else can speak") {
  struct {
    ci_system system;
    std::string title, begin, end;
  } const cases[] = {
      {ci_system::none, "nightly", "", ""},
      {ci_system::github, "nightly", "::group::nightly\n::stop-commands::token1\n", "::token1::\n::endgroup::\n"},
      {ci_system::github, "100%\n::error::x\r", "::group::100%25\\n::error::x\\r\n::stop-commands::token1\n",
       "::token1::\n::endgroup::\n"},
      {ci_system::gitlab, "nightly", "section_start:7:run-1[collapsed=true]\r\x1b[0Knightly\n",
       "section_end:9:run-1\r\x1b[0K\n"},
      {ci_system::gitlab, "a\r\x1b[0Ksection_end:9:run-1\r\x1b[0K\n",
       "section_start:7:run-1[collapsed=true]\r\x1b[0Ka\\r\\x1b[0Ksection_end:9:run-1\\r\\x1b[0K\\n\n",
       "section_end:9:run-1\r\x1b[0K\n"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.title);
    auto log = log_of(c.system);
    CHECK(log.begin_group("run-1", c.title, 7) == c.begin);
    CHECK(log.end_group(9) == c.end);
  }
}

TEST_CASE("commands are stopped by another token each time, and are never started without having been stopped") {
  auto log = log_of(ci_system::github);
  CHECK(log.end() == "");
  CHECK(log.begin() == "::stop-commands::token1\n");
  CHECK(log.end() == "::token1::\n");
  CHECK(log.end() == "");
  CHECK(log.begin() == "::stop-commands::token2\n");
  for (auto const system : {ci_system::none, ci_system::gitlab}) {
    auto other = log_of(system);
    CHECK(other.begin() == "");
    CHECK(other.end() == "");
  }
}

TEST_CASE("annotations") {
  struct {
    ci_system system;
    std::string title, message, expected;
  } const cases[] = {
      {ci_system::none, "a", "b", ""},
      {ci_system::gitlab, "a", "b", ""},
      {ci_system::github, "login", "exit code 1", "::error title=login::exit code 1\n"},
      {ci_system::github, "a::b,c=d%", "100%\nsecond::line\r",
       "::error title=a%3A%3Ab%2Cc=d%25::100%25%0Asecond::line\\r\n"},
      {ci_system::github, "x\n::set-output name=a::b", "y\x1b[0m",
       "::error title=x\\n%3A%3Aset-output name=a%3A%3Ab::y\\x1b[0m\n"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.title);
    CHECK(log_of(c.system).error(c.title, c.message) == c.expected);
  }
}

TEST_CASE("nothing in a text is Markdown or HTML") {
  struct {
    std::string text, expected;
  } const cases[] = {
      {"login works", "login works"},
      {"a|b", "a&#124;b"},
      {"`x` *y* _z_", "&#96;x&#96; &#42;y&#42; &#95;z&#95;"},
      {"</details><script>", "&#60;&#47;details&#62;&#60;script&#62;"},
      {"[a](http://b)", "&#91;a&#93;&#40;http&#58;&#47;&#47;b&#41;"},
      {"# a\n- b", "&#35; a&#92;n&#45; b"},
      {"01934f2e-5555-7d3e -a a- --", "01934f2e-5555-7d3e &#45;a a&#45; &#45;&#45;"},
      {"&amp;", "&#38;amp&#59;"},
      {"It runs now. Wait.", "It runs now. Wait."},
      {"1. a www.b.c 2.", "1&#46; a www&#46;b&#46;c 2&#46;"},
      {"a\tb", "a b"},
      {"größer 漢", "größer 漢"},
  };
  for (auto const& c : cases) CHECK(markdown_text(c.text) == c.expected);
  CHECK(markdown_block("a\n\n</pre><b>`\x1b[31m\n") == "<pre>a\n\n&lt;/pre>&lt;b>`\\x1b[31m\n</pre>\n");
}
