#include "svc/domain/monitoring/checks/variables.hpp"

#include <doctest/doctest.h>

#include <string>

namespace svc::checks {
namespace {

variable_values three_variables() {
  variable_values out;
  out.emplace("HOST", secret_string("example.org"));
  out.emplace("KEY_2", secret_string("{{HOST}}"));
  out.emplace("EMPTY", secret_string(""));
  return out;
}

TEST_CASE("texts with variables") {
  struct {
    std::string text, filled;
  } const cases[] = {
      {"", ""},
      {"plain", "plain"},
      {"{{HOST}}", "example.org"},
      {"https://{{HOST}}/a?b={{HOST}}", "https://example.org/a?b=example.org"},
      // A value is no text with variables.
      {"{{KEY_2}}", "{{HOST}}"},
      {"{{EMPTY}}", ""},
      {"{{{{", "{{"},
      {"{{{{HOST}}", "{{HOST}}"},
      {"{{{{{{{{", "{{{{"},
      {"{{{{{{HOST}}", "{{example.org"},
      {"{{{HOST}}}", "{example.org}"},
      {R"({"a":{"b":"{{HOST}}"}})", R"({"a":{"b":"example.org"}})"},
      {"{ { }} } {", "{ { }} } {"},
      {"{", "{"},
  };
  auto const values = three_variables();
  for (auto const& c : cases) {
    CAPTURE(c.text);
    auto const text = text_with_variables::parse(c.text);
    REQUIRE(text.has_value());
    auto const filled = text->filled(values);
    REQUIRE(filled.has_value());
    CHECK(filled->reveal() == c.filled);
  }
}

TEST_CASE("braces that do not start a variable are refused, with the position") {
  struct {
    std::string text, address;
  } const cases[] = {
      {"{{", "character 1;"},         {"a{{host}}", "character 2;"},
      {"{{ HOST }}", "character 1;"}, {"{{}}", "character 1;"},
      {"{{1A}}", "character 1;"},     {"{{A-B}}", "character 1;"},
      {"{{HOST}", "character 1;"},    {"{{A\n}}", "character 1;"},
      {"{{HOST}}{{", "character 9;"}, {"{{{", "character 2;"},
      {"{{{{{{", "character 5;"},     {"{{" + std::string(65, 'A') + "}}", "character 1;"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.text);
    auto const text = text_with_variables::parse(c.text);
    REQUIRE_FALSE(text.has_value());
    CHECK(text.error().message.find(c.address) != std::string::npos);
  }
  CHECK(text_with_variables::parse("{{" + std::string(64, 'A') + "}}").has_value());
}

TEST_CASE("a variable that does not exist is named, and no value is shown") {
  auto const text = text_with_variables::parse("{{HOST}} {{GONE}} {{LOST}}");
  REQUIRE(text.has_value());
  CHECK(text->names() == std::vector<std::string_view>{"HOST", "GONE", "LOST"});
  auto const filled = text->filled(three_variables());
  REQUIRE_FALSE(filled.has_value());
  CHECK(filled.error().message == "There is no variable GONE in the project; create it.");
}

TEST_CASE("a text with its values is as long as its member allows, and no longer") {
  auto const values = three_variables();
  // 11 bytes for each reference.
  struct {
    std::string text;
    std::size_t most;
    bool fits;
  } const cases[] = {{"{{HOST}}", 11, true},
                     {"{{HOST}}", 10, false},
                     {"a{{HOST}}{{EMPTY}}{{HOST}}", 23, true},
                     {"a{{HOST}}{{EMPTY}}{{HOST}}", 22, false},
                     {"{{EMPTY}}", 0, true}};
  for (auto const& c : cases) {
    CAPTURE(c.text);
    auto const filled = text_with_variables::parse(c.text, c.most)->filled(values);
    CHECK(filled.has_value() == c.fits);
    if (!filled) CHECK(filled.error().message.find("at most " + std::to_string(c.most)) != std::string::npos);
  }
  std::string many;
  for (int i = 0; i < 6000; ++i) many += "{{HOST}}";
  CHECK_FALSE(text_with_variables::parse(many)->filled(values).has_value());
  CHECK(text_with_variables::parse("{{GONE}}")->missing(values) == "GONE");
  CHECK_FALSE(text_with_variables::parse("{{HOST}}")->missing(values));
}

TEST_CASE("only a text that is one reference is no secret itself") {
  CHECK(text_with_variables::parse("{{HOST}}")->is_reference());
  for (auto const* text : {"", "HOST", "Bearer {{HOST}}", "{{HOST}}{{HOST}}", "{{{{"}) {
    CAPTURE(text);
    CHECK_FALSE(text_with_variables::parse(text)->is_reference());
  }
}

}  // namespace
}  // namespace svc::checks
