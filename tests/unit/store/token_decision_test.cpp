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

TEST_CASE("the users who may disable and enable a token, and those whose change is binding") {
  stored_token const target = token_of_owner();
  stored_token off = target;
  off.enabled = false;
  stored_token bound = off;
  bound.disabled_by = admin;
  stored_token left = off;
  left.owner_left = true;
  struct {
    char const* name;
    stored_token token;
    bool enable;
    token_editor editor;
    std::optional<errc> refused;
    bool changes;
    std::optional<uuid> disabled_by;
  } const cases[] = {
      {"owner off", target, false, by(owner, role::project_editor), {}, true, {}},
      {"owner on", off, true, by(owner, role::project_editor), {}, true, {}},
      {"owner off again", off, false, by(owner, role::project_editor), {}, false, {}},
      {"editor switches off another's: not binding", target, false, by(admin, role::project_editor), {}, true, {}},
      {"administrator off: binding", target, false, by(admin, role::project_admin), {}, true, admin},
      {"administrator binds what is off already", off, false, by(admin, role::org_admin), {}, true, admin},
      {"administrator's own: not binding", target, false, by(owner, role::org_owner), {}, true, {}},
      {"owner cannot lift it", bound, true, by(owner, role::project_editor), errc::disabled_by_administrator, {}, {}},
      {"owner's off does not lift it", bound, false, by(owner, role::project_editor), {}, false, admin},
      {"administrator lifts it", bound, true, by(admin, role::project_admin), {}, true, {}},
      {"owner who became administrator lifts it", bound, true, by(owner, role::project_admin), {}, true, {}},
      {"owner left: nobody", left, true, by(admin, role::org_owner), errc::permission_denied, {}, {}},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto const plan = plan_edit(c.token, role::project_editor, {.enabled = c.enable}, c.editor);
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

TEST_CASE("the audit entry of an edit") {
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
    auto const plan = plan_edit(token, role::project_editor, c.edit, by(owner, role::project_editor));
    REQUIRE(plan.has_value());
    CHECK(plan->changes);
    CHECK(plan->verb == c.verb);
    CHECK(plan->details == c.details);
  }
  CHECK_FALSE(plan_edit(token, role::project_editor, {.enabled = true, .name = "ci"}, by(owner, role::project_editor))
                  ->changes);
}

TEST_CASE("a limit is merged: omitted members stay, null restores the default") {
  window_limit const base{100, 60}, own{20, 2};
  struct {
    char const* name;
    rate_edit edit;
    std::optional<window_limit> limit, expected;
  } const cases[] = {
      {"both", {.limit = 7, .seconds = 3, .base = base}, own, window_limit{7, 3}},
      {"limit of an own one", {.limit = 7, .base = base}, own, window_limit{7, 2}},
      {"window of an own one", {.seconds = 9, .base = base}, own, window_limit{20, 9}},
      {"limit of a default one", {.limit = 7, .base = base}, std::nullopt, window_limit{7, 60}},
      {"reset", {.reset = true, .base = base}, own, std::nullopt},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK((c.edit.apply(c.limit) == c.expected));
  }
}

TEST_CASE("only the owner, or a role that is at least the owner's, enables a token or widens its limits") {
  window_limit const base{100, 60};
  stored_token target = token_of_owner();
  target.rate = window_limit{20, 60};
  target.allowed_cidrs = {"10.0.0.0/8"};
  stored_token off = target;
  off.enabled = false;
  using cidrs = std::vector<std::string>;
  struct {
    char const* name;
    stored_token token;
    token_edit edit;
    bool empowers;
  } const cases[] = {
      {"enable", off, {.enabled = true}, true},
      {"enable what is enabled", target, {.enabled = true}, false},
      {"disable", target, {.enabled = false}, false},
      {"rename", target, {.name = "new"}, false},
      {"rename and enable", off, {.enabled = true, .name = "new"}, true},
      {"a larger number", target, {.rate = rate_edit{.limit = 21, .base = base}}, true},
      {"a smaller number", target, {.rate = rate_edit{.limit = 19, .base = base}}, false},
      {"a shorter window", target, {.rate = rate_edit{.seconds = 59, .base = base}}, true},
      {"a longer window", target, {.rate = rate_edit{.seconds = 61, .base = base}}, false},
      {"the same limit", target, {.rate = rate_edit{.limit = 20, .seconds = 60, .base = base}}, false},
      {"the default, which is more", target, {.rate = rate_edit{.reset = true, .base = base}}, true},
      {"the default, which is less", target, {.rate = rate_edit{.reset = true, .base = {10, 60}}}, false},
      {"every address", target, {.cidrs = store::cidrs_edit{}}, true},
      {"another range", target, {.cidrs = store::cidrs_edit{cidrs{"10.0.0.0/8", "192.168.0.0/16"}}}, true},
      {"a larger range", target, {.cidrs = store::cidrs_edit{cidrs{"10.0.0.0/7"}}}, true},
      {"a part of the range", target, {.cidrs = store::cidrs_edit{cidrs{"10.1.0.0/16"}}}, false},
      {"no address", target, {.cidrs = store::cidrs_edit{cidrs{}}}, false},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto const lesser = plan_edit(c.token, role::project_admin, c.edit, by(admin, role::project_editor));
    CHECK(lesser.has_value() != c.empowers);
    if (!lesser) CHECK(lesser.error().code == errc::permission_denied);
    auto const equal = plan_edit(c.token, role::project_admin, c.edit, by(admin, role::project_admin));
    REQUIRE(equal.has_value());
    CHECK(equal->empowers == c.empowers);
    CHECK(plan_edit(c.token, role::org_owner, c.edit, by(owner, role::project_editor)).has_value());
  }
}

TEST_CASE("a limit that a token has only by default is widened and narrowed against the default") {
  window_limit const base{100, 60};
  CHECK(store::widens(std::nullopt, window_limit{101, 60}, base));
  CHECK_FALSE(store::widens(std::nullopt, window_limit{100, 60}, base));
  CHECK_FALSE(store::widens(window_limit{100, 60}, std::nullopt, base));
  CHECK_FALSE(store::widens(std::nullopt, std::vector<std::string>{"0.0.0.0/0"}));
  CHECK(store::widens(std::vector<std::string>{}, std::vector<std::string>{"10.0.0.1/32"}));
}

TEST_CASE("COMMIT checks the role that a change of a token needs") {
  stored_token const target = token_of_owner();
  stored_token off = target;
  off.enabled = false;
  stored_token bound = off;
  bound.disabled_by = admin;
  struct {
    char const* name;
    stored_token token;
    bool enable;
    token_editor editor;
    role owner, expected;
  } const cases[] = {
      {"an editor enables an editor's", off, true, by(admin, role::project_editor), role::project_editor,
       role::project_editor},
      {"an owner of the organisation enables an administrator's", off, true, by(admin, role::org_owner),
       role::org_admin, role::org_admin},
      {"the owner enables", off, true, by(owner, role::project_editor), role::project_editor, role::none},
      {"an administrator disables", target, false, by(admin, role::project_admin), role::org_owner,
       role::project_admin},
      {"an administrator enables what is bound", bound, true, by(admin, role::project_admin), role::project_editor,
       role::project_admin},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto const plan = plan_edit(c.token, c.owner, {.enabled = c.enable}, c.editor);
    REQUIRE(plan.has_value());
    CHECK(store::least_role(c.token, c.owner, *plan, c.editor) == c.expected);
    token_editor editor = c.editor;
    editor.actor.permit.emplace().roles = roles_with(permission::token_update);
    auto const roles = store::writer_of(c.token, editor, c.expected).permit->roles;
    CHECK(roles == roles_from(std::max(c.expected, role::project_editor)));
  }
}

TEST_CASE("a key's limit above what the installation allows stays and may be lowered, but not raised") {
  struct {
    char const* name;
    std::optional<window_limit> before;
    rate_edit edit;
    bool granted;
  } const cases[] = {
      {"within", window_limit{5, 60}, {.limit = 60}, true},
      {"above", window_limit{5, 60}, {.limit = 61}, false},
      {"above by a shorter window", window_limit{60, 60}, {.seconds = 59}, false},
      {"above for a key with the default", std::nullopt, {.limit = 61}, false},
      {"a higher one is lowered", window_limit{1000, 60}, {.limit = 999}, true},
      {"a higher one is written again", window_limit{1000, 60}, {.limit = 1000, .seconds = 60}, true},
      {"a higher one is raised", window_limit{1000, 60}, {.limit = 1001}, false},
      {"a higher one with a shorter window", window_limit{1000, 60}, {.seconds = 59}, false},
      {"a higher one with a longer window", window_limit{1000, 60}, {.seconds = 61}, true},
      {"back to the default", window_limit{1000, 60}, {.reset = true}, true},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    stored_token token = token_of_owner();
    token.rate = c.before;
    auto edit = c.edit;
    edit.base = {5, 60};
    edit.most_a_minute = 60;
    auto const plan = plan_edit(token, role::project_editor, {.rate = edit}, by(owner, role::project_editor));
    CHECK(plan.has_value() == c.granted);
    if (!plan) CHECK(plan.error().code == errc::validation_failed);
  }
}
