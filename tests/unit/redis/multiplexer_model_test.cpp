#include "unit/redis/multiplexer_fixture.hpp"

#include <random>

using namespace svc;
using namespace svc::redis;

namespace {

/// Answers ECHO and ASKING, and reads the wire in any pieces.
class echo_server {
 public:
  void read(std::string_view bytes) {
    parser_.feed(bytes);
    reply command;
    while (parser_.next(command) == reply_parser::step::complete)
      unsent_ += command.elements.size() == 1 ? "+OK\r\n" : echoed(command.elements[1].text);
  }
  std::string take(std::size_t count) {
    auto piece = unsent_.substr(0, count);
    unsent_.erase(0, piece.size());
    return piece;
  }

 private:
  reply_parser parser_;
  std::string unsent_;
};

}  // namespace

TEST_CASE("in any order of events each waiter ends once, with its own reply or none") {
  for (unsigned seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    auto const below = [&](unsigned n) { return static_cast<int>(random() % n); };
    mux_fixture f(1000);
    echo_server server;
    std::vector<std::unique_ptr<probe>> probes;
    int clock = 0;
    std::size_t seen = 0;
    for (int step = 0; step < 300; ++step) {
      switch (below(5)) {
        case 0:
        case 1:
          probes.push_back(std::make_unique<probe>(clock + 1 + below(8)));
          if (below(4) == 0) {
            f.send_asking(*probes.back(), std::to_string(probes.size() - 1));
          } else {
            f.send(*probes.back(), std::to_string(probes.size() - 1));
          }
          break;
        case 2:
          f.write(static_cast<std::size_t>(below(80)));
          server.read(std::string_view(f.wire).substr(seen));
          seen = f.wire.size();
          break;
        case 3:
          f.receive(server.take(static_cast<std::size_t>(below(40))));
          break;
        default:
          if (below(4) == 0) f.expire(++clock);
      }
      REQUIRE_FALSE(f.mux.broken());
    }
    f.end();
    std::uint64_t answered = 0;
    for (std::size_t i = 0; i < probes.size(); ++i) {
      CHECK(probes[i]->resumed == 1);
      if (probes[i]->result.state != delivery::answered) continue;
      ++answered;
      CHECK(probes[i]->text() == "'" + std::to_string(i) + "'");
    }
    CHECK(answered + f.counters.missed + f.counters.unsent == probes.size());
  }
}
