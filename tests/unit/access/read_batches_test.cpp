#include "access/read_batches.hpp"

#include "unit/access/counting_reader.hpp"

#include <doctest/doctest.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

using namespace svc;
using namespace svc::access;
using namespace std::chrono_literals;

namespace {

/// Many readers at once, and their results.
struct crowd {
  explicit crowd(read_rates rates) : reads(io, reader, rates) {}

  void ask(int number, read_payer payer) {
    auto entry = [](crowd& crowd, sha256_digest digest, read_payer read_payer) -> task<> {
      try {
        auto const read = co_await crowd.reads.read(digest, std::move(read_payer));
        (read.record ? crowd.found : crowd.unknown) += 1;
      } catch (unavailable const&) {
        ++crowd.refused;
      }
    };
    asio::co_spawn(io, entry(*this, sha256(std::to_string(number)), std::move(payer)), asio::detached);
  }

  asio::io_context io{1};
  test::counting_reader reader;
  read_batches reads;
  int found = 0, unknown = 0, refused = 0;
};

}  // namespace

TEST_CASE("reads of one round are sent together, at most 500 per statement") {
  struct {
    int asked;
    bool seen;
    std::vector<std::size_t> statements;
  } const cases[] = {{1, false, {1}}, {300, false, {300}}, {1200, false, {500, 500, 200}}, {600, true, {500, 100}}};
  for (auto const& c : cases) {
    CAPTURE(c.asked);
    crowd all({50, 2000});
    for (int i = 0; i < c.asked; ++i) all.ask(i, {c.seen, "a"});
    all.io.run();
    CHECK(all.found == c.asked);
    std::vector<std::size_t> sizes;
    for (auto const& entry : all.reader.statements) sizes.push_back(entry.size());
    CHECK(sizes == c.statements);
  }
}

TEST_CASE("while the rate allows no statement, reads gather for the next one") {
  crowd all({20, 20});
  // The places of this second are used up.
  for (int i = 0; i < 20; ++i) {
    all.ask(i, {false, "a"});
    all.io.restart();
    all.io.run();
  }
  REQUIRE(all.reader.statements.size() == 20);
  auto const before = steady::now();
  for (int i = 20; i < 120; ++i) all.ask(i, {false, "a"});
  all.io.restart();
  all.io.run();
  CHECK(all.reader.statements.size() == 21);
  CHECK(all.reader.statements.back().size() == 100);
  CHECK(all.found == 120);
  CHECK(steady::now() - before < 500ms);
}

TEST_CASE("an address with far too many reads delays no other one") {
  crowd all({50, 2000});
  for (int i = 0; i < 20'000; ++i) all.ask(i, {false, "guesser"});
  for (int i = 0; i < 10; ++i) all.ask(100'000 + i, {false, "user"});
  all.io.run();
  CHECK(all.refused == 15'000);
  auto const& first = all.reader.statements.front();
  for (int i = 0; i < 10; ++i) {
    CAPTURE(i);
    CHECK(std::ranges::find(first, sha256(std::to_string(100'000 + i))) != first.end());
  }
}

TEST_CASE("tokens seen before wait for no statement of unseen ones") {
  crowd all({0.001, 2000});
  all.reader.slow = 5ms;
  for (int i = 0; i < 2; ++i) all.ask(i, {false, "a"});
  all.io.run();
  all.ask(10, {false, "a"});
  all.ask(11, {true, {}});
  all.io.restart();
  // Until all are found that must be, however late; and then for what must not come.
  auto const until = steady::now() + 10s;
  while (all.found < 3 && all.io.run_one_until(until) > 0) {
  }
  all.io.run_for(100ms);
  CHECK(all.found == 3);
  CHECK(all.reader.statements.back() == std::vector{sha256("11")});
}

TEST_CASE("the result of a statement reaches all its readers") {
  struct {
    char const* name;
    bool known, readable, fails;
    int found, unknown, refused;
  } const cases[] = {{"known", true, true, false, 3, 0, 0},
                     {"unknown", false, true, false, 0, 3, 0},
                     {"of a newer version", true, false, false, 0, 0, 3},
                     {"gone", true, true, true, 0, 0, 3}};
  for (auto const& c : cases) {
    CAPTURE(c.name);
    crowd all({50, 2000});
    all.reader.known = c.known;
    all.reader.readable = c.readable;
    all.reader.fails = c.fails;
    for (int i = 0; i < 3; ++i) all.ask(i, {false, "a"});
    all.io.run();
    CHECK(all.found == c.found);
    CHECK(all.unknown == c.unknown);
    CHECK(all.refused == c.refused);
    CHECK(all.reader.statements.size() == 1);
  }
}
