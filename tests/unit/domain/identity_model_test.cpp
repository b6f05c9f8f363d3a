// A model of the roles that a provider and people give, over sequences of sign-ins with changing groups.
#include "svc/domain/identity.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace svc {
namespace {

/// An organization, and one of its projects; project 0 is the organization itself.
using role_position = std::pair<std::uint8_t, std::uint8_t>;

struct given_role {
  std::string role{};
  bool by_hand = false;

  friend bool operator==(given_role const&, given_role const&) = default;
};

using given_roles = std::map<role_position, given_role>;

role_position position_at(int organization, int project) {
  return {static_cast<std::uint8_t>(organization), static_cast<std::uint8_t>(project)};
}

/// From the lowest to the highest.
std::vector<std::string> ladder_of(role_position position) {
  if (position.second == 0) return {"org_member", "org_admin"};
  return {"project_viewer", "project_editor", "project_admin"};
}

uuid id_of_model(int number) {
  uuid out;
  out.bytes[15] = static_cast<std::uint8_t>(number);
  return out;
}

placed_role placed_at(role_position position, std::string role) {
  placed_role out{.organization = id_of_model(position.first), .role = std::move(role)};
  if (position.second != 0) out.project = id_of_model(10 * position.first + position.second);
  return out;
}

role_position position_of(placed_role const& place) {
  auto const organization = place.organization.bytes[15];
  auto const project = place.project ? place.project->bytes[15] - 10 * organization : 0;
  return position_at(organization, project);
}

bool has_project_role(given_roles const& roles, std::uint8_t organization, bool only_by_hand) {
  for (auto const& [position, given] : roles)
    if (position.first == organization && position.second != 0 && (given.by_hand || !only_by_hand)) return true;
  return false;
}

/// The state after a sign-in, by the rules of the contract and not by the code.
given_roles expected_after(given_roles const& before, std::vector<placed_role> const& mapped) {
  given_roles out;
  for (int organization : {1, 2})
    for (int project : {0, 1, 2}) {
      auto const position = position_at(organization, project);
      auto const held = before.find(position);
      std::string highest;
      bool implied = false;
      for (auto const& role : ladder_of(position))
        for (auto const& each : mapped)
          if (each == placed_at(position, role)) highest = role;
      for (auto const& each : mapped)
        implied = implied || (each.project && position_of(each).first == position.first);
      if (project == 0 && implied && highest.empty()) highest = "org_member";

      if (held != before.end() && held->second.by_hand)
        out[position] = held->second;
      else if (!highest.empty())
        out[position] = {highest, false};
      else if (held != before.end() && project == 0 && has_project_role(before, position.first, true))
        out[position] = {"org_member", true};
    }
  return out;
}

/// Applies the changes one after the other, as the statements of the database do, and checks what each requires.
void apply_changes(given_roles& roles, std::vector<role_change> const& changes) {
  for (auto const& each : changes) {
    auto const position = position_of(each.place);
    bool const granted = each.kind == role_change_kind::grant;
    REQUIRE(roles.contains(position) != granted);
    if (granted) {
      CHECK((position.second == 0 || roles.contains({position.first, 0})));
      roles[position] = {each.place.role, false};
      continue;
    }
    CHECK_FALSE(roles.at(position).by_hand);
    if (each.kind == role_change_kind::remove) {
      CHECK_FALSE((position.second == 0 && has_project_role(roles, position.first, false)));
      roles.erase(position);
    } else {
      roles[position] = {each.place.role, each.kind == role_change_kind::release};
    }
  }
}

std::vector<role_change> changes_for(given_roles const& roles, std::vector<placed_role> const& mapped) {
  std::vector<held_role> held;
  for (auto const& [position, given] : roles)
    held.push_back({.place = placed_at(position, given.role), .managed = !given.by_hand});
  return role_changes(held, highest_roles(mapped));
}

/// Somebody with the right gives a role where there is none, or takes one that was given by hand.
void change_by_hand(given_roles& roles, role_position position, std::string const& role) {
  auto const found = roles.find(position);
  role_position const organization{position.first, 0};
  if (found == roles.end()) {
    if (!roles.contains(organization)) roles[organization] = {"org_member", true};
    if (position.second != 0) roles[position] = {role, true};
  } else if (found->second.by_hand && (position.second != 0 || !has_project_role(roles, position.first, false))) {
    roles.erase(found);
  }
}

}  // namespace

TEST_CASE("over any sequence of sign-ins and changes by hand, the roles are those of the groups and of people") {
  constexpr std::size_t groups = 6;
  for (unsigned seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    auto const any_position = [&] {
      auto const organization = static_cast<int>(1 + random() % 2);
      return position_at(organization, static_cast<int>(random() % 3));
    };
    auto const any_role = [&](role_position position) {
      auto const ladder = ladder_of(position);
      return ladder[random() % ladder.size()];
    };
    std::vector<placed_role> mapping;
    for (std::size_t i = 0; i < groups; ++i) {
      auto const position = any_position();
      mapping.push_back(placed_at(position, any_role(position)));
    }
    given_roles roles;
    for (int step = 0; step < 40; ++step) {
      CAPTURE(step);
      if (random() % 3 == 0) {
        auto const position = any_position();
        change_by_hand(roles, position, any_role(position));
        continue;
      }
      std::vector<placed_role> mapped;
      for (auto const& each : mapping)
        if (random() % 2 == 0) mapped.push_back(each);
      auto const expected = expected_after(roles, mapped);
      apply_changes(roles, changes_for(roles, mapped));
      REQUIRE((roles == expected));
      // The next sign-in with the same groups changes nothing.
      REQUIRE(changes_for(roles, mapped).empty());
    }
  }
}

}  // namespace svc
