#include "rotated.hpp"

namespace svc::test {
namespace {

/// What survives after a token was rotated twice: the first secret, the one between, the newest.
struct twice {
  char const* name;
  char const* first;   ///< how it was rotated
  bool used;           ///< whether the secret between was used before the second rotation
  char const* second;  ///< how it was rotated again
  bool old_lives, between_lives;
  bool ends_at_use;  ///< the first use of the newest ends the one that was in use
};

constexpr auto grace = "{}", first_use = R"({"endPrevious":"first_use"})", at_once = R"({"graceSeconds":0})";

constexpr twice cases[] = {
    {"grace, unused: the old one is in use", grace, false, grace, true, false, false},
    {"grace, used: the one between is in use", grace, true, grace, false, true, false},
    {"first use, unused", first_use, false, first_use, true, false, true},
    {"first use, used", first_use, true, first_use, false, true, true},
    {"the second one ends at first use, unused", grace, false, first_use, true, false, true},
    {"the second one has a grace, used", first_use, true, grace, false, true, false},
    {"ended at once, unused: nothing revives it", at_once, false, grace, false, false, false},
    {"ended at once, used", at_once, true, grace, false, true, false},
};

void check_twice(twice const& c, rotated of) {
  CAPTURE(of.shown);
  auto const all = of.in.size();
  CHECK(of.works_on(of.first) == all);
  auto const shown = of.rotate(c.first);
  auto const between = text_of(shown, "/key");
  if (c.used) CHECK(of.works_on(between) == all);
  auto const again = of.rotate(c.second);
  auto const newest = text_of(again, "/key");
  CHECK(of.works_on(of.first) == (c.old_lives ? all : 0));
  CHECK(of.works_on(between) == (c.between_lives ? all : 0));
  // Rotating again does not extend a grace period in progress.
  if (c.old_lives) CHECK(again.at_pointer("/previous/expiresAt") == shown.at_pointer("/previous/expiresAt"));
  CHECK(of.works_on(newest) == all);
  CHECK(of.works_on(of.first) == (c.old_lives && !c.ends_at_use ? all : 0));
  CHECK(of.works_on(between) == (c.between_lives && !c.ends_at_use ? all : 0));
}

TEST_CASE("rotated twice, used in between or not: no ended secret lives again, the one in use continues") {
  for (auto const& c : cases) {
    CAPTURE(c.name);
    check_twice(c, rotated::cli_token(four_instances()));
    check_twice(c, rotated::trigger_key(four_instances()));
  }
}

TEST_CASE("a rotation requested with the unused secret is its first use: the secret continues") {
  auto of = rotated::cli_token(four_instances());
  auto const between = text_of(of.rotate(first_use), "/key");
  auto by = of.in.client(1, between);
  auto const newest = text_of(of.rotate(grace, &by), "/key");
  CHECK(of.works_on(of.first) == 0);
  CHECK(of.works_on(between) == of.in.size());
  CHECK(of.works_on(newest) == of.in.size());
}

TEST_CASE("any answer to the new secret is its first use, even a 404 for a path") {
  struct {
    char const* name;
    char const* method;
    char const* target;
    char const* body;
    int status;
    bool old_works;
  } const uses[] = {
      {"no such path", "GET", "/api/nothing", "", 404, false},
      {"no such resource", "GET", "/api/jobs/01934f2e-7c1a-7d3e-9b1f-5a2c8e4d6f70", "", 404, false},
      {"no such method", "PUT", "/api/jobs", "", 405, false},
      {"a bad body", "POST", "/api/jobs", "{", 400, false},
      {"a path that ignores tokens", "GET", "/api/health", "", 200, true},
  };
  auto of = rotated::cli_token(four_instances());
  auto old = of.first;
  for (auto const& c : uses) {
    CAPTURE(c.name);
    auto const fresh = text_of(of.rotate(first_use), "/key");
    CHECK(of.in.client(0, fresh).call(c.method, c.target, c.body).status == c.status);
    CHECK(of.works(1, old) == c.old_works);
    old = fresh;
  }
}

TEST_CASE("a rotated trigger key shows its settings; a disabled one cannot be rotated") {
  auto of = rotated::trigger_key(four_instances());
  auto const shown = of.rotate(R"({"endPrevious":"first_use","expiresIn":3600})");
  CHECK(shown.as_object().contains("expiresAt"));
  CHECK(shown.as_object().contains("previous"));
  for (auto const* bad :
       {R"({"graceSeconds":604801})", R"({"graceSeconds":-1})", R"({"expiresIn":59})", R"({"endPrevious":"never"})"})
    CHECK(of.owner.post(of.path + "/rotate", bad).status == 400);
  REQUIRE(of.owner.patch(of.path, R"({"enabled":false})").status == 200);
  auto const inactive = of.owner.post(of.path + "/rotate", "{}");
  CHECK(inactive.status == 409);
  CHECK(code_of(inactive) == "token_not_active");
}

}  // namespace
}  // namespace svc::test
