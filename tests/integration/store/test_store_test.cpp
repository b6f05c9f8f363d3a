#include "shop.hpp"

using namespace svc;
using namespace svc::test;

TEST_CASE("a test is created, read, changed and deleted, each with its audit row") {
  shop db;
  test_case const made = db.make_test("smoke");
  CHECK(made.version == 1);
  CHECK(made.set.script == "echo smoke");

  auto const bare = db.wait(db.tests.get(db.project, made.id, false, db.soon()));
  REQUIRE(bare.has_value());
  CHECK(bare->set.script.empty());
  CHECK(bare->set.title == "smoke");

  auto const edit = [](test_case const& now) {
    test_settings set = now.set;
    set.title = "smoke 2";
    return result<test_settings>(set);
  };
  auto const changed = db.wait(db.tests.update(db.as_ed(), made.id, edit, {}, db.soon()));
  REQUIRE(changed.has_value());
  CHECK(changed->set.title == "smoke 2");
  CHECK(changed->set.script == "echo smoke");
  CHECK(changed->version == 2);
  CHECK(changed->updated_at > made.updated_at);

  CHECK_FALSE(failure(db.wait(db.tests.remove(db.as_ed(), made.id, db.soon()))));
  CHECK(failure(db.wait(db.tests.remove(db.as_ed(), made.id, db.soon()))) == errc::not_found);
  for (auto const* action : {"test.created", "test.updated", "test.deleted"}) CHECK(db.audit_rows(action) == 1);
}

TEST_CASE("If-Match decides over changing and deleting a test; a refused edit changes nothing") {
  shop db;
  uuid const id = db.make_test("smoke").id;
  auto const keep = [](test_case const& now) { return result<test_settings>(now.set); };
  auto const refuse = [](test_case const&) { return result<test_settings>(errc::validation_failed); };
  CHECK(failure(db.wait(db.tests.update(db.as_ed({{2, 3}}), id, keep, {}, db.soon()))) == errc::precondition_failed);
  CHECK(failure(db.wait(db.tests.remove(db.as_ed({{2}}), id, db.soon()))) == errc::precondition_failed);
  CHECK(failure(db.wait(db.tests.update(db.as_ed(), id, refuse, {}, db.soon()))) == errc::validation_failed);
  CHECK_FALSE(failure(db.wait(db.tests.update(db.as_ed({{3, 1}}), id, keep, {}, db.soon()))));
  CHECK_FALSE(failure(db.wait(db.tests.remove(db.as_ed({{2}}), id, db.soon()))));
}

TEST_CASE("a test of another project is not found") {
  shop db;
  uuid const id = db.make_test("smoke").id;
  auto const keep = [](test_case const& now) { return result<test_settings>(now.set); };
  CHECK(failure(db.wait(db.tests.get(db.other_project, id, true, db.soon()))) == errc::not_found);
  CHECK(failure(db.wait(db.tests.update(db.elsewhere(), id, keep, {}, db.soon()))) == errc::not_found);
  CHECK(failure(db.wait(db.tests.remove(db.elsewhere(), id, db.soon()))) == errc::not_found);
  CHECK(db.wait(db.tests.list(db.other_project, {}, {}, db.soon())).total == 0);
}

TEST_CASE("a test that a job uses cannot be deleted, and keeps a type that fits; a deleted job holds no test") {
  shop db;
  uuid const id = db.make_test("smoke").id;
  job const user = db.make_job("nightly", {id});
  auto const removed = db.wait(db.tests.remove(db.as_ed(), id, db.soon()));
  CHECK(failure(removed) == errc::test_in_use);
  CHECK(fields(removed) == "/jobs/" + user.id.to_string());
  REQUIRE(removed.error().details.size() == 1);
  CHECK(removed.error().details[0].message == "nightly");

  auto const retype = [](test_case const& now) {
    test_settings set = now.set;
    set.type = "browser";
    return result<test_settings>(set);
  };
  CHECK(failure(db.wait(db.tests.update(db.as_ed(), id, retype, {}, db.soon()))) == errc::test_in_use);
  CHECK(db.wait(db.jobs.remove(db.as_ed(), user.id, db.soon())).outcome.has_value());
  CHECK_FALSE(failure(db.wait(db.tests.update(db.as_ed(), id, retype, {}, db.soon()))));
  CHECK_FALSE(failure(db.wait(db.tests.remove(db.as_ed(), id, db.soon()))));
}

TEST_CASE("tests are listed newest first, searched literally, and counted exactly past the end") {
  shop db;
  for (auto const* title : {"100% sure", "100 percent", "under_score", "underXscore", "Back\\slash"})
    db.make_test(title);
  struct {
    std::optional<std::string> search;
    std::vector<std::string> found;
  } const cases[] = {
      {std::nullopt, {"Back\\slash", "underXscore", "under_score", "100 percent", "100% sure"}},
      {"%", {"100% sure"}},
      {"_", {"under_score"}},
      {"\\", {"Back\\slash"}},
      {"UNDER", {"underXscore", "under_score"}},
      {"'", {}},
  };
  for (auto const& c : cases) {
    CAPTURE(c.search.value_or("(all)"));
    auto const page = db.wait(db.tests.list(db.project, {.search = c.search}, {}, db.soon()));
    std::vector<std::string> titles;
    for (auto const& test : page.rows) titles.push_back(test.set.title);
    CHECK(titles == c.found);
    CHECK(page.total == static_cast<std::int64_t>(c.found.size()));
  }
  auto const second = db.wait(db.tests.list(db.project, {}, {.number = 2, .limit = 2}, db.soon()));
  REQUIRE(second.rows.size() == 2);
  CHECK(second.rows[0].set.title == "under_score");
  auto const past = db.wait(db.tests.list(db.project, {}, {.number = 4, .limit = 2}, db.soon()));
  CHECK(past.rows.empty());
  CHECK(past.total == 5);
}

TEST_CASE("tests are listed by type, by tag and by words together") {
  shop db;
  auto const tag = [&](std::string const& name, std::vector<uuid> const& owners) {
    auto const id = uuid::generate_v7();
    db.as_owner("INSERT INTO tags (id, project_id, name, color, slot) SELECT '" + id.to_string() + "', '" +
                db.project.to_string() + "', '" + name + "', '#000000', 1 + count(*) FROM tags");
    for (auto const& test : owners)
      db.as_owner("INSERT INTO test_tags (project_id, test_id, tag_id) VALUES ('" + db.project.to_string() + "', '" +
                  test.to_string() + "', '" + id.to_string() + "')");
    return id;
  };
  auto const a = db.make_test("pay by card").id, b = db.make_test("pay by bill", "api").id,
             c = db.make_test("search", "api").id;
  auto const smoke = tag("smoke", {a, b}), nightly = tag("nightly", {c});
  struct {
    store::test_filter filter;
    std::vector<std::string> titles;
  } const cases[] = {
      {{}, {"search", "pay by bill", "pay by card"}},
      {{.type = "api"}, {"search", "pay by bill"}},
      {{.type = "browser"}, {}},
      {{.tag = smoke}, {"pay by bill", "pay by card"}},
      {{.tag = nightly}, {"search"}},
      {{.tag = uuid::generate_v7()}, {}},
      {{.type = "api", .tag = smoke}, {"pay by bill"}},
      {{.search = "card", .type = "command", .tag = smoke}, {"pay by card"}},
      {{.search = "card", .type = "api", .tag = smoke}, {}},
  };
  for (auto const& each : cases) {
    auto const page = db.wait(db.tests.list(db.project, each.filter, {}, db.soon()));
    std::vector<std::string> titles;
    for (auto const& test : page.rows) titles.push_back(test.set.title);
    CHECK(titles == each.titles);
    CHECK(page.total == static_cast<std::int64_t>(each.titles.size()));
  }
  // A tag of another project selects nothing there.
  CHECK(db.wait(db.tests.list(db.other_project, {.tag = smoke}, {}, db.soon())).total == 0);
}

TEST_CASE("nothing is created in an archived project") {
  shop db;
  db.as_owner("UPDATE projects SET archived_at = now() WHERE id = '" + db.project.to_string() + "'");
  CHECK(failure(db.wait(db.tests.create(db.as_ed(), {.title = "t"}, db.soon()))) == errc::project_archived);
  CHECK(failure(db.wait(db.jobs.create(db.as_ed(), db.ed, {.name = "j"}, db.soon()))) == errc::project_archived);
  CHECK(failure(db.wait(db.providers.create(db.as_ed(), {"n", "email", true, R"({"to":["a@b"]})"}, db.soon()))) ==
        errc::project_archived);
}

TEST_CASE("a script is read whole, in pieces or if it is small, whatever its size and characters") {
  shop db;
  for (std::size_t const size : {0UL, 1UL, 262'143UL, 262'144UL, 262'145UL, 1'048'576UL, 5'242'878UL}) {
    CAPTURE(size);
    std::string script;
    // Characters of three bytes, which pieces divide.
    while (script.size() + 3 <= size) script += "\xe2\x82\xac";
    script.resize(size, 'x');
    auto const made = db.wait(db.tests.create(db.as_ed(), {.title = "t", .script = script}, db.soon()));
    REQUIRE(made.has_value());
    auto const whole = db.wait(db.tests.get(db.project, made->id, true, db.soon()));
    REQUIRE(whole.has_value());
    CHECK((whole->set.script == script));
    CHECK(whole->version == 1);
    CHECK(whole->tags == "[]");
    CHECK(whole->script_size == static_cast<std::int64_t>(size));
    auto const pieces = db.wait(db.tests.get_in_pieces(db.project, made->id, db.soon()));
    REQUIRE(pieces.has_value());
    std::string joined;
    for (auto const& piece : pieces->script) {
      CHECK(piece.size() <= 262'144 + 3);
      CHECK((piece.empty() || (static_cast<unsigned char>(piece.front()) & 0xC0U) != 0x80U));
      joined += piece;
    }
    CHECK((joined == script));
    for (std::int64_t const most : {0, 262'144, 6'000'000}) {
      auto const small = db.wait(db.tests.get_small(db.project, made->id, most, db.soon()));
      REQUIRE(small.has_value());
      CHECK(small->script_size == static_cast<std::int64_t>(size));
      CHECK((small->set.script == (small->script_size <= most ? script : "")));
    }
  }
}
