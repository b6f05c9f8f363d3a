// Bodies that cost a parser the most for their size: millions of values, of members, of levels, of escapes.
#include "attacker.hpp"

#include <functional>

namespace svc::test {
namespace {

constexpr std::size_t size = 10UL * 1024 * 1024;
constexpr int at_once = 4;

std::string repeated(std::string const& before, std::string const& each, std::string const& after) {
  std::string out = before;
  out.reserve(size + each.size() + after.size());
  while (out.size() < size) out += each;
  return out + after;
}

std::string members() {
  std::string out = "{";
  for (int i = 0; out.size() < size; ++i) out += "\"m" + std::to_string(i) + "\":0,";
  return out + "\"z\":0}";
}

/// A large body again and again, each a little different in what it abuses.
class body_sender final : public attacker {
 public:
  body_sender(api_client by, std::shared_ptr<std::vector<std::string> const> bodies, std::size_t first)
      : attacker("hostile JSON"), by_(std::move(by)), bodies_(std::move(bodies)), next_(first) {}

 private:
  void act() override {
    auto const& body = (*bodies_)[next_++ % bodies_->size()];
    try {
      if (auto const got = by_.post("/api/tests", body); got.status >= 400) note_refused(got);
    } catch (...) {
      // Answered before all was sent, and closed.
      by_.http().close();
      throw;
    }
  }

  api_client by_;
  std::shared_ptr<std::vector<std::string> const> bodies_;
  std::size_t next_;
};

}  // namespace

attackers hostile_json(attack_stage& of) {
  auto const bodies = std::make_shared<std::vector<std::string> const>(std::vector<std::string>{
      repeated(R"({"zz":[0)", ",0", "]}"),
      members(),
      repeated(R"({"title":"t","type":"command","script":")", R"(\u0041)", "\"}"),
      repeated(R"({"zz":[[])", ",[]", "]}"),
      repeated(R"({"zz":)", "[", "1"),
      repeated(R"({"zz":[1e9)", ",-1.5e-300", "]}"),
  });
  auto const who = of.make_stranger();
  attackers out;
  for (std::size_t i = 0; i < at_once; ++i) out.push_back(std::make_unique<body_sender>(of.client(who), bodies, i));
  return out;
}

}  // namespace svc::test
