#include "store/tokens/token_decision.hpp"

#include <doctest/doctest.h>

using namespace svc;
using store::plan_edit;
using store::rate_edit;
using store::stored_token;
using store::token_edit;
using store::token_editor;

namespace {

uuid const owner = uuid::generate_v7(), admin = uuid::generate_v7();

stored_token token_of_owner() {
  stored_token t;
  t.owner = owner;
  t.name = "ci";
  return t;
}

token_editor by(uuid user, role r) {
  return {.actor = {.user = user}, .as = r};
}

}  // namespace

TEST_CASE("who may disable and enable a token, and whose change is binding") {
  stored_token const on = token_of_owner();
  stored_token off = on;
  off.enabled = false;
  stored_token bound = off;
  bound.disabled_by = admin;
  stored_token left = off;
  left.owner_left = true;
  struct {
    char const* name;
    stored_token token;
    bool enable;
    token_editor who;
    std::optional<errc> refused;
    bool changes;
    std::optional<uuid> disabled_by;
  } const cases[] = {
      {"owner off", on, false, by(owner, role::project_editor), {}, true, {}},
      {"owner on", off, true, by(owner, role::project_editor), {}, true, {}},
      {"owner off again", off, false, by(owner, role::project_editor), {}, false, {}},
      {"editor switches off another's: not binding", on, false, by(admin, role::project_editor), {}, true, {}},
      {"administrator off: binding", on, false, by(admin, role::project_admin), {}, true, admin},
      {"administrator binds what is off already", off, false, by(admin, role::org_admin), {}, true, admin},
      {"administrator's own: not binding", on, false, by(owner, role::org_owner), {}, true, {}},
      {"owner cannot lift it", bound, true, by(owner, role::project_editor), errc::disabled_by_administrator, {}, {}},
      {"owner's off does not lift it", bound, false, by(owner, role::project_editor), {}, false, admin},
      {"administrator lifts it", bound, true, by(admin, role::project_admin), {}, true, {}},
      {"owner who became administrator lifts it", bound, true, by(owner, role::project_admin), {}, true, {}},
      {"owner left: nobody", left, true, by(admin, role::org_owner), errc::permission_denied, {}, {}},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto const plan = plan_edit(c.token, {.enabled = c.enable}, c.who);
    REQUIRE(plan.has_value() == !c.refused);
    if (c.refused) {
      CHECK(plan.error().code == *c.refused);
      continue;
    }
    CHECK(plan->changes == c.changes);
    CHECK(plan->enabled == c.enable);
    CHECK(plan->disabled_by == c.disabled_by);
  }
}

TEST_CASE("what an edit writes to the audit log") {
  stored_token const token = token_of_owner();
  struct {
    char const* name;
    token_edit edit;
    char const* verb;
    char const* details;
  } const cases[] = {
      {"switch", {.enabled = false}, "disabled", R"({"name":"ci","enabled":false})"},
      {"name", {.name = "new"}, "updated", R"({"name":"ci","newName":"new"})"},
      {"both", {.enabled = false, .name = "new"}, "disabled", R"({"name":"ci","enabled":false,"newName":"new"})"},
      {"limit",
       {.rate = rate_edit{.limit = 5, .base = {100, 60}}},
       "updated",
       R"({"name":"ci","rateLimit":{"limit":5,"windowSeconds":60}})"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto const plan = plan_edit(token, c.edit, by(owner, role::project_editor));
    REQUIRE(plan.has_value());
    CHECK(plan->changes);
    CHECK(plan->verb == c.verb);
    CHECK(plan->details == c.details);
  }
  CHECK_FALSE(plan_edit(token, {.enabled = true, .name = "ci"}, by(owner, role::project_editor))->changes);
}

TEST_CASE("a limit is merged: omitted members stay, null restores the default") {
  window_limit const base{100, 60}, own{20, 2};
  struct {
    char const* name;
    rate_edit edit;
    std::optional<window_limit> from, expected;
  } const cases[] = {
      {"both", {.limit = 7, .seconds = 3, .base = base}, own, window_limit{7, 3}},
      {"limit of an own one", {.limit = 7, .base = base}, own, window_limit{7, 2}},
      {"window of an own one", {.seconds = 9, .base = base}, own, window_limit{20, 9}},
      {"limit of a default one", {.limit = 7, .base = base}, std::nullopt, window_limit{7, 60}},
      {"reset", {.reset = true, .base = base}, own, std::nullopt},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK((c.edit.apply(c.from) == c.expected));
  }
}
