#include "redis/backend.hpp"
#include "unit/redis/multiplexer_fixture.hpp"

#include <deque>
#include <vector>

using namespace svc;
using namespace svc::redis;
using namespace std::chrono_literals;

namespace {

/// One step of a conversation, at a time in seconds.
struct step {
  int time;
  enum class act : std::uint8_t { send_patient, send_prompt, reply, piece, look } act;
  bool silent = false;  ///< of `look`: the expected answer of `notice_silence`
};

constexpr int prompt_seconds = 5;

}  // namespace

TEST_CASE("a late reply counts as silence only if no byte has arrived for a command deadline") {
  using enum step::act;
  struct {
    char const* name;
    std::vector<step> steps;
  } const cases[] = {
      {"before it is late", {{0, send_patient}, {4, look, false}}},
      {"late and silent", {{0, send_patient}, {5, look, true}}},
      {"once for each command deadline",
       {{0, send_patient}, {5, look, true}, {9, look, false}, {10, look, true}, {16, look, true}, {20, look, false}}},
      {"a late look does not count twice",
       {{0, send_patient}, {14, look, true}, {15, look, false}, {19, look, true}}},
      {"another reply is a sign of life",
       {{0, send_prompt}, {0, send_patient}, {4, reply}, {5, look, false}, {8, look, false}, {9, look, true}}},
      {"half a reply is a sign of life too", {{0, send_patient}, {4, piece}, {8, look, false}, {9, look, true}}},
      {"the count begins again after a sign of life",
       {{0, send_patient}, {5, look, true}, {6, piece}, {10, look, false}, {11, look, true}}},
      {"several late commands are one silence",
       {{0, send_patient}, {1, send_patient}, {5, look, true}, {6, look, false}, {10, look, true}}},
      {"a command sent into the silence is not late yet",
       {{0, send_prompt}, {4, send_patient}, {5, look, false}, {8, look, false}, {9, look, true}}},
      {"nobody is patient", {{0, send_prompt}, {9, look, false}}},
      {"answered", {{0, send_patient}, {7, reply}, {20, look, false}}},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    mux_fixture f(100, {}, std::chrono::seconds(prompt_seconds));
    std::deque<probe> probes;
    for (auto const& s : c.steps) {
      CAPTURE(s.time);
      f.now = at(s.time);
      if (s.act == look) CHECK(f.mux.notice_silence(f.now) == s.silent);
      if (s.act == piece) f.receive("$1\r\n");
      if (s.act == reply) f.receive(echoed("x"));
      if (s.act == send_patient) f.send(probes.emplace_back(1000, s.time + prompt_seconds), "x");
      if (s.act == send_prompt) f.send(probes.emplace_back(1000), "x");
      f.write_all();
    }
    f.end();
  }
}

TEST_CASE("the timer is due when the silence is noticed next") {
  mux_fixture f(100, {}, std::chrono::seconds(prompt_seconds));
  probe prompt(50), patient(50, 5);
  f.send(prompt, "a");
  f.write_all();
  CHECK_FALSE(f.mux.silence_due());
  f.send(patient, "b");
  CHECK(f.mux.silence_due() == at(5));
  f.write_all();
  f.now = at(3);
  f.receive(echoed("a"));
  CHECK(f.mux.silence_due() == at(8));
  CHECK(f.mux.notice_silence(at(8)));
  CHECK(f.mux.silence_due() == at(13));
  CHECK(f.mux.earliest() == at(50));
  f.receive(echoed("b"));
  CHECK_FALSE(f.mux.silence_due());
}

TEST_CASE("giving up ends patient commands only, and their late replies reach nobody") {
  mux_fixture f;
  probe prompt(50), sent(50, 5), waiting(50, 5), other(50);
  f.send(prompt, "a");
  f.send(sent, "b");
  f.mux.stage(f.now);
  f.write(1);
  f.send(waiting, "c");
  f.send(other, "d");
  std::vector<waiter*> gone;
  f.mux.give_up(gone);
  CHECK(gone == std::vector<waiter*>{&sent, &waiting});
  CHECK(sent.text() == "missed");
  CHECK(waiting.text() == "unsent");
  f.write_all();
  CHECK(f.wire == echo("a") + echo("b") + echo("d"));
  f.receive(echoed("a") + echoed("b") + echoed("d"));
  CHECK(f.order == std::vector<probe*>{&prompt, &other});
  CHECK(other.text() == "'d'");
}

TEST_CASE("a command's times: patient ones wait for late replies within the request's deadline") {
  struct {
    char const* name;
    milliseconds request;
    reply_wait wait;
    std::optional<milliseconds> end, late;
  } const cases[] = {
      {"prompt", 2000ms, reply_wait::prompt, 50ms, {}},
      {"patient", 2000ms, reply_wait::patient, 500ms, 50ms},
      {"the request ends earlier", 300ms, reply_wait::patient, 300ms, 50ms},
      {"just later than the command deadline", 51ms, reply_wait::patient, 51ms, 50ms},
      {"at the command deadline", 50ms, reply_wait::patient, 50ms, {}},
      {"before it", 10ms, reply_wait::patient, 10ms, {}},
      {"a prompt one before it", 10ms, reply_wait::prompt, 10ms, {}},
      {"the request is over", 0ms, reply_wait::patient, {}, {}},
  };
  settings const where;
  REQUIRE(where.command_deadline == 50ms);
  REQUIRE(where.longest_wait == 500ms);
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto const now = at(0);
    auto const got = times_of(deadline(now + c.request), where, c.wait, now);
    REQUIRE(got.has_value() == c.end.has_value());
    if (!got) continue;
    CHECK(got->end.at() == now + *c.end);
    CHECK(got->late.has_value() == c.late.has_value());
    if (c.late) CHECK(got->late == now + *c.late);
  }
  settings slow;
  slow.command_deadline = slow.longest_wait = 2000ms;
  CHECK_FALSE(times_of(deadline(at(10)), slow, reply_wait::patient, at(0))->late.has_value());
}
