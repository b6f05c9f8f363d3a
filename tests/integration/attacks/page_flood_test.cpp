// Visitors of status pages without an account: they ask for each form of a page without a pause, and guess names.
// Tests the effect of strangers who visit status pages without a pause on the users of the API.
#include "attack.hpp"
#include "integration/system/stored_page.hpp"

#include <doctest/doctest.h>

#include <algorithm>
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

namespace {

/// Two clients and the service share the processors of the machine, which alone costs others this time.
constexpr double share_of_machine_ms = 20;

TEST_CASE("attack by floods of status pages and guesses of names: users of the API wait at most twice as long") {
  attack_fixture fixture;
  bystander alone(fixture);
  auto const quiet = attack(fixture, alone, {}, attack_time());
  bystander beside(fixture);
  auto const all = page_flood(fixture);
  auto const got = attack(fixture, beside, all, attack_time());
  print(quiet, {});
  print(got, all);
  evaluate(got);
  CHECK(got.others.p99_ms <= std::max(2 * quiet.others.p99_ms, quiet.others.p99_ms + share_of_machine_ms));
}

}  // namespace
}  // namespace svc::test
