#include "svc/domain/monitoring/checks/certificate_warning.hpp"

#include <doctest/doctest.h>

#include <vector>

namespace svc::checks {
namespace {

using std::chrono::days;
using std::chrono::seconds;

timestamp const now{1'800'000'000'000'000};

}  // namespace

TEST_CASE("which threshold a certificate has passed") {
  struct {
    std::string name;
    int lifetime;
    std::chrono::microseconds left;
    std::vector<std::uint32_t> thresholds;
    std::optional<std::uint32_t> wanted;
  } const cases[] = {
      {"far from its end", 365, days(31), {30, 14, 7, 3, 1}, std::nullopt},
      {"at the first threshold", 365, days(30), {30, 14, 7, 3, 1}, 30},
      {"a second before it", 365, days(30) + seconds(1), {30, 14, 7, 3, 1}, std::nullopt},
      {"between two", 365, days(10), {30, 14, 7, 3, 1}, 14},
      {"on the last day", 365, seconds(1), {30, 14, 7, 3, 1}, 1},
      {"expired", 365, -seconds(1), {30, 14, 7, 3, 1}, 0},
      {"ends now", 365, seconds(0), {30}, 0},
      {"of 90 days: 30 is a third of it, which is not less", 90, days(20), {30}, std::nullopt},
      {"of 91 days", 91, days(20), {30}, 30},
      {"of six days, renewed each three", 6, days(3), {30, 14, 7, 3, 1}, std::nullopt},
      {"of six days, on the last", 6, days(1), {30, 14, 7, 3, 1}, 1},
      {"of a day", 1, seconds(3600), {30, 14, 7, 3, 1}, std::nullopt},
      {"of a day, expired", 1, -seconds(3600), {30}, 0},
      {"in another order", 365, days(2), {1, 30, 3}, 3},
      {"without thresholds", 365, days(2), {}, std::nullopt},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    certificate const certificate{"", "", now + (c.left - days(c.lifetime)), now + c.left, ""};
    CHECK(passed_threshold(certificate, c.thresholds, now) == c.wanted);
  }
}

TEST_CASE("a warning is distinguished by monitor, fingerprint and threshold, and by nothing else") {
  auto const entry = uuid::generate_v7(), other = uuid::generate_v7();
  certificate_warning const warning{{"", "", now, now + days(9), "aa"}, 14};
  auto const id = id_of(entry, warning);
  CHECK(id == id_of(entry, {{"ca", "shop", now, now + days(2), "aa"}, 14}));
  CHECK(id != id_of(other, warning));
  CHECK(id != id_of(entry, {{"", "", now, now + days(9), "ab"}, 14}));
  CHECK(id != id_of(entry, {{"", "", now, now + days(9), "aa"}, 7}));
  // Version 8 and the variant of RFC 9562 4.1, whatever the digest has there.
  for (int i = 0; i < 20; ++i) {
    auto const text = id_of(uuid::generate_v7(), warning).to_string();
    CHECK(text[14] == '8');
    CHECK(std::string_view("89ab").find(text[19]) != std::string_view::npos);
  }
}

}  // namespace svc::checks
