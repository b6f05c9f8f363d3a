#include "svc-runner/client/backoff.hpp"

#include <doctest/doctest.h>

using namespace svc;
using svc::runner::backoff;

TEST_CASE("pauses double up to five seconds, with jitter, and never undercut what was asked") {
  backoff least;
  backoff most;
  CHECK(least.next(0.0) == milliseconds(50));
  CHECK(most.next(0.999).count() >= 99);
  CHECK(least.next(0.0) == milliseconds(100));
  for (int i = 0; i < 20; ++i) least.next(0.0);
  CHECK(least.next(0.0) == milliseconds(2500));
  CHECK(least.next(0.5, milliseconds(9000)) == milliseconds(9000));
  least.reset();
  CHECK(least.next(0.0) == milliseconds(50));
}
