#include "store/tokens/token_decision.hpp"

#include <doctest/doctest.h>

#include <functional>

using namespace svc;
using store::token_facts;

TEST_CASE("the reason that is shown is the first in order, whatever else is true") {
  token_facts facts{.owner_role = role::project_viewer};
  CHECK(store::state_of(facts) == token_state::usable);
  struct {
    char const* name;
    std::function<void(token_facts&)> also;
    token_state expected;
  } const cases[] = {
      {"archived", [](token_facts& f) { f.project_archived = true; }, token_state::project_archived},
      {"no role", [](token_facts& f) { f.owner_role = role::none; }, token_state::owner_without_role},
      {"removed", [](token_facts& f) { f.owner_removed = true; }, token_state::owner_removed},
      {"banned", [](token_facts& f) { f.owner_disabled = true; }, token_state::owner_disabled},
      {"disabled", [](token_facts& f) { f.enabled = false; }, token_state::disabled},
      {"rotated", [](token_facts& f) { f.secret_dead = true; }, token_state::secret_rotated},
      {"revoked", [](token_facts& f) { f.revoked = true; }, token_state::revoked},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    token_facts alone{.owner_role = role::project_viewer};
    c.also(alone);
    CHECK(store::state_of(alone) == c.expected);
    c.also(facts);
    CHECK(store::state_of(facts) == c.expected);
  }
}
