#include "svc/domain/monitoring/checks/pattern.hpp"

#include "svc/domain/monitoring/checks/assertion.hpp"

#include <re2/re2.h>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace svc;
using namespace svc::checks;

namespace {

std::string a_times(int count) {
  return "a{" + std::to_string(count) + "}";
}

std::vector<assertion_settings> patterns_of(std::vector<std::string> const& texts) {
  std::vector<assertion_settings> out;
  for (auto const& each : texts)
    out.push_back({.source = source::body, .comparison = comparison::matches, .expected = each});
  return out;
}

}  // namespace

TEST_CASE(
    "a small program gets little memory, a large one as much as its searches need, and a larger one is refused") {
  struct {
    std::string text;
    bool good;
    std::size_t least, most;  ///< bytes
  } const cases[] = {
      {"ok", true, 80'000, 100'000},           {a_times(90), true, 80'000, 100'000},
      {a_times(110), true, 340'000, 370'000},  {"\\pL{5}", true, 480'000, 520'000},
      {"(?:\\pL\\pN){60}", false, 0, 370'000}, {"(", false, 0, 370'000},
  };
  for (auto const& c : cases) {
    CAPTURE(c.text);
    auto const made = compile_pattern(c.text);
    CHECK(made->ok() == c.good);
    CHECK(pattern_bytes(*made) >= c.least);
    CHECK(pattern_bytes(*made) <= c.most);
  }
  CHECK(compile_pattern("\xff")->ok() == false);
  CHECK(compile_pattern("\xff", pattern_encoding::latin1)->ok());
}

TEST_CASE("the sum of all programs has a bound, beyond which nothing is compiled") {
  struct {
    std::string name;
    std::vector<std::string> texts;
    int most;
    std::string wrong;
  } const cases[] = {
      {"none", {}, 0, ""},
      {"as much as may be", {"a{96}", "a{96}"}, 200, ""},
      {"one instruction more", {"a{96}", "a{97}"}, 200, "/assertions"},
      // The last one is not looked at.
      {"a fault behind them", {"a{300}", "("}, 200, "/assertions"},
      {"a fault before them", {"(", "a{300}"}, 200, "/assertions/0/expected /assertions"},
      {"no bound", {"a{300}", "a{300}"}, unlimited_pattern_size, ""},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    std::vector<field_error> wrong;
    static_cast<void>(make_assertions(patterns_of(c.texts), c.most, wrong));
    std::string all;
    for (auto const& each : wrong) all += (all.empty() ? "" : " ") + each.field;
    CHECK(all == c.wrong);
  }
}
