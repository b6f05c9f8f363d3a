#include "svc/live/output/run_streams.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

using svc::errc;
using svc::uuid;
using svc::output::stream_limits;
using svc::output::stream_slots;

namespace {

uuid id(std::uint8_t n) {
  return {{n}};
}

}  // namespace

TEST_CASE("streams are bounded for a token, a project and the instance") {
  struct {
    char const* name;
    stream_limits limits;
    std::vector<std::pair<std::uint8_t, std::uint8_t>> open;  ///< token, project
    std::pair<std::uint8_t, std::uint8_t> next;
    char const* refused;  ///< the beginning of the message; null: admitted
  } const table[] = {
      {"the first", {9, 9, 1}, {}, {1, 1}, nullptr},
      {"a token's one too many", {9, 9, 2}, {{1, 1}, {1, 1}}, {1, 1}, "This token has 2 "},
      {"another token", {9, 9, 1}, {{1, 1}}, {2, 1}, nullptr},
      {"a project's one too many", {9, 2, 2}, {{1, 1}, {2, 1}}, {3, 1}, "This project has 2 "},
      {"another project", {9, 1, 1}, {{1, 1}}, {2, 2}, nullptr},
      {"the instance's one too many", {2, 2, 2}, {{1, 1}, {2, 2}}, {3, 3}, "This instance has 2 "},
  };
  for (auto const& each : table) {
    CAPTURE(each.name);
    svc::account all(terms_of(each.limits));
    stream_slots slots(each.limits, all);
    std::vector<stream_slots::slot> held;
    for (auto const& [token, project] : each.open) {
      auto taken = slots.take(id(token), id(project));
      REQUIRE(taken.has_value());
      held.push_back(std::move(*taken));
    }
    auto const next = slots.take(id(each.next.first), id(each.next.second));
    CHECK(next.has_value() == (each.refused == nullptr));
    if (next || each.refused == nullptr) continue;
    CHECK(next.error().code == errc::stream_limit_reached);
    CHECK(next.error().message.starts_with(each.refused));
    // A refused stream takes no place, and a stream that ends frees its place.
    held.clear();
    for (auto const& [token, project] : each.open) {
      auto taken = slots.take(id(token), id(project));
      REQUIRE(taken.has_value());
      held.push_back(std::move(*taken));
    }
  }
}
