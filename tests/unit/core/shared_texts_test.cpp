#include "svc/core/shared_texts.hpp"

#include "support/run_task.hpp"

#include <doctest/doctest.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <vector>

namespace svc {
namespace {

uuid holder() {
  uuid id;
  id.bytes.back() = 1;
  return id;
}

struct shelf {
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

  asio::io_context io{1};
  account bytes{{.name = "texts", .total = 1000, .project_share = 150}};
  shared_texts texts{io};
  int made = 0;
  bool fails = false;
  bool blocked = false;
  steady_timer gate{io, steady_timer::time_point::max()};
};

TEST_CASE("a text is made once for all who want it at the same time, and held until the last of them ends") {
  shelf one;
  std::vector<shared_text_ptr> got;
  auto const want = [&]() -> task<> {
    auto found = co_await one.texts.find("a", one.maker(), deadline::after(std::chrono::seconds(5)));
    REQUIRE(found.has_value());
    got.push_back(*found);
  };
  for (int i = 0; i < 300; ++i) asio::co_spawn(one.io, want(), asio::detached);
  one.io.run();
  one.io.restart();
  REQUIRE(got.size() == 300);
  CHECK(one.made == 1);
  CHECK((got.front() == got.back()));
  CHECK(one.bytes.held() == 100);
  CHECK((one.find("a").value() == got.front()));
  CHECK((one.texts.in_use("a") == got.front()));
  CHECK(one.made == 1);
  auto const bytes = bytes_of(got.front());
  got.clear();
  CHECK(one.bytes.held() == 100);
  CHECK(*bytes == std::string(100, 'x'));
}

TEST_CASE("a text that nobody uses any more is made again, and its bytes are given back") {
  shelf one;
  CHECK(one.find("a").value()->text.size() == 100);
  CHECK(one.bytes.held() == 0);
  CHECK(one.texts.in_use("a") == nullptr);
  CHECK(one.find("a").value()->text.size() == 100);
  CHECK(one.made == 2);
}

TEST_CASE("a text that is refused or fails leaves nothing behind, and the next one may succeed") {
  shelf one;
  {
    auto const held = one.find("a");
    CHECK(one.find("b").error().code == errc::overloaded);
    CHECK(one.bytes.held() == 100);
  }
  one.fails = true;
  CHECK_THROWS_AS(one.find("b"), unavailable);
  CHECK(one.bytes.held() == 0);
  one.fails = false;
  CHECK(one.find("b").has_value());
}

TEST_CASE("a text that is not made in time is unavailable, and others get it when it is there") {
  shelf one;
  auto const late = [&](std::string key) {
    return test::run_task(one.io, one.texts.find(std::move(key), one.maker(), deadline::after(milliseconds(-1))));
  };
  one.blocked = true;
  CHECK_THROWS_AS(late("a"), unavailable);
  one.blocked = false;
  one.gate.cancel();
  CHECK(one.find("a").has_value());
}

}  // namespace
}  // namespace svc
