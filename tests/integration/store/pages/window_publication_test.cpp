// Maintenance windows on status pages: announcements, updates, cancellations and early ends.
#include "page_fixture.hpp"

using namespace svc;
using namespace svc::test;
using namespace std::chrono_literals;
using pages::post_status;

namespace {

std::vector<pages::page_maintenance> shown(paged_shop& db, uuid page) {
  return db.serve(page).snapshot.maintenance;
}

/// Returns the statuses of the posts of an occurrence, the newest first.
std::string words_of(pages::page_maintenance const& maintenance) {
  std::string out;
  for (auto const& post : maintenance.posts) out += (out.empty() ? "" : " ") + std::string(to_text(post.status));
  return out;
}

std::int64_t queued_jobs(paged_shop& db) {
  return db.rows("page_mail_jobs");
}

result<pages::stored_post> say(paged_shop& db, uuid window, std::string body, bool notify = true) {
  pages::new_post wanted{.body = std::move(body), .notify = notify};
  return db.wait(db.window_posts.add(db.as_ed(), db.ed, window, std::move(wanted), db.soon()));
}

/// Adds announced occurrences of a minute each, whose windows are gone: n1, n2 and so on start one step after
/// another.
void fill_occurrences(paged_shop& db, uuid page, int count, std::string const& step) {
  db.as_owner(
      "INSERT INTO page_occurrences (page_id, occurrence_id, window_id, project_id, name, body, components,"
      " notify, starts_at, ends_at, announced_at, changed_at) SELECT '" +
      page.to_string() + "', gen_random_uuid(), gen_random_uuid(), '" + db.project.to_string() +
      "', 'n' || n, '', '{}', false, t, t + interval '1 min', t, t FROM generate_series(1, " + std::to_string(count) +
      ") n CROSS JOIN LATERAL (SELECT now() + n * interval '" + step + "' AS t) t");
}

}  // namespace

TEST_CASE("a window is announced on its pages with its text and components, once and with one mail each") {
  paged_shop db;
  auto const page = db.make_page(), other = db.make_page("other");
  auto const web = db.make_component(page.id);
  auto const version = db.shown_version(page.id);
  auto set = db.shown_window(page.id, {web.id});
  set.shown.status_pages.push_back(other.id);
  auto const window = db.make(set);
  CHECK(window.set.shown == set.shown);
  CHECK(db.shown_version(page.id) > version);
  auto const found = shown(db, page.id);
  REQUIRE(found.size() == 1);
  CHECK(found[0].id == window.next->id);
  CHECK(found[0].name == "Upgrade");
  CHECK(found[0].starts_at == window.next->starts_at);
  CHECK(found[0].components == std::vector{web.id});
  REQUIRE(found[0].posts.size() == 1);
  CHECK(found[0].posts[0].id == window.next->id);
  CHECK(found[0].posts[0].status == post_status::scheduled);
  CHECK(found[0].posts[0].body == "We upgrade.");
  CHECK(shown(db, other.id).size() == 1);
  CHECK(queued_jobs(db) == 2);
  CHECK(db.wait(db.upkeep.announcing_projects(db.soon())).empty());
  // A window without an announcement shows its name, and a quiet one queues no mail.
  auto quiet = db.shown_window(page.id);
  quiet.shown.announcement.reset();
  quiet.shown.notify = false;
  db.make(quiet);
  CHECK(shown(db, page.id).at(1).name == "upgrade");
  CHECK(queued_jobs(db) == 2);
}

TEST_CASE("pages and components of a window must be of its project and of its pages") {
  paged_shop db;
  auto const page = db.make_page(), other = db.make_page("other");
  auto const foreign = db.make_component(other.id);
  auto set = db.shown_window(page.id, {foreign.id});
  CHECK(fields(db.create(set)) == "/componentIds/0");
  set.shown.status_pages.push_back(uuid::generate_v7());
  CHECK(fields(db.create(set)) == "/statusPageIds/1 /componentIds/0");
  CHECK_FALSE(failure(db.wait(db.status_pages.remove(db.as_ed(), page.id, db.soon()))));
  CHECK(fields(db.create(db.shown_window(page.id))) == "/statusPageIds/0");
  CHECK(db.rows("maintenance_windows") == 0);
}

TEST_CASE("a deleted page leaves its windows, which can be changed as before") {
  paged_shop db;
  auto const page = db.make_page(), other = db.make_page("other");
  auto const web = db.make_component(page.id), shop = db.make_component(other.id);
  auto set = db.shown_window(page.id, {web.id, shop.id});
  set.shown.status_pages.push_back(other.id);
  auto const window = db.make(set);
  CHECK_FALSE(failure(db.wait(db.status_pages.remove(db.as_ed(), page.id, db.soon()))));
  auto const changed = db.change(window.id, [](auto& next) { next.name = "renamed"; });
  REQUIRE(changed.has_value());
  CHECK(changed->set.shown.status_pages == std::vector{other.id});
  CHECK(changed->set.shown.components == std::vector{shop.id});
}

TEST_CASE("an occurrence is announced when its time has come, and an edit corrects it without another entry") {
  paged_shop db;
  auto const page = db.make_page();
  auto set = db.shown_window(page.id);
  set.once->starts_at = db.now() + 100h;
  set.once->ends_at = set.once->starts_at + 1h;
  auto const window = db.make(set);
  CHECK(shown(db, page.id).empty());
  CHECK(db.wait(db.upkeep.announcing_projects(db.soon())).empty());
  db.as_owner("UPDATE maintenance_windows SET announce_at = now() - interval '1 s', announce_hours = 101");
  CHECK(db.wait(db.upkeep.announcing_projects(db.soon())) == std::vector{db.project});
  db.wait(db.upkeep.announce(db.project, db.soon()));
  CHECK(db.wait(db.upkeep.announcing_projects(db.soon())).empty());
  REQUIRE(shown(db, page.id).size() == 1);
  CHECK(queued_jobs(db) == 1);
  auto const published_at = shown(db, page.id)[0].posts.at(0).published_at;
  auto const start = set.once->starts_at + 30min;
  REQUIRE(db.change(window.id, [&](auto& next) {
              next.once->starts_at = start;
              next.shown.announcement->body = "We upgrade more.";
            }).has_value());
  auto const found = shown(db, page.id).at(0);
  CHECK(found.id == window.next->id);
  CHECK(found.starts_at == start);
  CHECK(found.sequence == 2);
  CHECK(found.posts.size() == 1);
  CHECK(found.posts[0].body == "We upgrade more.");
  CHECK(found.posts[0].published_at == published_at);
  CHECK(found.posts[0].edited_at);
  CHECK(queued_jobs(db) == 1);
  // A page that the window is not on any more loses it.
  REQUIRE(db.change(window.id, [](auto& next) { next.shown.status_pages.clear(); }).has_value());
  CHECK(shown(db, page.id).empty());
}

TEST_CASE("a deleted window is cancelled on its pages, and one that ends early says so") {
  paged_shop db;
  auto const page = db.make_page();
  auto const cancelled = db.make(db.shown_window(page.id)), ended = db.make(db.shown_window(page.id));
  CHECK(queued_jobs(db) == 2);
  CHECK_FALSE(failure(db.wait(db.planned.remove(db.as_ed(), cancelled.id, db.soon()))));
  CHECK(queued_jobs(db) == 3);
  db.activate(ended.id);
  REQUIRE(db.wait(db.planned.end(db.as_ed(), ended.id, db.soon())).has_value());
  CHECK(queued_jobs(db) == 4);
  auto const found = shown(db, page.id);
  REQUIRE(found.size() == 2);
  CHECK(words_of(found[0]) == "ended_early scheduled");
  CHECK_FALSE(found[0].cancelled);
  CHECK(found[0].ends_at <= db.now());
  CHECK(words_of(found[1]) == "cancelled scheduled");
  CHECK(found[1].cancelled);
  CHECK(found[1].posts[0].body == pages::automatic_text(pages::page_language::en, post_status::cancelled));
  // Nothing more is said about what is over.
  CHECK_FALSE(failure(db.wait(db.planned.remove(db.as_ed(), ended.id, db.soon()))));
  CHECK(words_of(shown(db, page.id).at(0)) == "ended_early scheduled");
  db.as_owner("UPDATE page_occurrences SET cancelled_at = now() - interval '31 days' WHERE cancelled_at IS NOT NULL");
  CHECK(shown(db, page.id).size() == 1);
  // Posts end with the last announcement.
  CHECK(db.rows("page_posts") == 2);
  db.as_owner("DELETE FROM page_occurrences");
  CHECK(db.rows("page_posts") == 0);
}

TEST_CASE("updates of a window go to its occurrence on all pages, and announce it if nobody did") {
  paged_shop db;
  auto const page = db.make_page(), other = db.make_page("other");
  auto set = db.shown_window(page.id);
  set.shown.status_pages.push_back(other.id);
  set.shown.announced_before = 0h;
  auto const window = db.make(set);
  CHECK(shown(db, page.id).empty());
  auto const post = say(db, window.id, "We start soon.");
  REQUIRE(post.has_value());
  CHECK(post->status == post_status::note);
  CHECK(post->occurrence == window.next->id);
  CHECK(queued_jobs(db) == 2);
  for (auto const id : {page.id, other.id}) CHECK(words_of(shown(db, id).at(0)) == "note scheduled");
  REQUIRE(say(db, window.id, "Half done.", false).has_value());
  CHECK(queued_jobs(db) == 2);
  auto const all = db.wait(db.window_posts.list(db.project, window.id, {}, db.soon()));
  REQUIRE(all.has_value());
  CHECK(all->total == 2);
  CHECK(all->rows.at(0).body == "Half done.");
  auto const corrected =
      db.wait(db.window_posts.correct(db.as_ed(), window.id, post->id, {.body = "We start now."}, db.soon()));
  REQUIRE(corrected.has_value());
  CHECK(corrected->id == post->id);
  CHECK(corrected->edited_at);
  CHECK(failure(say(db, uuid::generate_v7(), "x")) == errc::not_found);
  CHECK(failure(db.wait(db.window_posts.list(db.other_project, window.id, {}, db.soon()))) == errc::not_found);
  CHECK(failure(db.wait(db.window_posts.correct(db.as_ed(), window.id, uuid::generate_v7(), {.body = "x"},
                                                db.soon()))) == errc::not_found);
}

TEST_CASE("an occurrence has exactly 100 updates, and a page shows 400 occurrences") {
  paged_shop db;
  auto const page = db.make_page();
  auto const window = db.make(db.shown_window(page.id));
  REQUIRE(say(db, window.id, "first", false).has_value());
  db.as_owner(
      "INSERT INTO page_posts (id, project_id, parent_id, window_id, slot, status, body, display_at, notify)"
      " SELECT gen_random_uuid(), project_id, parent_id, window_id, n, 'note', 'x', now(), false"
      " FROM page_posts CROSS JOIN generate_series(2, 99) n");
  CHECK(say(db, window.id, "last", false).has_value());
  CHECK(failure(say(db, window.id, "one more", false)) == errc::post_limit_reached);
  fill_occurrences(db, page.id, 450, "-1 hour");
  db.make(db.shown_window(page.id));
  CHECK(db.rows("page_occurrences") == 400);
  CHECK(db.rows("page_occurrences WHERE name = 'n450'") == 0);
  CHECK(shown(db, page.id).size() == 400);
}

TEST_CASE("a longer duration of a recurring window cancels no announced occurrence") {
  paged_shop db;
  auto const page = db.make_page();
  auto set = db.nightly();
  set.shown = {.status_pages = {page.id}};
  auto const window = db.make(set);
  auto const announced = shown(db, page.id);
  REQUIRE(announced.size() >= 2);
  auto const jobs = queued_jobs(db);
  REQUIRE(db.change(window.id, [](auto& next) { next.recurring->duration += 15min; }).has_value());
  auto const longer = shown(db, page.id);
  REQUIRE(longer.size() == announced.size());
  for (std::size_t i = 0; i < longer.size(); ++i) {
    CHECK(longer[i].id == announced[i].id);
    CHECK(longer[i].ends_at == announced[i].ends_at + 15min);
    CHECK(longer[i].sequence == announced[i].sequence + 1);
    CHECK_FALSE(longer[i].cancelled);
    CHECK(words_of(longer[i]) == "scheduled");
  }
  CHECK(queued_jobs(db) == jobs);
}

TEST_CASE(
    "a page with more than 400 announced occurrences keeps the active ones and the next ones, and mails each once") {
  paged_shop db;
  auto const page = db.make_page();
  auto const active = db.make(db.shown_window(page.id));
  db.activate(active.id);
  auto later = db.shown_window(page.id);
  later.once->starts_at = db.now() + 71h;
  later.once->ends_at = later.once->starts_at + 1h;
  db.as_owner(
      "UPDATE page_occurrences SET starts_at = now() - interval '1 min', ends_at = now() + interval '30 days'");
  fill_occurrences(db, page.id, 410, "10 min");
  auto const jobs = queued_jobs(db);
  auto const left_out = db.make(later);
  CHECK(db.rows("page_occurrences") == 400);
  CHECK(db.rows("page_occurrences WHERE window_id = '" + active.id.to_string() + "'") == 1);
  CHECK(db.rows("page_occurrences WHERE name = 'n1'") == 1);
  // An occurrence that no page shows queues no mail.
  CHECK(db.rows("page_occurrences WHERE window_id = '" + left_out.id.to_string() + "'") == 0);
  CHECK(queued_jobs(db) == jobs);
}

TEST_CASE("an announced occurrence stays when new rules of time zones move its start, and a new rule cancels it") {
  paged_shop db;
  auto const page = db.make_page();
  auto set = db.nightly();
  set.shown = {.status_pages = {page.id}};
  auto const window = db.make(set);
  auto const announced = shown(db, page.id).size();
  CHECK(announced >= 2);
  // As if the zone had another offset at the time of the announcement.
  db.as_owner(
      "UPDATE maintenance_occurrences SET starts_at = starts_at + interval '30 min', ends_at = ends_at +"
      " interval '30 min'; UPDATE maintenance_windows SET extend_at = now() - interval '1 s'");
  auto const moved = shown(db, page.id);
  db.wait(db.occurrences.extend(db.project, db.soon()));
  auto const extended = shown(db, page.id);
  REQUIRE(extended.size() == announced);
  for (std::size_t i = 0; i < announced; ++i) {
    CHECK(extended[i].id == moved[i].id);
    CHECK_FALSE(extended[i].cancelled);
  }
  CHECK(db.number({{"overlaps_test",
                    "SELECT count(*) FROM maintenance_occurrences a JOIN maintenance_occurrences b ON a.id < b.id"
                    " AND a.starts_at < b.ends_at AND b.starts_at < a.ends_at"}}) == 0);
  REQUIRE(db.change(window.id, [](auto& next) { next.recurring->cron = "0 9 * * *"; }).has_value());
  std::size_t cancelled = 0;
  for (auto const& each : shown(db, page.id)) cancelled += each.cancelled ? 1 : 0;
  CHECK(cancelled == announced);
}
