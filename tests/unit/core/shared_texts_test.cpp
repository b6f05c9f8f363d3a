#include "svc/core/shared_texts.hpp"

#include "support/run_task.hpp"

#include <doctest/doctest.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <memory>
#include <optional>
#include <vector>

namespace svc {
namespace {

uuid holder() {
  uuid id;
  id.bytes.back() = 1;
  return id;
}

struct shelf {
  explicit shelf(text_exchange* exchange = nullptr) : texts(io, exchange) {}

  /// Makes a text of 100 bytes after a turn of the loop.
  shared_texts::maker maker() {
    return [this] { return make(); };
  }
  task<result<shared_text_ptr>> make() {
    ++made;
    auto const out = std::make_shared<shared_text>(shared_text{.held = {bytes, {.project = holder()}}});
    if (!out->held.hold(100)) co_return errc::overloaded;
    co_await asio::post(io, awaiting);
    if (blocked) co_await gate.async_wait(awaiting);
    if (fails) throw unavailable("gone");
    out->text.assign(100, 'x');
    co_return shared_text_ptr(out);
  }
  result<shared_text_ptr> find(std::string key) {
    return test::run_task(io, texts.find(std::move(key), maker(), deadline::after(std::chrono::seconds(5))));
  }

  account bytes{{.name = "texts", .total = 1000, .project_share = 150}};
  asio::io_context io{1};
  shared_texts texts;
  int made = 0;
  bool fails = false;
  bool blocked = false;
  steady_timer gate{io, steady_timer::time_point::max()};
};

TEST_CASE("a text is made once for all who want it at the same time, and held until the last of them ends") {
  shelf shelf;
  std::vector<shared_text_ptr> got;
  auto const want = [&]() -> task<> {
    auto found = co_await shelf.texts.find("a", shelf.maker(), deadline::after(std::chrono::seconds(5)));
    REQUIRE(found.has_value());
    got.push_back(*found);
  };
  for (int i = 0; i < 300; ++i) asio::co_spawn(shelf.io, want(), asio::detached);
  shelf.io.run();
  shelf.io.restart();
  REQUIRE(got.size() == 300);
  CHECK(shelf.made == 1);
  CHECK((got.front() == got.back()));
  CHECK(shelf.bytes.held() == 100);
  CHECK((shelf.find("a").value() == got.front()));
  CHECK((shelf.texts.in_use("a") == got.front()));
  CHECK(shelf.made == 1);
  auto const bytes = bytes_of(got.front());
  got.clear();
  CHECK(shelf.bytes.held() == 100);
  CHECK(*bytes == std::string(100, 'x'));
}

TEST_CASE("a text that nobody uses any more is made again, and its bytes are given back") {
  shelf shelf;
  CHECK(shelf.find("a").value()->text.size() == 100);
  CHECK(shelf.bytes.held() == 0);
  CHECK(shelf.texts.in_use("a") == nullptr);
  CHECK(shelf.find("a").value()->text.size() == 100);
  CHECK(shelf.made == 2);
}

TEST_CASE("a text that is refused or fails leaves no state, and the next one may succeed") {
  shelf shelf;
  {
    auto const held = shelf.find("a");
    CHECK(shelf.find("b").error().code == errc::overloaded);
    CHECK(shelf.bytes.held() == 100);
  }
  shelf.fails = true;
  CHECK_THROWS_AS(shelf.find("b"), unavailable);
  CHECK(shelf.bytes.held() == 0);
  shelf.fails = false;
  CHECK(shelf.find("b").has_value());
}

TEST_CASE("a text that is not made in time is unavailable, and others get it when it is there") {
  shelf shelf;
  auto const late = [&](std::string key) {
    return test::run_task(shelf.io,
                          shelf.texts.find(std::move(key), shelf.maker(), deadline::after(milliseconds(-1))));
  };
  shelf.blocked = true;
  CHECK_THROWS_AS(late("a"), unavailable);
  shelf.blocked = false;
  shelf.gate.cancel();
  CHECK(shelf.find("a").has_value());
}

/// Two workers of a process, each with its loop, and one request on each.
struct two_workers {
  /// Starts a request for the text `a`.
  void ask(shelf& shelf, std::optional<result<shared_text_ptr>>& got) {
    asio::co_spawn(
        shelf.io,
        [&shelf, &got]() -> task<> {
          try {
            got = co_await shelf.texts.find("a", shelf.maker(), deadline::after(std::chrono::seconds(60)));
          } catch (unavailable const&) {
            got = errc::unavailable;
          }
        },
        asio::detached);
    settle();
  }
  /// Runs both loops until neither has anything to do.
  void settle() {
    for (std::size_t ran = 1; ran > 0;) {
      ran = 0;
      for (auto* const each : {&shelf, &two}) {
        each->io.restart();
        ran += each->io.poll();
      }
    }
  }
  /// Lets the first worker finish its text.
  void release() {
    shelf.blocked = false;
    shelf.gate.cancel();
    settle();
  }

  text_exchange exchange;
  shelf shelf{&exchange}, two{&exchange};
  std::optional<result<shared_text_ptr>> first, second;
};

TEST_CASE("workers that share an exchange use one text, made by the first that wants it") {
  two_workers all;
  all.shelf.blocked = true;
  all.ask(all.shelf, all.first);
  all.ask(all.two, all.second);
  CHECK_FALSE(all.second);
  all.release();
  REQUIRE((all.first && *all.first));
  REQUIRE((all.second && *all.second));
  CHECK((**all.first == **all.second));
  CHECK(all.shelf.made == 1);
  CHECK(all.two.made == 0);
  CHECK(all.two.bytes.held() == 0);
  // It lives as long as any worker uses it.
  all.first.reset();
  CHECK(all.shelf.bytes.held() == 100);
  all.ask(all.shelf, all.first);
  CHECK(all.shelf.made == 1);
  all.first.reset();
  all.second.reset();
  CHECK(all.shelf.bytes.held() == 0);
  all.ask(all.two, all.second);
  CHECK(all.two.made == 1);
  CHECK(all.exchange.size() == 1);
}

TEST_CASE("a worker that waits for another one's text makes the text itself if the other one fails") {
  two_workers all;
  all.shelf.blocked = all.shelf.fails = true;
  all.ask(all.shelf, all.first);
  all.ask(all.two, all.second);
  CHECK(all.two.made == 0);
  all.release();
  REQUIRE((all.first && !*all.first));
  CHECK(all.first->error().code == errc::unavailable);
  REQUIRE((all.second && *all.second));
  CHECK(all.two.made == 1);
  CHECK(all.two.bytes.held() == 100);
}

TEST_CASE("a worker that ends while it makes a text leaves it to the others") {
  text_exchange exchange;
  auto unique = std::make_unique<shelf>(&exchange);
  unique->blocked = true;
  asio::co_spawn(unique->io, unique->texts.find("a", unique->maker(), deadline::after(std::chrono::seconds(60))),
                 asio::detached);
  unique->io.poll();
  CHECK(unique->made == 1);
  unique.reset();
  shelf two(&exchange);
  CHECK(two.find("a").has_value());
  CHECK(two.made == 1);
}

}  // namespace
}  // namespace svc
