// A TLS record that is begun and never finished, at each point where the service waits.
#include "attacker.hpp"
#include "integration/system/jobs.hpp"

#include <array>
#include <cstdint>

namespace svc::test {
namespace {

using std::chrono::milliseconds;

enum class moment : std::uint8_t { head, next_head, body, stream, long_poll, answer };
constexpr std::array moments{moment::head,   moment::next_head, moment::body,
                             moment::stream, moment::long_poll, moment::answer};
/// Bytes of the record; the last entry: all but one.
constexpr std::array<std::size_t, 4> cuts{1, 4, 9, std::string::npos};

class partial_record_sender final : public attacker {
 public:
  explicit partial_record_sender(attack_fixture& fixture)
      : attacker("partial TLS records"), address_(fixture.address()) {
    auto const tenant = fixture.make_stranger();
    token_ = tenant.token;
    auto client = fixture.client(tenant);
    run_ = text_of(body_of(client.post(trigger_path(make_job(client)))), "/data/runId");
  }

 private:
  /// Reopens connections that the service has closed.
  void act() override {
    for (std::size_t i = 0; i < all_.size() && !over(); ++i) {
      auto& entry = all_[i];
      if (entry && !entry->ended()) continue;
      entry.reset();
      try {
        entry = begin(moments[i % moments.size()], cuts[i / moments.size()]);
      } catch (std::exception const& failed) {
        note_refused(failed.what());
      }
    }
    pause(milliseconds(100));
  }
  void leave() override { all_ = {}; }

  std::unique_ptr<attack_connection> begin(moment when, std::size_t cut) const {
    auto made = std::make_unique<attack_connection>(address_);
    made->send(opening(when));
    if (when == moment::next_head || when == moment::stream) made->receive(milliseconds(1000));
    auto const record = made->record_of("GET /livez HTTP/1.1\r\nHost: x\r\n\r\n");
    made->send_raw(record.substr(0, std::min(cut, record.size() - 1)));
    return made;
  }

  std::string opening(moment when) const {
    std::string many;
    switch (when) {
      case moment::head:
        return {};
      case moment::next_head:
        return attack_head("GET /api/auth/whoami", token_);
      case moment::body:
        return attack_head("POST /api/tests", token_, "Content-Type: application/json\r\nContent-Length: 100\r\n") +
               "{";
      case moment::stream:
        return attack_head("GET /api/runs/" + run_ + "/stream", token_);
      case moment::long_poll:
        return attack_head("GET /api/runs/" + run_ + "?wait=30", token_);
      case moment::answer:
        // Nobody reads the answers, so that they wait for room.
        for (int i = 0; i < 60; ++i) many += "GET /openapi/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n";
        return many;
    }
    return {};
  }

  std::string const address_;
  std::string token_, run_;
  std::array<std::unique_ptr<attack_connection>, moments.size() * cuts.size()> all_{};
};

}  // namespace

attackers partial_records(attack_fixture& fixture) {
  attackers out;
  out.push_back(std::make_unique<partial_record_sender>(fixture));
  return out;
}

}  // namespace svc::test
