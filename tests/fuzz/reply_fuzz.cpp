// Two bytes choose a cut, the rest is Redis's output. The replies do not depend on the cut, each goes to the waiter
// in turn, and a broken stream ends the connection for good.
#include "check.hpp"
#include "redis/multiplexer.hpp"
#include "redis/resp.hpp"

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

using namespace svc;
using namespace svc::redis;

namespace {

bool same(reply const& a, reply const& b) {
  return a.kind == b.kind && a.number == b.number && a.text == b.text &&
         std::equal(a.elements.begin(), a.elements.end(), b.elements.begin(), b.elements.end(), same);
}

struct outcome_of_stream {
  std::vector<reply> replies{};
  bool broken = false;
};

outcome_of_stream parse(std::initializer_list<std::string_view> pieces) {
  outcome_of_stream out;
  reply_parser parser;
  for (auto const piece : pieces) {
    parser.feed(piece);
    for (reply value;;) {
      auto const step = parser.next(value);
      out.broken = step == reply_parser::step::broken;
      if (step != reply_parser::step::complete) break;
      out.replies.push_back(value);
    }
    check(out.broken != parser.fault().empty(), "what is broken says why");
  }
  return out;
}

struct counting_waiter final : waiter {
  counting_waiter() : waiter(deadline::after(std::chrono::seconds(1))) {}
  void resume() override {}
  void resume_later() override {}
};

/// Sends a command for each reply that the data contains: each waiter gets the reply to its own command.
void check_order(std::string_view bytes, outcome_of_stream const& expected) {
  constexpr std::size_t commands = 8;
  statistics counters;
  multiplexer order(commands, counters);
  std::deque<counting_waiter> waiters(commands);
  static constexpr std::array<std::string_view, 1> ping{"PING"};
  for (auto& each : waiters) check(order.submit({ping}, &each), "there is room");
  check(order.stage({}), "something to write");
  auto const now = steady::now();
  order.wrote(order.staged().size(), now);
  order.feed(bytes, now);
  std::size_t got = 0;
  while (auto* const waiter = order.next()) {
    check(got < commands && waiter == &waiters[got], "replies in the order of the commands");
    check(same(waiter->result.value, expected.replies[got]), "its own reply");
    ++got;
  }
  check(got == std::min(commands, expected.replies.size()), "every reply was handed out");
  check(order.broken() || (!expected.broken && expected.replies.size() <= commands), "doubt is noticed");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  if (size < 2) return 0;
  auto const bytes = text_of(data + 2, size - 2);
  auto const cut = (std::size_t{data[0]} * 256 + data[1]) % (bytes.size() + 1);
  auto const whole = parse({bytes});
  auto const split = parse({bytes.substr(0, cut), bytes.substr(cut)});
  check(std::equal(whole.replies.begin(), whole.replies.end(), split.replies.begin(), split.replies.end(), same),
        "split and whole agree");
  check(whole.broken == split.broken, "split and whole are broken alike");
  check_order(bytes, whole);
  return 0;
}
