// Scripts as large as any may be: created, changed and read by a user who is allowed to.
#include "attacker.hpp"

namespace svc::test {
namespace {

constexpr std::size_t size = 5UL * 1024 * 1024;

class script_editor final : public attacker {
 public:
  explicit script_editor(attack_fixture& fixture)
      : attacker("large scripts"), client_(fixture.client(fixture.make_stranger())) {
    std::string const line = "const value = await page.evaluate('x');\\n";
    while (lines_.size() + line.size() <= size) lines_ += line;
  }

 private:
  void act() override {
    try {
      auto const made = client_.post("/api/tests", R"({"title":"t","type":"command","script":")" + lines_ + "\"}");
      // A quota may refuse later ones.
      if (path_.empty()) path_ = "/api/tests/" + text_of(body_of(made), "/id");
      expect(made, 201);
      expect(client_.patch(path_, R"({"title":"u"})"), 200);
      expect(client_.patch(path_, R"({"script":")" + std::string(size, 'x') + "\"}"), 200);
      expect(client_.get(path_ + "?includeScript=true"), 200);
    } catch (...) {
      client_.http().close();
      throw;
    }
  }

  void expect(answer const& got, int status) {
    if (got.status != status) note_refused(got);
  }

  api_client client_;
  std::string lines_, path_;
};

}  // namespace

attackers large_scripts(attack_fixture& fixture) {
  attackers out;
  out.push_back(std::make_unique<script_editor>(fixture));
  return out;
}

}  // namespace svc::test
