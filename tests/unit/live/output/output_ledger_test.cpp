#include "svc/live/output/output_ledger.hpp"

#include <doctest/doctest.h>

namespace svc::output {
namespace {

uuid const id = uuid::generate_v7(), other = uuid::generate_v7(), printing = uuid::generate_v7();
auto const start = steady::now();

TEST_CASE("a project has as much room as it leaves free, whoever has the rest") {
  struct {
    std::string name;
    std::int64_t mine, others, more;
    bool room;
  } const cases[] = {
      {"an empty house", 0, 0, 100, true},     {"half of it", 400, 0, 100, true},
      {"one byte beyond", 401, 0, 100, false}, {"beside one who has half", 0, 500, 250, true},
      {"a byte beyond", 0, 500, 251, false},   {"a full house: its least part", 0, 1000, 3, true},
      {"and no more", 0, 1000, 4, false},      {"a greedy one's", 500, 0, 1, false},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    output_ledger books;
    books.set_budget(1000);
    books.reported(c.mine + c.others, {{id, c.mine}, {other, c.others}}, start);
    CHECK(books.room(id, c.more) == c.room);
  }
}

TEST_CASE("any number of greedy projects leave room for one more") {
  output_ledger books;
  books.set_budget(1'000'000);
  for (int i = 0; i < 50; ++i) {
    auto const greedy = uuid::generate_v7();
    int taken = 0;
    for (; books.room(greedy, 100); ++taken) books.printed(uuid::generate_v7(), greedy, 100, 100);
    CHECK(taken > 0);
  }
  CHECK(books.all() < 1'200'000);
}

TEST_CASE("bytes that were written since the last report count at once, and once") {
  output_ledger books;
  books.set_budget(1000);
  books.printed(printing, id, 300, 300);
  CHECK(books.all() == 300);
  CHECK_FALSE(books.room(id, 300));
  auto reported = books.take();
  REQUIRE(reported.size() == 1);
  CHECK(*reported.at(printing).held == 300);
  books.printed(printing, id, 50, 350);
  books.reported(1300, {{id, 300}}, start);
  CHECK(books.all() == 1350);
  SUBCASE("the next telling has the newest number") {
    CHECK(*books.take().at(printing).held == 350);
  }
  SUBCASE("one that did not arrive is told again, not above a newer one") {
    books.take_back(std::move(reported));
    CHECK(*books.take().at(printing).held == 350);
  }
  SUBCASE("what is gone is told as nothing") {
    books.leaves(printing, id, std::chrono::seconds(0));
    CHECK(*books.take().at(printing).held == 0);
  }
  SUBCASE("what goes later keeps its bytes until then") {
    static_cast<void>(books.take());
    books.leaves(printing, id, std::chrono::seconds(11));
    auto const next = books.take();
    CHECK_FALSE(next.at(printing).held);
    CHECK(next.at(printing).again == std::chrono::seconds(11));
  }
}

TEST_CASE("unreported changes are bounded, and reported in parts") {
  output_ledger books;
  for (std::size_t i = 0; i < output_ledger::most_pending + 10; ++i) books.printed(uuid::generate_v7(), id, 1, 1);
  std::size_t reported = 0;
  for (auto part = books.take(); !part.empty(); part = books.take()) {
    CHECK(part.size() <= output_ledger::longest_report);
    reported += part.size();
  }
  CHECK(reported == output_ledger::most_pending);
}

TEST_CASE("the memory of several masters: as if each were the smallest, and as full as the fullest") {
  memory_share const share{50, 77};
  struct {
    std::string name;
    std::vector<std::optional<redis_memory>> all;
    std::int64_t room;
    bool tight;
  } const cases[] = {
      {"one", {redis_memory{100, 1000}}, 500, false},
      {"two", {redis_memory{100, 1000}, redis_memory{200, 1000}}, 1000, false},
      {"one is full", {redis_memory{100, 1000}, redis_memory{760, 1000}, redis_memory{1, 1000}}, 1500, true},
      {"one is small", {redis_memory{100, 1000}, redis_memory{100, 400}}, 400, false},
      {"one has no limit", {redis_memory{100, 1000}, redis_memory{900, 0}}, 77, false},
      {"one says nothing", {redis_memory{100, 1000}, std::nullopt}, 77, false},
      {"none", {}, 77, false},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK(room_of(share, together_of(c.all)) == c.room);
    CHECK(runs_short(share, together_of(c.all)) == c.tight);
  }
}

TEST_CASE("the memory that Redis reports") {
  struct {
    std::string name, info;
    std::int64_t room;
    bool tight;
  } const cases[] = {
      {"with a limit", "# Memory\r\nused_memory:100\r\nused_memory_human:1\r\nmaxmemory:1000\r\n", 500, false},
      {"at three quarters", "used_memory:750\r\nmaxmemory:1000\r\n", 500, false},
      {"beyond", "used_memory:756\r\nmaxmemory:1000\r\n", 500, true},
      {"without a limit", "used_memory:756\r\nmaxmemory:0\r\n", 77, false},
      {"nothing", "", 77, false},
      {"no number", "used_memory:x\r\nmaxmemory:1000\r\n", 77, false},
      {"one alone", "maxmemory:1000", 77, false},
      {"negative", "used_memory:1\r\nmaxmemory:-1\r\n", 77, false},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    memory_share const share{50, 77};
    CHECK(room_of(share, read_memory(c.info)) == c.room);
    CHECK(runs_short(share, read_memory(c.info)) == c.tight);
  }
}

}  // namespace
}  // namespace svc::output
