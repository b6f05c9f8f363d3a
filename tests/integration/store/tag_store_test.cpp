#include "shop.hpp"

#include "svc/store/jobs/tag_store.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/json.hpp>

using namespace svc;
using namespace svc::test;

namespace {

svc::tag make_tag(shop& db, store::tag_store& tags, std::string const& name) {
  auto made = db.wait(tags.create(db.as_ed(), {.name = name}, db.soon()));
  REQUIRE(made.has_value());
  return *made;
}

store::tag_edit to(std::string name) {
  return [name](svc::tag const& now) { return result<tag_settings>(tag_settings{name, now.set.color}); };
}

std::string tag_names(std::string const& tags) {
  std::string out;
  auto const all = boost::json::parse(tags);
  for (auto const& value : all.as_array()) out += std::string(value.at("name").as_string()) + " ";
  return out;
}

task<> try_to_make(shop& db, store::tag_store& tags, std::string name, int& made, int& refused, int& left) {
  auto const done = co_await tags.create(db.as_ed(), {.name = std::move(name)}, db.soon());
  if (done) ++made;
  if (!done && done.error().code == errc::tag_limit_reached) ++refused;
  --left;
}

}  // namespace

TEST_CASE("a tag is created, listed, renamed and deleted, each with its audit row") {
  shop db;
  store::tag_store tags(db.pool);
  auto const smoke = make_tag(db, tags, "smoke");
  auto const slow = make_tag(db, tags, "slow");
  CHECK(failure(db.wait(tags.create(db.as_ed(), {.name = "smoke"}, db.soon()))) == errc::name_taken);
  auto const page = db.wait(tags.list(db.project, {.number = 1, .limit = 1}, db.soon()));
  CHECK(page.total == 2);
  REQUIRE(page.rows.size() == 1);
  CHECK(page.rows[0].id == slow.id);
  CHECK(db.wait(tags.list(db.other_project, {}, db.soon())).total == 0);

  CHECK(failure(db.wait(tags.update(db.as_ed(), slow.id, to("smoke"), db.soon()))) == errc::name_taken);
  CHECK(failure(db.wait(tags.update(db.as_ed({{2}}), slow.id, to("x"), db.soon()))) == errc::precondition_failed);
  CHECK(failure(db.wait(tags.update(db.elsewhere(), slow.id, to("x"), db.soon()))) == errc::not_found);
  auto const renamed = db.wait(tags.update(db.as_ed({{1}}), slow.id, to("Smoke"), db.soon()));
  REQUIRE(renamed.has_value());
  CHECK(renamed->version == 2);
  auto const read = db.wait(tags.get(db.project, slow.id, db.soon()));
  REQUIRE(read.has_value());
  CHECK(read->set.name == "Smoke");
  CHECK(read->version == 2);
  CHECK(failure(db.wait(tags.get(db.other_project, slow.id, db.soon()))) == errc::not_found);
  CHECK(failure(db.wait(tags.remove(db.elsewhere(), smoke.id, db.soon()))) == errc::not_found);
  CHECK(failure(db.wait(tags.remove(db.as_ed({{9}}), smoke.id, db.soon()))) == errc::precondition_failed);
  CHECK_FALSE(failure(db.wait(tags.remove(db.as_ed(), smoke.id, db.soon()))));
  CHECK(failure(db.wait(tags.remove(db.as_ed(), smoke.id, db.soon()))) == errc::not_found);
  CHECK(db.audit_rows("tag.created") == 2);
  CHECK(db.audit_rows("tag.updated") == 1);
  CHECK(db.audit_rows("tag.deleted") == 1);
}

TEST_CASE("a project holds exactly 200 tags, however many arrive at once, and a deleted one makes room") {
  shop db;
  store::tag_store tags(db.pool);
  db.as_owner("INSERT INTO tags (id, project_id, name, color, slot) SELECT gen_random_uuid(), '" +
              db.project.to_string() + "', 'n' || n, '#000000', n FROM generate_series(1, 190) n");
  int made = 0, refused = 0, left = 30;
  for (int i = 0; i < 30; ++i)
    asio::co_spawn(db.io, try_to_make(db, tags, "t" + std::to_string(i), made, refused, left), asio::detached);
  db.io.restart();
  while (left > 0 && db.io.run_one() > 0) {
  }
  CHECK(made == 10);
  CHECK(refused == 20);
  // The database itself refuses, even without the store.
  for (auto const* slot : {"0", "201", "7"}) {
    CAPTURE(slot);
    auto const forced = db.run({{"tag_force_test",
                                 "INSERT INTO tags (id, project_id, name, color, slot)"
                                 " VALUES ($1, $2, 'forced', '#000000', $3::text::smallint)"},
                                postgres::parameters(uuid::generate_v7(), db.project, slot)});
    REQUIRE_FALSE(forced.has_value());
    CHECK(forced.error().constraint == (std::string(slot) == "7" ? "tags_slot_unique" : "tags_slot_range"));
  }
  auto const entry = db.wait(tags.list(db.project, {}, db.soon())).rows.front();
  CHECK_FALSE(failure(db.wait(tags.remove(db.as_ed(), entry.id, db.soon()))));
  make_tag(db, tags, "room");
  CHECK(failure(db.wait(tags.create(db.as_ed(), {.name = "full"}, db.soon()))) == errc::tag_limit_reached);
}

TEST_CASE("a test keeps its tags until they are deleted") {
  shop db;
  store::tag_store tags(db.pool);
  auto const a = make_tag(db, tags, "a"), b = make_tag(db, tags, "b");
  auto const abroad = db.wait(tags.create(db.elsewhere(), {.name = "abroad"}, db.soon()));
  uuid const test = db.make_test("t").id;
  auto const set = [&](std::vector<uuid> ids, std::optional<std::vector<std::int64_t>> expected = {}) {
    return db.wait(db.tests.set_tags(db.as_ed(std::move(expected)), test, std::move(ids), db.soon()));
  };
  auto const worn = set({b.id, a.id});
  REQUIRE(worn.has_value());
  CHECK(worn->version == 2);
  CHECK(tag_names(worn->tags) == "a b ");
  auto const shown = boost::json::parse(worn->tags).at(0);
  CHECK(shown.at("createdAt") == boost::json::value(to_rfc3339(a.created_at)));
  CHECK(shown.at("id") == boost::json::value(a.id.to_string()));
  CHECK(tag_names(db.wait(db.tests.list(db.project, {}, {}, db.soon())).rows.front().tags) == "a b ");

  CHECK(fields(set({a.id, abroad->id, uuid::generate_v7()})) == "/tags/1/id /tags/2/id");
  CHECK(failure(set({}, {{1}})) == errc::precondition_failed);
  CHECK(failure(db.wait(db.tests.set_tags(db.elsewhere(), test, {}, db.soon()))) == errc::not_found);
  CHECK_FALSE(failure(db.wait(tags.remove(db.as_ed(), a.id, db.soon()))));
  CHECK(tag_names(db.wait(db.tests.get(db.project, test, false, db.soon()))->tags) == "b ");
  CHECK(tag_names(set({}, {{2}})->tags).empty());
  CHECK(db.audit_rows("test.tagged") == 2);
  CHECK_FALSE(failure(set({b.id})));
  CHECK_FALSE(failure(db.wait(db.tests.remove(db.as_ed(), test, db.soon()))));
  CHECK(db.number({{"worn_test", "SELECT count(*) FROM test_tags"}}) == 0);
}
