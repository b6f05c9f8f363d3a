#include "monitoring/scheduler/result_buffer.hpp"

#include <doctest/doctest.h>

using namespace svc;
using namespace svc::scheduler;

namespace {

store::arrived_result of(std::uint8_t monitor, std::int64_t slot) {
  store::arrived_result out;
  out.monitor.bytes[0] = monitor;
  out.kept.slot = slot;
  return out;
}

std::string seen(std::vector<store::arrived_result> const& all) {
  std::string out;
  for (auto const& each : all) {
    out += static_cast<char>('a' + each.monitor.bytes[0]);
    out += std::to_string(each.kept.slot);
  }
  return out;
}

}  // namespace

TEST_CASE("results leave in order, one of each monitor at a time, and those of a failed try first") {
  result_buffer all;
  auto const now = steady::now();
  for (auto const& result : {of(0, 1), of(1, 1), of(0, 2), of(2, 1), of(0, 3)}) all.put(result, now);
  auto const first = all.take(10, now);
  CHECK(seen(first) == "a1b1c1");
  all.put_back(first);
  CHECK(seen(all.take(2, now)) == "a1b1");
  CHECK(seen(all.take(10, now)) == "c1a2");
  CHECK(seen(all.take(10, now)) == "a3");
  CHECK(all.empty());
  CHECK(all.given_up() == 0);
}

TEST_CASE("results that waited for a minute are dropped, also if they were tried in the meantime") {
  result_buffer all;
  auto const begin = steady::now();
  all.put(of(0, 1), begin);
  all.put(of(1, 1), begin + std::chrono::seconds(30));
  all.put_back(all.take(1, begin + std::chrono::seconds(59)));
  CHECK(seen(all.take(5, begin + std::chrono::seconds(61))) == "b1");
  CHECK(all.given_up() == 1);
}

TEST_CASE("results that arrived later than others of the same try stay when those are dropped") {
  result_buffer all;
  auto const begin = steady::now();
  CHECK_FALSE(all.oldest().has_value());
  all.put(of(0, 1), begin);
  all.put(of(1, 1), begin + std::chrono::seconds(30));
  all.put_back(all.take(2, begin + std::chrono::seconds(59)));
  CHECK(all.oldest() == begin);
  CHECK(seen(all.take(5, begin + std::chrono::seconds(61))) == "b1");
  CHECK(all.given_up() == 1);
}

TEST_CASE("no more results wait than may, and the newest stay") {
  result_buffer all;
  auto const now = steady::now();
  for (std::size_t i = 0; i < result_buffer::most_waiting + 3; ++i) all.put(of(0, static_cast<std::int64_t>(i)), now);
  CHECK(all.size() == result_buffer::most_waiting);
  CHECK(all.given_up() == 3);
  CHECK(seen(all.take(1, now)) == "a3");
}
