// What one token, and a client without one, can do to the connection table.
#include "attack.hpp"

#include <doctest/doctest.h>

namespace svc::test {
namespace {

TEST_CASE("attack by streams and idle connections that would fill the table: others are let in all the time") {
  // A table that a test can fill: 500 connections in two workers.
  attack_fixture fixture({"SVC_HTTP_CONNECTIONS=250"});
  bystander beside(fixture);
  auto const all = connection_hoarders(fixture);
  auto const got = attack(fixture, beside, all, attack_time());
  print(got, all);
  judge(got);
}

}  // namespace
}  // namespace svc::test
