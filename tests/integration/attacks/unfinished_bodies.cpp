// Bodies as large as any may be, complete except for the end, which comes as slowly as allowed.
#include "attacker.hpp"

#include <array>

namespace svc::test {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t announced = 11UL * 1024 * 1024, left_out = 64UL * 1024, connections = 20;
/// Half more than the minimum rate: 5 000 bytes in 10 s.
constexpr std::size_t trickle = 150;
constexpr milliseconds pace{200};

class unfinished_sender final : public attacker {
 public:
  explicit unfinished_sender(attack_fixture& fixture)
      : attacker("unfinished bodies"), address_(fixture.address()), token_(fixture.make_stranger().token) {}

 private:
  struct held {
    std::unique_ptr<attack_connection> connection{};
    std::size_t left = 0;
  };

  /// One step of each, so that all are filled at the same time.
  void act() override {
    for (auto& entry : all_) {
      if (over()) return;
      try {
        if (!entry.connection || entry.connection->ended()) open(entry);
        fill(entry);
      } catch (std::exception const& failed) {
        entry.connection.reset();
        note_refused(failed.what());
      }
    }
    pause(filled() ? pace : milliseconds(1));
  }

  void leave() override { all_ = {}; }

  bool filled() const {
    for (auto const& entry : all_)
      if (entry.left > left_out) return false;
    return true;
  }

  void open(held& hold) const {
    hold.connection = std::make_unique<attack_connection>(address_);
    hold.connection->send(
        attack_head("POST /api/tests", token_,
                    "Content-Type: application/json\r\nContent-Length: " + std::to_string(announced) + "\r\n"));
    hold.left = announced - hold.connection->send_some(R"({"title":"t","type":"command","script":")");
  }

  static void fill(held& hold) {
    static std::string const part(256UL * 1024, 'x');
    auto const wanted =
        hold.left > left_out ? std::min(part.size(), hold.left - left_out) : std::min(trickle, hold.left);
    hold.left -= hold.connection->send_some(std::string_view(part).substr(0, wanted));
  }

  std::string const address_, token_;
  std::array<held, connections> all_{};
};

}  // namespace

attackers unfinished_bodies(attack_fixture& fixture) {
  attackers out;
  out.push_back(std::make_unique<unfinished_sender>(fixture));
  return out;
}

}  // namespace svc::test
