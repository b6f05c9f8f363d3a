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

class body_holder final : public attacker {
 public:
  explicit body_holder(attack_fixture& of)
      : attacker("unfinished bodies"), address_(of.address()), token_(of.make_stranger().token) {}

 private:
  struct held {
    std::unique_ptr<attack_connection> connection{};
    std::size_t left = 0;
  };

  /// One step of each, so that all are filled at the same time.
  void act() override {
    for (auto& one : all_) {
      if (over()) return;
      try {
        if (!one.connection || one.connection->ended()) open(one);
        fill(one);
      } catch (std::exception const& failed) {
        one.connection.reset();
        note_refused(failed.what());
      }
    }
    pause(filled() ? pace : milliseconds(1));
  }

  void leave() override { all_ = {}; }

  bool filled() const {
    for (auto const& one : all_)
      if (one.left > left_out) return false;
    return true;
  }

  void open(held& one) const {
    one.connection = std::make_unique<attack_connection>(address_);
    one.connection->send(
        attack_head("POST /api/tests", token_,
                    "Content-Type: application/json\r\nContent-Length: " + std::to_string(announced) + "\r\n"));
    one.left = announced - one.connection->send_some(R"({"title":"t","type":"command","script":")");
  }

  static void fill(held& one) {
    static std::string const part(256UL * 1024, 'x');
    auto const wanted =
        one.left > left_out ? std::min(part.size(), one.left - left_out) : std::min(trickle, one.left);
    one.left -= one.connection->send_some(std::string_view(part).substr(0, wanted));
  }

  std::string const address_, token_;
  std::array<held, connections> all_{};
};

}  // namespace

attackers unfinished_bodies(attack_fixture& of) {
  attackers out;
  out.push_back(std::make_unique<body_holder>(of));
  return out;
}

}  // namespace svc::test
