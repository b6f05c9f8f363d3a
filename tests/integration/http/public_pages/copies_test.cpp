// The copies of pages on a real Redis, with the script as the service calls it.
#include "svc/http/public_pages/copies.hpp"

#include "integration/redis/fixture.hpp"

#include <algorithm>

namespace svc::public_pages {
namespace {

using namespace std::chrono_literals;

uuid numbered(int number) {
  uuid id;
  id.bytes[14] = static_cast<std::uint8_t>(number >> 8);
  id.bytes[15] = static_cast<std::uint8_t>(number);
  return id;
}

page_ptr page_of(int number, std::string slug, std::int64_t second, std::string domain = {}) {
  auto page = std::make_shared<published_page>();
  page->project = numbered(1000);
  page->version = second;
  page->domain = std::move(domain);
  page->snapshot.page.id = numbered(number);
  page->snapshot.page.slug = std::move(slug);
  page->snapshot.page.name = "Acme";
  page->snapshot.as_of = {second * 1'000'000};
  return page;
}

/// The copies of one installation.
struct copy_bench {
  test::private_redis server{};
  redis::worker loop{};
  redis::client client{loop.io, redis::patient(server.url()), {&page_copies::script()}, loop.listener()};
  page_copies copies;

  explicit copy_bench(int most = 2000) : copies(client, most) { loop.connect(client); }

  static deadline soon() { return deadline::after(10s); }
  void run(task<> work) {
    loop.run([](task<> inner) -> task<int> {
      co_await std::move(inner);
      co_return 0;
    }(std::move(work)));
  }
  void put(page_ptr page) { run(copies.put(std::move(page), soon())); }
  page_ptr read(int number) { return loop.run(copies.read(numbered(number), soon())).value; }
  std::optional<uuid> find(name_kind kind, std::string text) {
    return loop.run(copies.find({kind, std::move(text)}, soon())).value;
  }
  std::string ask(std::vector<std::string> const& words) const { return server.ask(words); }
};

TEST_CASE("a copy is found by its id, its slug and its domain, and ends by itself") {
  copy_bench redis;
  CHECK_FALSE(redis.read(1));
  CHECK_FALSE(redis.find(name_kind::slug, "acme"));
  redis.put(page_of(1, "acme", 100, "status.acme.example"));
  auto const copy = redis.read(1);
  REQUIRE(copy);
  CHECK(copy->version == 100);
  CHECK(copy->domain == "status.acme.example");
  CHECK(redis.find(name_kind::slug, "acme") == numbered(1));
  CHECK(redis.find(name_kind::domain, "status.acme.example") == numbered(1));
  CHECK_FALSE(redis.find(name_kind::domain, "acme"));
  for (auto const* const key : {"names", "held", "order"}) {
    CAPTURE(key);
    CHECK(std::stoll(redis.ask({"PTTL", std::string("svc:{pages}:") + key})) > 6LL * 24 * 3600 * 1000);
  }
  CHECK(std::stoll(redis.ask({"PTTL", "svc:{pages}:" + numbered(1).to_string()})) > 6LL * 24 * 3600 * 1000);
}

TEST_CASE("the newest copy stays, unless the database's clock went back") {
  copy_bench redis;
  redis.put(page_of(1, "acme", 1000));
  redis.put(page_of(1, "acme", 999));
  CHECK(redis.read(1)->version == 1000);
  redis.put(page_of(1, "acme", 1001));
  CHECK(redis.read(1)->version == 1001);
  redis.put(page_of(1, "acme", 500));
  CHECK(redis.read(1)->version == 500);
}

TEST_CASE("a renamed page loses its old names, and another page may take them") {
  copy_bench redis;
  redis.put(page_of(1, "acme", 100, "status.acme.example"));
  redis.put(page_of(2, "other", 100));
  redis.put(page_of(1, "acme-two", 101));
  CHECK_FALSE(redis.find(name_kind::slug, "acme"));
  CHECK_FALSE(redis.find(name_kind::domain, "status.acme.example"));
  redis.put(page_of(2, "acme", 102));
  CHECK(redis.find(name_kind::slug, "acme") == numbered(2));
  // A late copy of the first page under its old name does not take the name away for good.
  redis.put(page_of(1, "acme-two", 103));
  CHECK(redis.find(name_kind::slug, "acme") == numbered(2));
}

TEST_CASE("a removed page leaves nothing") {
  copy_bench redis;
  redis.put(page_of(1, "acme", 100, "status.acme.example"));
  redis.run(redis.copies.remove(numbered(1), copy_bench::soon()));
  CHECK_FALSE(redis.read(1));
  CHECK_FALSE(redis.find(name_kind::slug, "acme"));
  CHECK(redis.ask({"DBSIZE"}) == "0");
}

TEST_CASE("the copies written last stay, up to their number, with their names") {
  copy_bench redis(10);
  for (int i = 1; i <= 40; ++i) redis.put(page_of(i, "page-" + std::to_string(i), 100));
  CHECK(redis.ask({"ZCARD", "svc:{pages}:order"}) == "10");
  CHECK(redis.ask({"HLEN", "svc:{pages}:held"}) == "10");
  CHECK(redis.ask({"HLEN", "svc:{pages}:names"}) == "10");
  CHECK(redis.ask({"DBSIZE"}) == "13");
  auto const left = redis.loop.run(redis.copies.ids(copy_bench::soon()));
  CHECK(left.size() == 10);
}

TEST_CASE("64 writers at once never exceed the number of copies by one") {
  copy_bench redis(10);
  int done = 0;
  for (int i = 1; i <= 64; ++i)
    asio::co_spawn(redis.loop.io, redis.copies.put(page_of(i, "page-" + std::to_string(i), 100), copy_bench::soon()),
                   [&](std::exception_ptr) { ++done; });
  REQUIRE(redis.loop.run_until([&] { return done == 64; }));
  CHECK(redis.ask({"ZCARD", "svc:{pages}:order"}) == "10");
  CHECK(redis.ask({"DBSIZE"}) == "13");
}

TEST_CASE("copies that nobody has written for a week are dropped with the next one") {
  copy_bench redis;
  for (int i = 1; i <= 5; ++i) redis.put(page_of(i, "page-" + std::to_string(i), 100));
  auto const week_ago = std::to_string(-(system_now().micros / 1'000'000 - 8LL * 24 * 3600));
  redis.ask({"ZADD", "svc:{pages}:order", week_ago, numbered(3).to_string()});
  redis.put(page_of(6, "page-6", 100));
  CHECK_FALSE(redis.read(3));
  CHECK_FALSE(redis.find(name_kind::slug, "page-3"));
  CHECK(redis.read(4));
}

TEST_CASE("values that no instance has written are no copies") {
  copy_bench redis;
  auto const key = "svc:{pages}:" + numbered(1).to_string();
  redis.ask({"SET", key, "anything"});
  CHECK_FALSE(redis.read(1));
  redis.ask({"DEL", key});
  redis.ask({"LPUSH", key, "anything"});
  auto const got = redis.loop.run(redis.copies.read(numbered(1), copy_bench::soon()));
  CHECK_FALSE(got.known);
  CHECK_FALSE(got.value);
}

TEST_CASE("one of many instances refreshes all copies in an hour") {
  copy_bench redis;
  int taken = 0;
  for (int i = 0; i < 8; ++i) taken += redis.loop.run(redis.copies.take_refresh(copy_bench::soon())) ? 1 : 0;
  CHECK(taken == 1);
  auto const left = std::stoll(redis.ask({"PTTL", "svc:{pages}:refresh"}));
  CHECK(left > 3'500'000);
  CHECK(left <= 3'600'000);
  redis.run(redis.copies.give_back_refresh(copy_bench::soon()));
  CHECK(redis.loop.run(redis.copies.take_refresh(copy_bench::soon())));
}

TEST_CASE("without Redis nothing is known, at once") {
  copy_bench redis;
  redis.put(page_of(1, "acme", 100));
  redis.server.kill();
  REQUIRE(redis.loop.run_until([&] { return !redis.client.connected(); }));
  auto const start = steady::now();
  auto const got = redis.loop.run(redis.copies.read(numbered(1), copy_bench::soon()));
  CHECK_FALSE(got.known);
  redis.put(page_of(1, "acme", 101));
  CHECK(steady::now() - start < 1s);
}

}  // namespace
}  // namespace svc::public_pages
