// Names of pages that may not exist: who guesses is refused, who only arrives early is not.
#include "fixture.hpp"

#include "http/public_pages/visitors.hpp"
#include "support/comes_true.hpp"
#include "svc/core/spawn_task.hpp"

namespace svc::public_pages {
namespace {

TEST_CASE("the eleventh guess in a minute is refused, and pages that exist stay reachable") {
  site_fixture site;
  CHECK(site.get("/status/acme").status == 200);
  for (int i = 0; i < 10; ++i) CHECK(site.get("/status/guess-" + std::to_string(i)).status == 404);
  auto const refused = site.get("/status/guess-10");
  CHECK(refused.status == 429);
  CHECK_FALSE(field_of(refused, "Retry-After").empty());
  CHECK(site.get("/status/acme").status == 200);
  auto const finds = site.source.finds;
  CHECK(site.get("/status/guess-11").status == 429);
  CHECK(site.source.finds == finds);
}

TEST_CASE("a hundred thousand guesses from as many addresses cost few lookups and little memory") {
  site_fixture site;
  REQUIRE(site.get("/status/acme").status == 200);
  auto const start = steady::now();
  auto const before = site.source.finds;
  for (int i = 0; i < 100'000; ++i) {
    auto const address =
        "10." + std::to_string(i / 65'536) + "." + std::to_string(i / 256 % 256) + "." + std::to_string(i % 256);
    auto const got = site.ask("GET", "/status/guess-" + std::to_string(i), {}, {}, "svc.example", address);
    REQUIRE(got);
    REQUIRE((got->status == 404 || got->status == 503));
  }
  auto const seconds = std::chrono::duration<double>(steady::now() - start).count();
  CHECK(site.source.finds - before <= static_cast<int>(visitor_windows::lookups_per_second * (seconds + 2)));
  CHECK(site.get("/status/acme").status == 200);
}

TEST_CASE("a page that no store can name is no guess of its visitors") {
  site_fixture site;
  site.source.away = true;
  for (int i = 0; i < 20; ++i) CHECK(site.get("/status/acme").status == 503);
  site.source.away = false;
  CHECK(test::comes_true([&] { return site.get("/status/acme").status == 200; }, std::chrono::seconds(5)));
}

TEST_CASE("visitors behind one address who arrive together at a worker that does not know the page all see it") {
  site_fixture site;
  site.source.pause = std::chrono::milliseconds(50);
  http::request head{.method = "GET", .target = "/status/acme"};
  head.fields.push_back({"Host", "svc.example"});
  head.client_address = "192.0.2.1";
  int shown = 0;
  auto const visit_once = [&]() -> task<> {
    auto const got =
        co_await site.served.answer({head, site.body, "r", false, {}, deadline::after(std::chrono::seconds(5))});
    shown += got && got->status == 200 ? 1 : 0;
  };
  for (int i = 0; i < 30; ++i) spawn_task(site.io, visit_once());
  CHECK(site.get("/status/acme").status == 200);
  CHECK(test::comes_true([&] { return site.get("/status/acme").status == 200 && shown == 30; },
                         std::chrono::seconds(5)));
}

}  // namespace
}  // namespace svc::public_pages
