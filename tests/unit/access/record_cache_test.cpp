#include "svc/access/record_cache.hpp"

#include <doctest/doctest.h>

using namespace svc;
using access::record_cache;

namespace {

access::held_record record(std::int64_t epoch, std::int64_t read_at, uuid subject = {}) {
  token_record r;
  r.caller.epoch = epoch;
  r.caller.subject = subject;
  r.read_at = {read_at};
  r.max_age_micros = 100;
  return {std::make_shared<token_record const>(r)};
}

sha256_digest digest(int n) {
  return sha256(std::to_string(n));
}

}  // namespace

TEST_CASE("a record is good until its maximum age, not a microsecond longer") {
  record_cache cache;
  cache.keep(digest(1), record(1, 1000));
  CHECK(cache.find(digest(1), {1099}).record != nullptr);
  CHECK(cache.find(digest(2), {1099}).record == nullptr);
  CHECK(cache.find(digest(1), {1100}).record == nullptr);
  CHECK(cache.size() == 0);
}

TEST_CASE("a record from the future is not trusted for longer than its age") {
  record_cache cache;
  cache.keep(digest(1), record(1, 1000));
  CHECK(cache.find(digest(1), {901}).record != nullptr);
  CHECK(cache.find(digest(1), {900}).record == nullptr);
}

TEST_CASE("a late writer never replaces a newer record") {
  struct {
    std::int64_t epoch, read_at, kept_epoch, kept_read_at;
  } const table[] = {{2, 900, 2, 900}, {1, 1001, 1, 1001}, {1, 999, 1, 1000}, {0, 2000, 1, 1000}};
  for (auto const& row : table) {
    CAPTURE(row.epoch);
    CAPTURE(row.read_at);
    record_cache cache;
    cache.keep(digest(1), record(1, 1000));
    cache.keep(digest(1), record(row.epoch, row.read_at));
    auto const held = cache.find(digest(1), {row.kept_read_at});
    REQUIRE(held.record);
    CHECK(held.record->caller.epoch == row.kept_epoch);
    CHECK(held.record->read_at.micros == row.kept_read_at);
  }
}

TEST_CASE("the least recently used record is dropped first") {
  record_cache cache(2);
  cache.keep(digest(1), record(1, 0));
  cache.keep(digest(2), record(1, 0));
  CHECK(cache.find(digest(1), {1}).record);
  cache.keep(digest(3), record(1, 0));
  CHECK(cache.find(digest(1), {1}).record);
  CHECK_FALSE(cache.find(digest(2), {1}).record);
  CHECK(cache.find(digest(3), {1}).record);
}

TEST_CASE("a change drops only older records of its subject") {
  auto const a = uuid::generate_v7(), b = uuid::generate_v7();
  record_cache cache;
  cache.keep(digest(1), record(1, 0, a));
  cache.keep(digest(2), record(5, 0, a));
  cache.keep(digest(3), record(1, 0, b));
  cache.invalidate({{a, 5}});
  CHECK_FALSE(cache.find(digest(1), {1}).record);
  CHECK(cache.find(digest(2), {1}).record);
  CHECK(cache.find(digest(3), {1}).record);
}

TEST_CASE("a refreshed record stays unpublished until the same one is kept as confirmed") {
  record_cache cache;
  auto refreshed = record(1, 1000);
  refreshed.unpublished = true;
  cache.keep(digest(1), record(1, 990));
  cache.keep(digest(1), refreshed);
  CHECK(cache.find(digest(1), {1001}).unpublished);
  cache.keep(digest(1), record(1, 999));  // late, and not the one in memory
  CHECK(cache.find(digest(1), {1001}).unpublished);
  cache.keep(digest(1), {refreshed.record, false});
  CHECK_FALSE(cache.find(digest(1), {1001}).unpublished);
  cache.keep(digest(1), refreshed);
  CHECK_FALSE(cache.find(digest(1), {1001}).unpublished);
}

TEST_CASE("Redis was lost: everything is forgotten") {
  record_cache cache;
  cache.keep(digest(1), record(1, 0));
  cache.keep(digest(2), record(1, 0));
  cache.invalidate_all();
  CHECK(cache.size() == 0);
  CHECK_FALSE(cache.find(digest(1), {1}).record);
  cache.keep(digest(1), record(1, 0));
  CHECK(cache.find(digest(1), {1}).record);
}
