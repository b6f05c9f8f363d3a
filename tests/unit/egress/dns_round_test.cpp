#include "egress/dns/round.hpp"
#include "unit/egress/wire.hpp"

#include <doctest/doctest.h>

using namespace svc;
using namespace svc::egress;
using namespace std::literals;

namespace {

std::string const address = "\xCB\x00\x71\x09"s;
steady::time_point const begin{};

dns_round both() {
  return {"a.example", {record_type::aaaa, record_type::a}};
}

void say(dns_round& round, std::size_t i, std::string const& bytes, unsigned step = 1) {
  round.take(step, i, std::span(reinterpret_cast<std::uint8_t const*>(bytes.data()), bytes.size()), begin);
}

std::string found(std::string_view data = address, unsigned type = 1, std::uint32_t ttl = 60) {
  return dns_writer().record("a.example", type, ttl, data).bytes();
}
std::string nothing() {
  return dns_writer().bytes();
}
std::string failing(unsigned rcode) {
  return dns_writer(rcode).bytes();
}

void ask_both(dns_round& round) {
  round.begin_step();
  round.asked();
  round.asked();
}

}  // namespace

TEST_CASE("the combination of two answers") {
  auto const v6 = found(std::string(15, '\0') + '\x01', 28);
  struct {
    std::string name;
    std::optional<std::string> aaaa, a;
    failure failure;
    unsigned rcode;
  } const cases[] = {
      {"both found", v6, found(), failure::none, 0},
      {"one found, one without records", nothing(), found(), failure::none, 0},
      {"one found, one failed", failing(2), found(), failure::none, 0},
      {"one found, one silent", std::nullopt, found(), failure::none, 0},
      {"none has records", nothing(), nothing(), failure::dns_not_found, 0},
      {"no such name", failing(3), failing(3), failure::dns_not_found, 3},
      {"no such name, says one", std::nullopt, failing(3), failure::dns_not_found, 3},
      {"one failed, one without records", failing(2), nothing(), failure::dns_failed, 2},
      {"both failed", failing(2), failing(2), failure::dns_failed, 2},
      {"refused", failing(5), failing(5), failure::dns_failed, 5},
      {"garbage", "garbage", "garbage", failure::dns_failed, 2},
      {"one failed, one silent", failing(2), std::nullopt, failure::dns_failed, 2},
      {"silence", std::nullopt, std::nullopt, failure::dns_timeout, 0},
      {"silence, and nothing", std::nullopt, nothing(), failure::dns_timeout, 0},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto round = both();
    ask_both(round);
    for (std::size_t i = 0; i < 2; ++i) {
      auto const& answer = i == 0 ? c.aaaa : c.a;
      if (answer)
        say(round, i, *answer);
      else
        round.take(1, i, std::nullopt, begin);
    }
    CHECK(round.step_over());
    CHECK(round.outcome().error == c.failure);
    CHECK(round.outcome().answer.rcode == c.rcode);
  }
}

TEST_CASE("a step is over when its answers are there, a lookup when they are good") {
  auto round = both();
  ask_both(round);
  CHECK_FALSE(round.step_over());
  say(round, 0, failing(2));
  CHECK_FALSE(round.step_over());
  say(round, 1, failing(2));
  CHECK(round.step_over());
  CHECK_FALSE(round.complete());
  CHECK(round.open(0));
  ask_both(round);
  say(round, 0, nothing(), 2);
  CHECK_FALSE(round.open(0));
  say(round, 1, found(), 2);
  CHECK(round.complete());
  CHECK(round.outcome().error == failure::none);
}

TEST_CASE("a late answer, in another server's step, counts; its end does not end that step") {
  auto round = both();
  ask_both(round);
  ask_both(round);
  round.take(1, 0, std::nullopt, begin);
  round.take(1, 1, std::nullopt, begin);
  CHECK_FALSE(round.step_over());
  say(round, 0, nothing(), 1);
  say(round, 1, found(), 1);
  CHECK(round.complete());
  say(round, 1, failing(3), 2);
  CHECK(round.outcome().error == failure::none);
}

TEST_CASE("no such name is an answer for all types") {
  auto round = both();
  ask_both(round);
  say(round, 1, failing(3));
  CHECK(round.complete());
}

TEST_CASE("once one family has addresses, the other has little time left") {
  auto round = both();
  ask_both(round);
  say(round, 0, nothing());
  CHECK_FALSE(round.patience());
  say(round, 1, found());
  CHECK(round.patience() == begin + 300ms);
}

TEST_CASE("records of both families, IPv6 first, and the least TTL") {
  auto round = both();
  ask_both(round);
  say(round, 1, found(address, 1, 30));
  CHECK(round.ttl() == 30s);
  say(round, 0, found(std::string(15, '\0') + '\x01', 28, 20));
  REQUIRE(round.records().size() == 2);
  CHECK(round.records()[0].text == "::1");
  CHECK(round.records()[1].text == "203.0.113.9");
  CHECK(round.ttl() == 20s);
}

TEST_CASE("an answer without records does not shorten the time to live of the other family's records") {
  auto round = both();
  ask_both(round);
  say(round, 0, nothing());
  CHECK(round.ttl() == 0s);
  say(round, 1, found(address, 1, 30));
  CHECK(round.ttl() == 30s);
}
