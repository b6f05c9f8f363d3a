#include "unit/postgres/pipeline_script.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

using namespace svc::postgres;
using phase = pipeline::phase;

TEST_CASE("which messages a batch requires") {
  struct {
    char const* name;
    bool prepared, warm;
    phase phase;
    int size;
    framing around;
    char const* expected;
  } const cases[] = {
      {"first use prepares", true, false, phase::ready, 1, framing::implicit, "PE."},
      {"second use does not", true, true, phase::ready, 1, framing::implicit, "E."},
      {"two statements", true, false, phase::ready, 2, framing::implicit, "PEPE."},
      {"begin", true, true, phase::ready, 1, framing::begins, "BE."},
      {"inside", true, true, phase::open, 2, framing::continues, "EE."},
      {"commit alone", true, true, phase::open, 0, framing::commits, "C."},
      {"last statements and commit", true, true, phase::open, 2, framing::commits, "EEC."},
      {"rollback of an open transaction", true, true, phase::open, 0, framing::rolls_back, "R."},
      {"rollback of a failed transaction", true, true, phase::failed, 0, framing::rolls_back, "R."},
      {"unnamed: settings go along", false, false, phase::ready, 2, framing::implicit, "SDD."},
      {"unnamed: after BEGIN", false, false, phase::ready, 1, framing::begins, "BSD."},
      {"unnamed: once a transaction", false, false, phase::open, 1, framing::continues, "D."},
      {"unnamed: commit", false, false, phase::open, 1, framing::commits, "DC."},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto p = in_phase(c.phase, c.prepared, c.warm);
    REQUIRE(p.now() == c.phase);
    CHECK(letters(p.start(batch(c.size), c.around)) == c.expected);
    CHECK(p.now() == phase::busy);
  }
}

TEST_CASE("a transaction is read-only from its BEGIN on, and a refused write keeps the connection") {
  struct {
    char const* name;
    bool prepared;
    framing around;
    char const* expected;
  } const cases[] = {
      {"a statement of its own gets BEGIN and COMMIT", true, framing::implicit, "OPEC."},
      {"a transaction that begins", true, framing::begins, "OPE."},
      {"unnamed", false, framing::implicit, "OSDC."},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto p = in_phase(phase::ready, c.prepared, false);
    CHECK(letters(p.start(batch(1), c.around, true)) == c.expected);
    CHECK(p.read_only());
  }
  auto p = in_phase(phase::ready, true, true);
  p.start(batch(1), framing::implicit, true);
  for (auto const kind : {event::kind::value, event::kind::end}) p.on({.content = kind});
  CHECK(p.on({.content = event::kind::error, .sqlstate = "25006"}) == reaction::keep_error);
  CHECK(p.current_verdict() == verdict{.unavailable = true, .close = false});
  CHECK(play(p, ";a;x") == "---D");
  CHECK(p.now() == phase::failed);
  // A later transaction of the same session may write again.
  p.start({}, framing::rolls_back);
  CHECK(play(p, "v;i") == "--D");
  CHECK(letters(p.start(batch(1), framing::implicit)) == "E.");
  CHECK_FALSE(p.read_only());
}

TEST_CASE("a statement that is planned each time is never prepared") {
  auto p = in_phase(phase::ready, true, true);
  auto queries = batch(1);
  queries[0].statement.planned_each_time = true;
  CHECK(letters(p.start(queries, framing::implicit)) == "D.");
}

TEST_CASE("a batch that does not fit is a bug and changes nothing") {
  struct {
    char const* name;
    phase phase;
    int size;
    framing around;
  } const cases[] = {
      {"nothing to run", phase::ready, 0, framing::implicit},
      {"nothing to begin with", phase::ready, 0, framing::begins},
      {"continue outside", phase::ready, 1, framing::continues},
      {"commit outside", phase::ready, 0, framing::commits},
      {"roll back outside", phase::ready, 0, framing::rolls_back},
      {"implicit inside", phase::open, 1, framing::implicit},
      {"begin inside", phase::open, 1, framing::begins},
      {"roll back with statements", phase::open, 1, framing::rolls_back},
      {"commit a failed one", phase::failed, 0, framing::commits},
      {"continue a failed one", phase::failed, 1, framing::continues},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto p = in_phase(c.phase, true, true);
    CHECK_THROWS_AS(p.start(batch(c.size), c.around), std::logic_error);
    CHECK(p.now() == c.phase);
  }
  pipeline busy(true);
  busy.start(batch(1), framing::implicit);
  CHECK_THROWS_AS(busy.start(batch(1), framing::implicit), std::logic_error);
}

TEST_CASE("two statements with one name are a bug, and the first of them stays unknown") {
  pipeline p(true);
  query const other{{"one", "SELECT 'another'"}};
  CHECK_THROWS_AS(p.start(std::vector{select_one, other}, framing::implicit), std::logic_error);
  // Twice in one batch, it is still prepared only once.
  CHECK(letters(p.start(std::vector{select_one, select_one}, framing::implicit)) == "PEE.");
}

TEST_CASE("the meaning of each answer, and the further use of the connection") {
  struct {
    char const* name;
    int size;
    framing around;
    char const* answers;
    char const* reactions;
    phase after;
    verdict judgement;
  } const cases[] = {
      {"rows", 1, framing::implicit, "v;i", "R-D", phase::ready, {}},
      {"two rows", 2, framing::implicit, "v;v;i", "R-R-D", phase::ready, {}},
      {"refused, rest aborted", 2, framing::implicit, "u;a;i", "E---D", phase::ready, {}},
      {"second refused", 2, framing::implicit, "v;u;i", "R-E-D", phase::ready, {}},
      {"refused at the commit in the Sync", 1, framing::implicit, "v;ui", "R-ED", phase::ready, {}},
      {"the same with an end marker", 1, framing::implicit, "v;u;i", "R-E-D", phase::ready, {}},
      {"begun", 1, framing::begins, "v;v;o", "--R-D", phase::open, {}},
      {"begun and refused", 1, framing::begins, "v;u;x", "--E-D", phase::failed, {}},
      {"a statement left a transaction open", 1, framing::implicit, "v;o", "R-D", phase::open, {}},
      {"server's statement timeout", 1, framing::implicit, "t;i", "E-D", phase::ready, {true, false}},
      {"stale statement: answered, then closed", 1, framing::implicit, "s;i", "E-D", phase::broken, {false, true}},
      {"shutdown: not read on", 1, framing::implicit, "f", "E", phase::broken, {true, true}},
      {"lost", 1, framing::implicit, "l", "E", phase::broken, {true, true}},
      {"lost at the Sync", 1, framing::implicit, "v;l", "R-E", phase::broken, {true, true}},
      {"a second value", 1, framing::implicit, "vv", "RX", phase::broken, {}},
      {"a value for a skipped step", 2, framing::implicit, "u;v", "E-X", phase::broken, {}},
      {"an error for a skipped step", 2, framing::implicit, "u;u", "E-X", phase::broken, {}},
      {"two errors at the Sync", 1, framing::implicit, "v;uu", "R-EX", phase::broken, {}},
      {"two ends at the Sync", 1, framing::implicit, "v;u;;", "R-E-X", phase::broken, {}},
      {"aborted without an error", 1, framing::implicit, "a", "X", phase::broken, {}},
      {"end before a result", 1, framing::implicit, ";", "X", phase::broken, {}},
      {"Sync before a result", 1, framing::implicit, "i", "X", phase::broken, {}},
      {"Sync before the end", 1, framing::implicit, "vi", "RX", phase::broken, {}},
      {"value instead of the Sync", 1, framing::implicit, "v;v", "R-X", phase::broken, {}},
      {"end instead of the Sync", 1, framing::implicit, "v;;", "R-X", phase::broken, {}},
      {"COPY", 1, framing::implicit, "?", "X", phase::broken, {}},
      {"COPY after a result", 1, framing::implicit, "v?", "RX", phase::broken, {}},
      {"Sync in an unknown state", 1, framing::implicit, "v;q", "R-X", phase::broken, {}},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto p = in_phase(phase::ready, true, true);
    p.start(batch(c.size), c.around);
    std::string const reactions =
        play(p, std::string_view(c.answers).substr(0, std::string_view(c.reactions).size()));
    CHECK(reactions == c.reactions);
    CHECK(p.now() == c.after);
    CHECK(p.current_verdict() == c.judgement);
  }
}

TEST_CASE("the ends of an explicit transaction") {
  struct {
    char const* name;
    phase source;
    int size;
    framing around;
    char const* answers;
    char const* reactions;
    phase after;
  } const cases[] = {
      {"commit", phase::open, 0, framing::commits, "v;i", "--D", phase::ready},
      {"statement and commit", phase::open, 1, framing::commits, "v;v;i", "R---D", phase::ready},
      {"statement refused, commit skipped", phase::open, 1, framing::commits, "u;a;x", "E---D", phase::failed},
      {"refused at COMMIT", phase::open, 0, framing::commits, "u;i", "E-D", phase::ready},
      {"refused inside", phase::open, 1, framing::continues, "u;x", "E-D", phase::failed},
      {"roll back an open one", phase::open, 0, framing::rolls_back, "v;i", "--D", phase::ready},
      {"roll back a failed one", phase::failed, 0, framing::rolls_back, "v;i", "--D", phase::ready},
      {"lost at COMMIT", phase::open, 0, framing::commits, "l", "E", phase::broken},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto p = in_phase(c.source, true, true);
    p.start(batch(c.size), c.around);
    CHECK(play(p, c.answers) == c.reactions);
    CHECK(p.now() == c.after);
  }
}

TEST_CASE("a statement counts as prepared only if its Parse succeeded") {
  struct {
    char const* name;
    char const* answers;
    char const* next;
  } const cases[] = {
      {"both parsed", "v;v;v;v;i", "EE."},
      {"the first Parse failed", "u;a;a;a;i", "PEPE."},
      {"the first Execute failed: the second Parse was skipped", "v;u;a;a;i", "EPE."},
      {"the second Parse failed", "v;v;u;a;i", "EPE."},
      {"the second Execute failed", "v;v;v;u;i", "EE."},
      {"the commit in the Sync failed", "v;v;v;v;ui", "EE."},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    pipeline p(true);
    p.start(batch(2), framing::implicit);
    play(p, c.answers);
    REQUIRE(p.now() == phase::ready);
    CHECK(letters(p.start(batch(2), framing::implicit)) == c.next);
  }
}
