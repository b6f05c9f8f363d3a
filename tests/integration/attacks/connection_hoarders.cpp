// Streams of one token on a queued run, and connections that send little and stay open: they try to fill the
// connection table.
#include "attacker.hpp"
#include "integration/system/jobs.hpp"

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
    for (auto& one : all_) {
      if (over()) return;
      if (one && !one->ended()) continue;
      one.reset();
      try {
        one = std::make_unique<attack_connection>(address_);
        one->send(opening_);
      } catch (std::exception const& failed) {
        note_refused(failed.what());
        one.reset();
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

attackers connection_hoarders(attack_fixture& of) {
  constexpr std::size_t streams = 300, idle = 400;
  auto const who = of.make_stranger();
  auto by = of.client(who);
  auto const run = text_of(body_of(by.post(trigger_path(make_job(by)))), "/data/runId");
  attackers out;
  out.push_back(std::make_unique<hoarder>("streams of one token", of.address(),
                                          attack_head("GET /api/runs/" + run + "/stream", who.token), streams));
  out.push_back(
      std::make_unique<hoarder>("idle connections", of.address(), "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n", idle));
  return out;
}

}  // namespace svc::test
