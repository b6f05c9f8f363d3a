// Streams of one token on a queued run, and connections that send little and stay open: they try to fill the
// connection table.
// Tests the effect of one token, and of a client without a token, on the connection table.
#include "attack.hpp"
#include "integration/system/jobs.hpp"

#include <doctest/doctest.h>

#include <vector>

namespace svc::test {
namespace {

using std::chrono::milliseconds;

/// Keeps so many connections open, each begun with `opening`.
class hoarder final : public attacker {
 public:
  hoarder(std::string name, std::string address, std::string opening, std::size_t count)
      : attacker(std::move(name)), address_(std::move(address)), opening_(std::move(opening)), all_(count) {}

 private:
  void act() override {
    for (auto& connection : all_) {
      if (over()) return;
      if (connection && !connection->ended()) continue;
      connection.reset();
      try {
        connection = std::make_unique<attack_connection>(address_);
        connection->send(opening_);
      } catch (std::exception const& failed) {
        note_refused(failed.what());
        connection.reset();
        pause(milliseconds(5));
      }
    }
    pause(milliseconds(200));
  }
  void leave() override { all_.clear(); }

  std::string const address_, opening_;
  std::vector<std::unique_ptr<attack_connection>> all_;
};

}  // namespace

attackers connection_hoarders(attack_fixture& fixture) {
  constexpr std::size_t streams = 300, idle = 400;
  auto const tenant = fixture.make_stranger();
  auto client = fixture.client(tenant);
  auto const run = text_of(body_of(client.post(trigger_path(make_job(client)))), "/data/runId");
  attackers out;
  out.push_back(std::make_unique<hoarder>("streams of one token", fixture.address(),
                                          attack_head("GET /api/runs/" + run + "/stream", tenant.token), streams));
  out.push_back(std::make_unique<hoarder>("idle connections", fixture.address(),
                                          "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n", idle));
  return out;
}

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
