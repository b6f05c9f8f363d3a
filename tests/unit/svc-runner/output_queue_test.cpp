#include "svc-runner/output/output_text.hpp"

#include <doctest/doctest.h>

using namespace svc::runner;

TEST_CASE("lines are numbered without a hole and kept until they are acknowledged") {
  output_queue q;
  CHECK(q.batch().empty());
  for (int i = 0; i < 1500; ++i) q.add(output_stream::out, "x");
  CHECK(q.last_seq() == 1500);
  CHECK(q.batch_is_full());
  auto const first = q.batch();
  REQUIRE(first.size() == 1000);
  CHECK(first.front().seq == 1);
  CHECK(q.batch().front().seq == 1);
  q.acknowledge(400);
  CHECK(q.batch().front().seq == 401);
  q.acknowledge(0);
  CHECK(q.bytes() == 1100);
  q.acknowledge(9999);
  CHECK(q.empty());
  CHECK(q.bytes() == 0);
}

TEST_CASE("a batch holds about 256 KiB, and at least one line") {
  output_queue q;
  for (int i = 0; i < 20; ++i) q.add(output_stream::err, std::string(16'384, 'x'));
  CHECK(q.batch_is_full());
  CHECK(q.batch().size() == 16);
  output_queue large;
  large.add(output_stream::out, std::string(output_queue::most_bytes + 1, 'x'));
  CHECK(large.batch().size() == 1);
}
