#include "rotated.hpp"

namespace svc::test {
namespace {

/// The surviving secrets after two rotations of a token: the first secret, the one between, the newest.
struct twice {
  char const* name;
  char const* first;   ///< the mode of the first rotation
  bool used;           ///< the secret between was used before the second rotation
  char const* second;  ///< the mode of the second rotation
  bool old_lives, between_lives;
  bool ends_at_use;  ///< the first use of the newest secret ends the one that was in use
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

void check_twice(twice const& c, rotated token) {
  CAPTURE(token.shown);
  auto const all = token.input.size();
  CHECK(token.works_on(token.first) == all);
  auto const shown = token.rotate(c.first);
  auto const between = text_of(shown, "/key");
  if (c.used) CHECK(token.works_on(between) == all);
  auto const again = token.rotate(c.second);
  auto const newest = text_of(again, "/key");
  CHECK(token.works_on(token.first) == (c.old_lives ? all : 0));
  CHECK(token.works_on(between) == (c.between_lives ? all : 0));
  // Rotating again does not extend a grace period in progress.
  if (c.old_lives) CHECK(again.at_pointer("/previous/expiresAt") == shown.at_pointer("/previous/expiresAt"));
  CHECK(token.works_on(newest) == all);
  CHECK(token.works_on(token.first) == (c.old_lives && !c.ends_at_use ? all : 0));
  CHECK(token.works_on(between) == (c.between_lives && !c.ends_at_use ? all : 0));
}

TEST_CASE("rotated twice, used in between or not: no ended secret lives again, the one in use continues") {
  for (auto const& c : cases) {
    CAPTURE(c.name);
    check_twice(c, rotated::cli_token(four_instances()));
    check_twice(c, rotated::trigger_key(four_instances()));
  }
}

TEST_CASE("a rotation requested with the unused secret is its first use: the secret continues") {
  auto token = rotated::cli_token(four_instances());
  auto const between = text_of(token.rotate(first_use), "/key");
  auto client = token.input.client(1, between);
  auto const newest = text_of(token.rotate(grace, &client), "/key");
  CHECK(token.works_on(token.first) == 0);
  CHECK(token.works_on(between) == token.input.size());
  CHECK(token.works_on(newest) == token.input.size());
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
  auto token = rotated::cli_token(four_instances());
  auto old = token.first;
  for (auto const& c : uses) {
    CAPTURE(c.name);
    auto const fresh = text_of(token.rotate(first_use), "/key");
    CHECK(token.input.client(0, fresh).call(c.method, c.target, c.body).status == c.status);
    CHECK(token.works(1, old) == c.old_works);
    old = fresh;
  }
}

TEST_CASE("a rotated trigger key shows its settings; a disabled one cannot be rotated") {
  auto token = rotated::trigger_key(four_instances());
  auto const shown = token.rotate(R"({"endPrevious":"first_use","expiresIn":3600})");
  CHECK(shown.as_object().contains("expiresAt"));
  CHECK(shown.as_object().contains("previous"));
  for (auto const* bad :
       {R"({"graceSeconds":604801})", R"({"graceSeconds":-1})", R"({"expiresIn":59})", R"({"endPrevious":"never"})"})
    CHECK(token.owner.post(token.path + "/rotate", bad).status == 400);
  REQUIRE(token.owner.patch(token.path, R"({"enabled":false})").status == 200);
  auto const inactive = token.owner.post(token.path + "/rotate", "{}");
  CHECK(inactive.status == 409);
  CHECK(code_of(inactive) == "token_not_active");
}

}  // namespace
}  // namespace svc::test
