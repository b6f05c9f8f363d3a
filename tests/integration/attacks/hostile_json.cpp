// Bodies that cost a parser the most for their size.
#include "attacker.hpp"

#include "integration/system/overload/hostile_documents.hpp"

namespace svc::test {
namespace {

constexpr int senders = 4;
using documents = std::shared_ptr<std::vector<hostile_document> const>;

/// Sends a large body repeatedly, each time abusing something else.
class body_sender final : public attacker {
 public:
  body_sender(api_client client, documents bodies, std::size_t first)
      : attacker("hostile JSON"), client_(std::move(client)), bodies_(std::move(bodies)), next_(first) {}

 private:
  void act() override {
    auto const& body = (*bodies_)[next_++ % bodies_->size()].text;
    try {
      if (auto const got = client_.post("/api/tests", body); got.status >= 400) note_refused(got);
    } catch (...) {
      // The server answered before everything was sent, and closed.
      client_.http().close();
      throw;
    }
  }

  api_client client_;
  documents bodies_;
  std::size_t next_;
};

}  // namespace

attackers hostile_json(attack_fixture& fixture) {
  auto const bodies = std::make_shared<std::vector<hostile_document> const>(hostile_documents());
  auto const tenant = fixture.make_stranger();
  attackers out;
  for (std::size_t i = 0; i < senders; ++i)
    out.push_back(std::make_unique<body_sender>(fixture.client(tenant), bodies, i));
  return out;
}

}  // namespace svc::test
