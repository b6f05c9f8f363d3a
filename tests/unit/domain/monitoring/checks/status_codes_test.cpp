#include "svc/domain/monitoring/checks/status_codes.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace svc::checks {
namespace {

TEST_CASE("which status codes a text expects") {
  struct {
    std::string text;
    std::vector<int> has, has_not;
  } const cases[] = {
      {"200-299", {200, 250, 299}, {199, 300, 100}},
      {"204", {204}, {200, 203, 205}},
      {"2xx", {200, 299}, {199, 300}},
      {"3XX", {300, 399}, {299, 400}},
      {"200,301-302, 5xx", {200, 301, 302, 500, 599}, {201, 303, 499, 600}},
      {" 200 , 404 ", {200, 404}, {403}},
      {"200 - 204", {200, 204}, {205}},
      {"100-999", {100, 999}, {0, 99, 1000, -1}},
      {"999", {999}, {998}},
      {"418,418", {418}, {417}},
      {"200-200", {200}, {201}},
  };
  for (auto const& c : cases) {
    CAPTURE(c.text);
    auto const codes = status_codes::parse(c.text);
    REQUIRE(codes.has_value());
    for (int const code : c.has) CHECK(codes->has(code));
    for (int const code : c.has_not) CHECK_FALSE(codes->has(code));
  }
}

TEST_CASE("invalid lists of status codes, and the reasons") {
  struct {
    std::string text, says;
  } const cases[] = {
      {"", "at each comma"},
      {"200,", "at each comma"},
      {",200", "at each comma"},
      {"200,,204", "at each comma"},
      {"20", "\"20\" must be a code"},
      {"2000", "\"2000\" must be"},
      {"099", "\"099\" must be"},
      {"0xx", "\"0xx\" must be"},
      {"2x", "\"2x\" must be"},
      {"20x", "\"20x\" must be"},
      {"xxx", "\"xxx\" must be"},
      {"200-", "\"200-\" must be"},
      {"-299", "\"-299\" must be"},
      {"200-299-300", "must be"},
      {"2xx-3xx", "must be"},
      {"299-200", "\"299-200\" must begin with the lower code"},
      {"200 204", "must be"},
      {"+200", "must be"},
      {"200;204", "must be"},
      {"\xff", "must be"},
      {std::string(256, '2'), "at most 255"},
      {std::string(255, '2'), "must be a code"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.text);
    auto const codes = status_codes::parse(c.text);
    REQUIRE_FALSE(codes.has_value());
    CHECK(codes.error().code == errc::validation_failed);
    CHECK(codes.error().message.find(c.says) != std::string::npos);
  }
}

}  // namespace
}  // namespace svc::checks
