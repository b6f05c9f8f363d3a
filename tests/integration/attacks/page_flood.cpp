// Visitors of status pages without an account: they ask for each form of a page without a pause, and guess names.
#include "attacker.hpp"
#include "integration/system/stored_page.hpp"

#include <cstddef>
#include <vector>

namespace svc::test {
namespace {

constexpr std::size_t page_visitors = 2;

/// Asks for one path after the other; a path that ends with a slash gets another name each time.
class page_visitor final : public attacker {
 public:
  page_visitor(std::string name, attack_fixture& fixture, std::vector<std::string> paths)
      : attacker(std::move(name)), client_(fixture.url(), fixture.ca_file(), ""), paths_(std::move(paths)) {}

 private:
  void act() override {
    auto path = paths_[next_ % paths_.size()];
    if (path.ends_with('/')) path += "guess-" + std::to_string(next_);
    ++next_;
    try {
      if (auto const got = client_.get(path); got.status != 200 && got.status != 404) note_refused(got);
    } catch (...) {
      client_.http().close();
      throw;
    }
  }

  api_client client_;
  std::vector<std::string> const paths_;
  std::size_t next_ = 0;
};

}  // namespace

attackers page_flood(attack_fixture& fixture) {
  stored_page const page(fixture.stores(), fixture.stranger(), "flooded-page");
  attackers out;
  for (std::size_t i = 0; i < page_visitors; ++i)
    out.push_back(std::make_unique<page_visitor>("visitor of a status page", fixture, page.paths()));
  out.push_back(
      std::make_unique<page_visitor>("guesses names of status pages", fixture, std::vector<std::string>{"/status/"}));
  return out;
}

}  // namespace svc::test
