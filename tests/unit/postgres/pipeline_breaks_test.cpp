#include "unit/postgres/pipeline_script.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

using namespace svc::postgres;
using phase = pipeline::phase;

TEST_CASE("abandoned at each point of a conversation: broken until the Sync arrives, never reused") {
  struct {
    bool prepared;
    std::string_view answers;  ///< to BPEPE. and to BSDD.
  } const cases[] = {{true, "v;v;v;v;v;o"}, {false, "v;v;v;v;o"}};
  for (auto const& c : cases) {
    for (std::size_t seen = 0; seen < c.answers.size(); ++seen) {
      CAPTURE(c.prepared);
      CAPTURE(seen);
      pipeline p(c.prepared);
      p.start(batch(2), framing::begins);
      play(p, c.answers.substr(0, seen));
      p.abandon();
      CHECK(p.now() == phase::broken);
      CHECK(play(p, c.answers.substr(seen, 1)) == "X");
      CHECK_THROWS_AS(p.start(batch(1), framing::implicit), std::logic_error);
    }
    pipeline whole(c.prepared);
    whole.start(batch(2), framing::begins);
    play(whole, c.answers);
    whole.abandon();
    CHECK(whole.now() == phase::open);
  }
}

TEST_CASE("abandoning a connection that owes nothing keeps its phase") {
  for (phase const phase : {phase::ready, phase::open, phase::failed}) {
    auto p = in_phase(phase, true, true);
    p.abandon();
    CHECK(p.now() == phase);
    p.shut();
    CHECK(p.now() == phase::broken);
    CHECK(play(p, "v") == "X");
  }
}

TEST_CASE("any single foreign answer at any point breaks a conversation, and nothing after it is kept") {
  std::string const good = "v;v;v;i";  // BEGIN is not part of it: two executes and a commit
  for (std::size_t position = 0; position < good.size(); ++position) {
    for (char const wrong : std::string_view("?;vaioxq")) {
      if (wrong == good[position] || (position + 1 == good.size() && (wrong == 'o' || wrong == 'x'))) continue;
      CAPTURE(position);
      CAPTURE(wrong);
      auto p = in_phase(phase::open, true, true);
      p.start(batch(2), framing::commits);
      play(p, std::string_view(good).substr(0, position));
      CHECK(play(p, std::string(1, wrong)) == "X");
      CHECK(play(p, good) == std::string(good.size(), 'X'));
      CHECK(p.now() == phase::broken);
    }
  }
}
