#include "fixture.hpp"

#include "http/public_pages/known_names.hpp"
#include "http/public_pages/owner_cache.hpp"
#include "http/public_pages/renderings.hpp"

#include <thread>

namespace svc::public_pages {
namespace {

using cache = owner_cache<int, int>;

std::shared_ptr<int> number(int value) {
  return std::make_shared<int>(value);
}

TEST_CASE("the values used last stay, up to the number of bytes") {
  cache values(100);
  for (int i = 0; i < 10; ++i) values.keep(i, numbered(i), number(i), 10);
  CHECK(values.held() == 100);
  CHECK(*values.find(0) == 0);
  values.keep(10, numbered(10), number(10), 10);
  CHECK(values.held() == 100);
  CHECK(values.find(0));
  CHECK_FALSE(values.find(1));
  values.keep(0, numbered(0), number(5), 20);
  CHECK(*values.find(0) == 5);
  CHECK(values.held() <= 100);
  values.erase(0);
  CHECK_FALSE(values.find(0));
}

TEST_CASE("one project keeps a quarter at most, and pushes out only its own values") {
  cache values(100);
  values.keep(1, numbered(1), number(1), 10);
  for (int i = 10; i < 100; ++i) values.keep(i, numbered(2), number(i), 5);
  CHECK(values.find(1));
  CHECK(values.held() == 35);
  CHECK(values.find(99));
  CHECK_FALSE(values.find(10));
  values.keep(200, numbered(3), number(3), 26);
  CHECK_FALSE(values.find(200));
}

TEST_CASE("a project renders for a quarter of a worker, and for an eighth what visitors choose") {
  account time(render_shares::terms(1));
  auto now = steady::now();
  render_shares shares(time, now);
  using std::chrono::milliseconds;
  shares.charge(numbered(1), page_form::status, milliseconds(499), now);
  CHECK(shares.allow(numbered(1), page_form::summary, now));
  shares.charge(numbered(1), page_form::rss, milliseconds(1), now);
  CHECK_FALSE(shares.allow(numbered(1), page_form::status, now));
  shares.charge(numbered(1), page_form::history, milliseconds(249), now);
  CHECK(shares.allow(numbered(1), page_form::incident, now));
  shares.charge(numbered(1), page_form::maintenance, milliseconds(1), now);
  CHECK_FALSE(shares.allow(numbered(1), page_form::history, now));
  CHECK(shares.allow(numbered(2), page_form::status, now));
  CHECK(time.refused() == 2);
  CHECK(time.held() == 750'000'000);
  now += render_shares::window + render_shares::window / 4;
  CHECK(shares.allow(numbered(1), page_form::status, now));
  CHECK(shares.allow(numbered(1), page_form::history, now));
  CHECK(time.held() == 0);
}

TEST_CASE("visitors who ask for each month of a page slow down neither the page nor those of others") {
  site_fixture site;
  site.add(sample_page(2, "other", site.now));
  unsigned status = 200;
  int asked = 0;
  for (; status == 200 && asked < 90'000; ++asked) {
    auto const month =
        std::to_string(1970 + asked / 12) + (asked % 12 < 9 ? "-0" : "-") + std::to_string(asked % 12 + 1);
    auto const address = "10.0." + std::to_string(asked / 250) + "." + std::to_string(asked % 250);
    auto const got = site.ask("GET", "/status/acme/history?month=" + month, {}, {}, "svc.example", address);
    REQUIRE(got);
    status = got->status;
  }
  CAPTURE(asked);
  CHECK(status == 503);
  CHECK(site.get("/status/acme").status == 200);
  CHECK(site.get("/status/other/history").status == 200);
}

TEST_CASE("one project builds two pages at a time, and all together four") {
  rebuild_slots slots;
  auto first = slots.take(numbered(1)), second = slots.take(numbered(1));
  CHECK(first);
  CHECK(second);
  CHECK_FALSE(slots.take(numbered(1)));
  auto const third = slots.take(numbered(2)), fourth = slots.take(numbered(3));
  CHECK(fourth);
  CHECK_FALSE(slots.take(numbered(4)));
  CHECK(slots.used() == 4);
  first = {};
  CHECK(slots.used() == 3);
  CHECK(slots.take(numbered(1)));
  CHECK(slots.used() == 3);
}

TEST_CASE("a name without a page is believed for five seconds, one with a page longer") {
  known_names names(2);
  auto const start = steady::now();
  page_name const none{name_kind::slug, "none"}, some{name_kind::slug, "some"}, old{name_kind::slug, "old"};
  names.keep(none, std::nullopt, start);
  names.keep(some, located_page{.id = numbered(1)}, start);
  CHECK(names.find(none, start + std::chrono::seconds(4))->fresh);
  CHECK_FALSE(names.find(none, start + std::chrono::seconds(5))->fresh);
  CHECK(names.find(some, start + std::chrono::hours(1))->fresh);
  names.keep(old, located_page{.id = numbered(1), .former = true}, start);
  CHECK_FALSE(names.find(old, start + std::chrono::seconds(5))->fresh);
  // A slug is no domain of the same letters.
  CHECK_FALSE(names.find({name_kind::domain, "some"}, start));
  for (int i = 0; i < 100; ++i) names.keep({name_kind::slug, std::to_string(i)}, std::nullopt, start);
  CHECK(names.size() <= 4);
  names.forget({name_kind::slug, "99"});
  CHECK_FALSE(names.find({name_kind::slug, "99"}, start));
}

TEST_CASE("a text is rendered again when time alone changes it") {
  auto const now = system_now();
  auto snapshot = sample_page(1, "acme", now).snapshot;
  CHECK(next_change(snapshot, now) == now + renderings::longest_use);
  snapshot.components[0].measured.valid_until = now + seconds_of(3);
  CHECK(next_change(snapshot, now) == now + seconds_of(3));
  snapshot.components[0].override_until = now + seconds_of(2);
  CHECK(next_change(snapshot, now) == now + seconds_of(2));
  snapshot.maintenance[0].starts_at = now + seconds_of(1);
  CHECK(next_change(snapshot, now) == now + seconds_of(1));
  snapshot.maintenance[0].starts_at = now;
  snapshot.maintenance[0].ends_at = now + std::chrono::milliseconds(1);
  CHECK(next_change(snapshot, now) == now + std::chrono::milliseconds(1));
}

TEST_CASE("a page that turned grey by time alone is a changed page for clients that know only its time") {
  auto const now = system_now();
  auto snapshot = sample_page(1, "acme", now).snapshot;
  CHECK(last_change(snapshot, now + seconds_of(59)) == now);
  CHECK(last_change(snapshot, now + seconds_of(61)) == now + seconds_of(60));
  CHECK(last_change(snapshot, now + seconds_of(4000)) == now + seconds_of(3600));

  site_fixture site;
  auto const until = system_now() + seconds_of(2);
  site.acme().snapshot.components[0].measured.valid_until = until;
  auto const green = field_of(site.get("/status/acme"), "Last-Modified");
  site.source.away = true;
  std::this_thread::sleep_for(until - system_now() + std::chrono::milliseconds(50));
  CHECK(site.get("/status/acme", {{"If-Modified-Since", green}}).status == 200);
}

TEST_CASE("renderings of one page cannot take all memory") {
  auto any_time = time_terms(1);
  any_time.project_share = any_time.total * 1000;
  site_fixture site(4UL * 1024 * 1024, any_time);
  for (int year = 2000; year < 2040; ++year)
    for (int month = 1; month <= 9; ++month) {
      auto const path = "/status/acme/history?month=" + std::to_string(year) + "-0" + std::to_string(month);
      auto const got = site.ask("GET", path, {}, {}, "svc.example", "192.0.2." + std::to_string(year - 2000));
      REQUIRE(got);
      CHECK(got->status == 200);
      CHECK(site.memory.held() <= 1024UL * 1024 + got->content().size() * 2);
    }
  CHECK(site.get("/status/acme/history?month=2026-13").status == 404);
}

TEST_CASE("a rendering that a client still reads counts until it was sent") {
  site_fixture site;
  auto got = site.get("/status/acme");
  auto const before = site.memory.held();
  CHECK(before > 0);
  CHECK(got.held);
  site.acme().version = 2;
  site.acme().snapshot.page.name = std::string(200, 'n');
  auto const again = site.get("/api/status-pages/acme/summary");
  CHECK(site.memory.held() > before);
}

}  // namespace
}  // namespace svc::public_pages
