// Scripts as large as any may be: made, changed, read, by somebody who may.
#include "attacker.hpp"

namespace svc::test {
namespace {

constexpr std::size_t size = 5UL * 1024 * 1024;

class script_editor final : public attacker {
 public:
  explicit script_editor(attack_stage& of) : attacker("large scripts"), by_(of.client(of.make_stranger())) {
    std::string const line = "const value = await page.evaluate('x');\\n";
    while (lines_.size() + line.size() <= size) lines_ += line;
  }

 private:
  void act() override {
    try {
      auto const made = by_.post("/api/tests", R"({"title":"t","type":"command","script":")" + lines_ + "\"}");
      if (made.status != 201) return note_refused(made);
      auto const path = "/api/tests/" + text_of(body_of(made), "/id");
      expect(by_.patch(path, R"({"title":"u"})"), 200);
      expect(by_.patch(path, R"({"script":")" + std::string(size, 'x') + "\"}"), 200);
      expect(by_.get(path + "?includeScript=true"), 200);
      expect(by_.del(path), 204);
    } catch (...) {
      by_.http().close();
      throw;
    }
  }

  void expect(answer const& got, int status) {
    if (got.status != status) note_refused(got);
  }

  api_client by_;
  std::string lines_;
};

}  // namespace

attackers large_scripts(attack_stage& of) {
  attackers out;
  out.push_back(std::make_unique<script_editor>(of));
  return out;
}

}  // namespace svc::test
