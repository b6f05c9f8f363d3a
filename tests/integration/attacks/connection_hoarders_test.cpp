// Tests the effect of one token, and of a client without a token, on the connection table.
#include "attack.hpp"

#include <doctest/doctest.h>

namespace svc::test {
namespace {

TEST_CASE("attack by streams and idle connections that would fill the table: others are let in all the time") {
  // The connection table is small enough for a test to fill: 500 connections in two workers.
  attack_fixture fixture({"SVC_HTTP_CONNECTIONS=250"});
  bystander beside(fixture);
  auto const all = connection_hoarders(fixture);
  auto const got = attack(fixture, beside, all, attack_time());
  print(got, all);
  evaluate(got);
}

}  // namespace
}  // namespace svc::test
