// Incidents of status pages with their posts.
#include "page_fixture.hpp"

using namespace svc;
using namespace svc::test;
using pages::post_status;

namespace {

result<pages::incident> change_incident(paged_shop& db, uuid page, uuid id,
                                        std::function<void(pages::incident_settings&)> const& agent) {
  auto const edit = [&](pages::incident const& current) {
    auto out = current.set;
    agent(out);
    return result<pages::incident_settings>(std::move(out));
  };
  return db.wait(db.incidents.update(db.as_ed(), page, id, edit, db.soon()));
}

/// Adds incidents of the page. `columns` are `slot, status, resolved_at` as SQL expressions of the number `n`.
void fill_incidents(paged_shop& db, uuid page, int count, std::string const& columns) {
  db.as_owner(
      "INSERT INTO incidents (id, project_id, page_id, name, impact, started_at, created_by, slot, status,"
      " resolved_at) SELECT gen_random_uuid(), '" +
      db.project.to_string() + "', '" + page.to_string() + "', 'n' || n, 'none', now() - interval '1 hour', '" +
      db.ed.to_string() + "', " + columns + " FROM generate_series(1, " + std::to_string(count) + ") n");
}

std::int64_t jobs(paged_shop& db) {
  return db.rows("page_mail_jobs");
}

}  // namespace

TEST_CASE("an incident goes from its first post to its post-mortem, and another post reopens it") {
  paged_shop db;
  auto const page = db.make_page();
  auto const web = db.make_component(page.id);
  auto wanted = db.incident_named("Checkout fails", true);
  wanted.components = {{web.id, pages::component_status::major_outage}};
  auto const version = db.shown_version(page.id);
  auto const made = db.create_incident(page.id, wanted);
  REQUIRE(made.has_value());
  CHECK(db.shown_version(page.id) > version);
  CHECK(made->status == post_status::investigating);
  CHECK(made->set.components.size() == 1);
  CHECK_FALSE(made->automatic);
  REQUIRE(made->posts.size() == 1);
  CHECK(made->posts[0].body == "We look.");
  CHECK(made->set.started_at == made->posts[0].display_at);
  CHECK(jobs(db) == 1);
  auto const id = made->id;
  CHECK(fields(db.post(page.id, id, post_status::postmortem)) == "/status");
  REQUIRE(db.post(page.id, id, post_status::identified).has_value());
  CHECK(db.read_incident(page.id, id).status == post_status::identified);
  REQUIRE(db.post(page.id, id, post_status::resolved, true).has_value());
  CHECK(jobs(db) == 2);
  auto found = db.read_incident(page.id, id);
  REQUIRE(found.resolved_at);
  auto const resolved_at = *found.resolved_at;
  REQUIRE(db.post(page.id, id, post_status::postmortem).has_value());
  found = db.read_incident(page.id, id);
  CHECK(found.status == post_status::resolved);
  CHECK(found.resolved_at == resolved_at);
  CHECK(found.posts.size() == 4);
  CHECK(found.posts[0].status == post_status::postmortem);
  REQUIRE(db.post(page.id, id, post_status::monitoring).has_value());
  found = db.read_incident(page.id, id);
  CHECK_FALSE(found.resolved_at);
  CHECK(found.status == post_status::monitoring);
  CHECK(found.version == 5);
  CHECK(db.audit_rows("incident.created") == 1);
  CHECK(db.audit_rows("post.created") == 4);
}

TEST_CASE("incidents are listed by start and state, changed and deleted with their posts") {
  paged_shop db;
  auto const page = db.make_page();
  auto const first = db.make_incident(page.id, "first"), second = db.make_incident(page.id, "second");
  REQUIRE(db.post(page.id, first.id, post_status::resolved).has_value());
  auto const list = [&](store::incident_filter filter) {
    return db.wait(db.incidents.list(db.project, page.id, filter, {}, db.soon()));
  };
  auto const all = list({});
  REQUIRE(all.has_value());
  CHECK(all->total == 2);
  CHECK(all->rows.at(0).id == second.id);
  // A list has the newest post of each.
  REQUIRE(all->rows.at(1).posts.size() == 1);
  CHECK(all->rows.at(1).posts[0].status == post_status::resolved);
  CHECK(list({.status = post_status::resolved})->rows.at(0).id == first.id);
  CHECK(list({.open = true})->total == 1);
  CHECK(list({.status = post_status::identified})->total == 0);
  CHECK(failure(db.wait(db.incidents.list(db.other_project, page.id, {}, {}, db.soon()))) == errc::not_found);

  auto const changed = change_incident(db, page.id, second.id, [](auto& set) {
    set.name = "renamed";
    set.effect = pages::impact::critical;
    set.started_at = set.started_at + std::chrono::hours(-48);
  });
  REQUIRE(changed.has_value());
  CHECK(changed->set.effect == pages::impact::critical);
  CHECK(list({})->rows.at(0).id == first.id);
  auto const other = db.make_page("other");
  auto const foreign = db.make_component(other.id);
  auto const fault = change_incident(db, page.id, second.id, [&](auto& set) {
    set.components = {{foreign.id, pages::component_status::major_outage}};
    set.started_at = set.started_at + std::chrono::hours(-24 * 91);
  });
  CHECK(fields(fault) == "/components/0/id /startedAt");
  CHECK(failure(db.wait(db.incidents.get(db.project, other.id, second.id, db.soon()))) == errc::not_found);
  CHECK(failure(db.wait(db.incidents.remove(db.as_ed({{1}}), page.id, second.id, db.soon()))) ==
        errc::precondition_failed);
  CHECK_FALSE(failure(db.wait(db.incidents.remove(db.as_ed(), page.id, second.id, db.soon()))));
  CHECK(db.rows("page_posts") == 2);
  CHECK(db.audit_rows("incident.deleted") == 1);
}

TEST_CASE("a correction keeps the id and notifies nobody") {
  paged_shop db;
  auto const page = db.make_page();
  auto const made = db.make_incident(page.id);
  auto const post = made.posts.at(0);
  auto const earlier = post.display_at + std::chrono::hours(-1);
  auto const correct = [&](uuid incident, pages::post_correction wanted) {
    return db.wait(db.incidents.correct_post(db.as_ed(), page.id, incident, post.id, std::move(wanted), db.soon()));
  };
  auto const done = correct(made.id, {.body = "We looked.", .display_at = earlier});
  REQUIRE(done.has_value());
  CHECK(done->id == post.id);
  CHECK(done->body == "We looked.");
  CHECK(done->display_at == earlier);
  CHECK(done->edited_at);
  CHECK(jobs(db) == 0);
  CHECK(correct(made.id, {.body = "Again."})->display_at == earlier);
  CHECK(fields(correct(made.id, {.display_at = db.now() + std::chrono::hours(1)})) == "/displayAt");
  CHECK(failure(correct(uuid::generate_v7(), {.body = "x"})) == errc::not_found);
  CHECK(db.audit_rows("post.updated") == 2);
}

TEST_CASE("a page has exactly 50 open incidents, and a resolved one makes room") {
  paged_shop db;
  auto const page = db.make_page();
  fill_incidents(db, page.id, 49, "n + 1, 'identified', NULL");
  auto const last = db.make_incident(page.id);
  CHECK(failure(db.create_incident(page.id, db.incident_named("one more"))) == errc::incident_limit_reached);
  REQUIRE(db.post(page.id, last.id, post_status::resolved).has_value());
  CHECK(db.create_incident(page.id, db.incident_named("one more")).has_value());
  CHECK(failure(db.post(page.id, last.id, post_status::monitoring)) == errc::incident_limit_reached);
  CHECK(db.read_incident(page.id, last.id).status == post_status::resolved);
  auto ended = db.incident_named("over");
  ended.first.status = post_status::resolved;
  CHECK(db.create_incident(page.id, ended).has_value());
}

TEST_CASE("a page keeps 1 000 incidents and deletes the oldest resolved ones") {
  paged_shop db;
  auto const page = db.make_page();
  fill_incidents(db, page.id, 1000, "NULL, 'resolved', now() - n * interval '1 min'");
  auto const made = db.make_incident(page.id);
  CHECK(db.rows("incidents") == 1000);
  CHECK(db.rows("incidents WHERE name = 'n1000'") == 0);
  CHECK(db.rows("incidents WHERE name = 'n999'") == 1);
  CHECK(db.rows("incidents WHERE id = '" + made.id.to_string() + "'") == 1);
}

TEST_CASE("an incident has exactly 100 posts") {
  paged_shop db;
  auto const page = db.make_page();
  auto const made = db.make_incident(page.id);
  db.as_owner(
      "INSERT INTO page_posts (id, project_id, parent_id, page_id, slot, status, body, display_at, notify)"
      " SELECT gen_random_uuid(), project_id, parent_id, page_id, n, 'identified', 'x', now(), false"
      " FROM page_posts CROSS JOIN generate_series(2, 99) n");
  CHECK(db.post(page.id, made.id, post_status::monitoring).has_value());
  CHECK(failure(db.post(page.id, made.id, post_status::identified)) == errc::post_limit_reached);
  CHECK(db.read_incident(page.id, made.id).status == post_status::monitoring);
  CHECK(db.read_incident(page.id, made.id).posts.size() == 100);
}

TEST_CASE("the posts of a project's pages have together at most the bytes of its quota") {
  paged_shop db;
  auto const page = db.make_page();
  quota_table small;
  small.page_bytes = 20;
  store::incident_store bounded{db.pool, small};
  auto const create = [&](std::string body) {
    auto wanted = db.incident_named("x");
    wanted.first.body = std::move(body);
    return db.wait(bounded.create(db.as_ed(), db.ed, page.id, std::move(wanted), db.soon()));
  };
  auto const made = create(std::string(15, 'a'));
  REQUIRE(made.has_value());
  CHECK(failure(create(std::string(6, 'b'))) == errc::page_bytes_exceeded);
  CHECK(db.rows("incidents") == 1);
  auto const correct = [&](std::size_t bytes) {
    return db.wait(bounded.correct_post(db.as_ed(), page.id, made->id, made->posts.at(0).id,
                                        {.body = std::string(bytes, 'c')}, db.soon()));
  };
  CHECK(failure(correct(21)) == errc::page_bytes_exceeded);
  CHECK(correct(20).has_value());
  CHECK(correct(10).has_value());
  CHECK(create(std::string(10, 'b')).has_value());
  CHECK(db.number({{"used_test", "SELECT bytes FROM project_usage WHERE kind = 'page_posts'"}}) == 20);
  CHECK_FALSE(failure(db.wait(db.incidents.remove(db.as_ed(), page.id, made->id, db.soon()))));
  CHECK(db.number({{"used_test", "SELECT bytes FROM project_usage WHERE kind = 'page_posts'"}}) == 10);
}

TEST_CASE("twenty posts of a page notify within an hour and 100 within a day, and a draft notifies nobody") {
  paged_shop db;
  auto const page = db.make_page();
  auto const made = db.make_incident(page.id);
  for (int i = 0; i < 20; ++i) REQUIRE(db.post(page.id, made.id, post_status::identified, true).has_value());
  CHECK(failure(db.post(page.id, made.id, post_status::monitoring, true)) == errc::post_limit_reached);
  CHECK(db.read_incident(page.id, made.id).posts.size() == 21);
  CHECK(db.post(page.id, made.id, post_status::monitoring).has_value());
  db.as_owner("UPDATE page_mail_jobs SET created_at = now() - interval '61 min'");
  CHECK(db.post(page.id, made.id, post_status::monitoring, true).has_value());
  db.as_owner(
      "INSERT INTO page_mail_jobs (id, project_id, page_id, post_id, created_at) SELECT gen_random_uuid(),"
      " project_id, page_id, gen_random_uuid(), now() - interval '2 hours' FROM page_mail_jobs"
      " CROSS JOIN generate_series(1, 79) LIMIT 79");
  CHECK(jobs(db) == 100);
  CHECK(failure(db.post(page.id, made.id, post_status::monitoring, true)) == errc::post_limit_reached);
  auto draft = db.page_named("draft");
  draft.status = pages::page_status::draft;
  auto const hidden = db.create_page(draft);
  REQUIRE(hidden.has_value());
  CHECK(db.create_incident(hidden->id, db.incident_named("x", true)).has_value());
  CHECK(jobs(db) == 100);
}

TEST_CASE("subscribers are listed and removed, and the audit log has no address") {
  paged_shop db;
  auto const page = db.make_page();
  db.as_owner(
      "INSERT INTO page_subscribers (id, project_id, page_id, email, digest, state, confirmed_at) SELECT"
      " gen_random_uuid(), '" +
      db.project.to_string() + "', '" + page.id.to_string() +
      "', n || '@example.test', sha256(n::text::bytea), s, CASE s WHEN 'active' THEN now() END"
      " FROM (VALUES (1, 'active'), (2, 'pending')) v (n, s)");
  auto const all = db.wait(db.subscribers.list(db.project, page.id, {}, db.soon()));
  REQUIRE(all.has_value());
  CHECK(all->total == 2);
  CHECK(db.words("SELECT active || '/' || pending FROM page_audiences") == "1/1");
  auto const gone = all->rows.at(0).id;
  CHECK(failure(db.wait(db.subscribers.remove(db.elsewhere(), page.id, gone, db.soon()))) == errc::not_found);
  CHECK_FALSE(failure(db.wait(db.subscribers.remove(db.as_ed(), page.id, gone, db.soon()))));
  CHECK(failure(db.wait(db.subscribers.remove(db.as_ed(), page.id, gone, db.soon()))) == errc::not_found);
  CHECK(db.rows("page_subscribers") == 1);
  CHECK(db.audit_rows("subscriber.removed") == 1);
  CHECK(db.rows("audit_log WHERE details::text LIKE '%example.test%'") == 0);
}
