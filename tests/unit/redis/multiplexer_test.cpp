#include "unit/redis/multiplexer_fixture.hpp"
#include "unit/redis/reply_streams.hpp"

using namespace svc;
using namespace svc::redis;

TEST_CASE("all waiting commands are sent in one block, in order") {
  mux_fixture f;
  probe a, b, c;
  CHECK_FALSE(f.mux.stage(f.now));
  CHECK(f.send(a, "a"));
  CHECK(f.send(b, "bb"));
  CHECK(f.mux.stage(f.now));
  CHECK(f.mux.staged() == echo("a") + echo("bb"));
  CHECK(f.send(c, "c"));  // waits: the block is being written
  CHECK(f.mux.stage(f.now));
  CHECK(f.mux.staged() == echo("a") + echo("bb"));
  f.write(3);
  CHECK(f.mux.staged() == (echo("a") + echo("bb")).substr(3));
  f.write_all();
  CHECK(f.wire == echo("a") + echo("bb") + echo("c"));
  CHECK_FALSE(f.mux.stage(f.now));
  f.receive(echoed("a") + echoed("bb") + echoed("c"));
  CHECK(f.order == std::vector<probe*>{&a, &b, &c});
  CHECK(a.text() == "'a'");
  CHECK(b.text() == "'bb'");
  CHECK(c.text() == "'c'");
  CHECK(f.mux.idle());
  CHECK(f.counters.commands == 3);
  CHECK(f.counters.replies == 3);
}

TEST_CASE("ASKING and its command are one: written together, taken back together, and only the second reply counts") {
  mux_fixture f;
  probe a, b(5), c;
  f.send(a, "a");
  f.send_asking(b, "b");
  f.send(c, "c");
  SUBCASE("answered") {
    f.write_all();
    CHECK(f.wire == echo("a") + std::string(asking_command) + echo("b") + echo("c"));
    f.receive(echoed("a") + "+OK\r\n");
    CHECK(b.resumed == 0);
    f.receive(echoed("b") + echoed("c"));
    CHECK(f.order == std::vector<probe*>{&a, &b, &c});
    CHECK(b.text() == "'b'");
    CHECK(f.counters.replies == 3);
  }
  SUBCASE("refused") {
    f.write_all();
    f.receive(echoed("a") + "-NOPERM x\r\n-MOVED 1 a:1\r\n" + echoed("c"));
    CHECK(b.result.value.text == "MOVED 1 a:1");
    CHECK(c.text() == "'c'");
  }
  SUBCASE("taken back") {
    f.expire(6);
    f.write_all();
    CHECK(b.text() == "unsent");
    CHECK(f.wire == echo("a") + echo("c"));
  }
  SUBCASE("abandoned") {
    f.write_all();
    f.expire(6);
    CHECK(b.text() == "missed");
    f.receive(echoed("a") + "+OK\r\n" + echoed("b") + echoed("c"));
    CHECK(c.text() == "'c'");
    CHECK_FALSE(f.mux.broken());
  }
  SUBCASE("answered before the command is written") {
    f.mux.stage(f.now);
    f.write(echo("a").size() + asking_command.size());
    f.receive(echoed("a") + "+OK\r\n");
    CHECK_FALSE(f.mux.broken());
    f.receive(echoed("b"));
    CHECK(f.mux.broken());
  }
  SUBCASE("answered before it is written itself") {
    f.mux.stage(f.now);
    f.write(echo("a").size() + asking_command.size() - 1);
    f.receive(echoed("a") + "+OK\r\n");
    CHECK(f.mux.broken());
  }
}

TEST_CASE("an answer after a gap breaks it: measured from sending the previous command to this answer") {
  struct {
    int first_sent, first_answered, sent, answered;
    bool broken;
  } const cases[] = {
      {0, 0, 5, 5, false},  // at the bound
      {0, 0, 5, 6, true},   // Redis was slow
      {0, 0, 6, 6, true},   // there were no requests
      {0, 4, 6, 6, true},   // the previous answer does not show when it was given
      {0, 4, 4, 5, false},
  };
  for (auto const& c : cases) {
    CAPTURE(c.first_answered);
    CAPTURE(c.sent);
    CAPTURE(c.answered);
    for (bool const bounded : {true, false}) {
      mux_fixture f(100, std::chrono::seconds(bounded ? 5 : 0));
      probe first, second;
      f.now = at(c.first_sent);
      f.send(first, "a");
      f.write_all();
      f.now = at(c.first_answered);
      f.receive(echoed("a"));
      f.now = at(c.sent);
      f.send(second, "b");
      f.write_all();
      f.now = at(c.answered);
      f.receive(echoed("b"));
      CHECK(f.mux.broken() == (bounded && c.broken));
      f.end();
      CHECK(second.text() == (bounded && c.broken ? "missed" : "'b'"));
    }
  }
}

TEST_CASE("replies match commands however the bytes are cut") {
  for (auto const& c : reply_streams()) {
    CAPTURE(c.name);
    auto const run = [&](std::size_t cut, bool singly) {
      mux_fixture f;
      std::vector<std::unique_ptr<probe>> probes;
      for (std::size_t i = 0; i <= c.replies.size(); ++i)
        f.send(*probes.emplace_back(std::make_unique<probe>()), "x");
      f.write_all();
      std::string_view const bytes = c.bytes;
      if (singly) {
        for (std::size_t i = 0; i < bytes.size(); ++i) f.receive(bytes.substr(i, 1));
      } else {
        f.receive(bytes.substr(0, cut));
        f.receive(bytes.substr(cut));
      }
      REQUIRE(f.order.size() == c.replies.size());
      for (std::size_t i = 0; i < c.replies.size(); ++i) {
        CHECK(f.order[i] == probes[i].get());
        CHECK(probes[i]->text() == c.replies[i]);
      }
      CHECK(f.mux.broken() == c.faulty);
      // The one without a reply: whatever happened to the stream, it may have been executed.
      f.end();
      CHECK(probes.back()->text() == "missed");
      for (auto const& p : probes) CHECK(p->resumed == 1);
    };
    for (std::size_t cut = 0; cut <= c.bytes.size(); ++cut) run(cut, false);
    run(0, true);
  }
}

TEST_CASE("the outcome of an abandoned command, by its state") {
  auto const requests = echo("a") + echo("b") + echo("c");
  auto const begin_of_b = echo("a").size();
  auto const replies = echoed("a") + echoed("b") + echoed("c");
  auto const end_of_b = (echoed("a") + echoed("b")).size();
  auto const finish = [&](mux_fixture& f, probe& a, probe& b, probe& c, std::size_t fed) {
    f.write_all();
    f.receive(replies.substr(fed));
    CHECK(a.text() == "'a'");
    CHECK(c.text() == "'c'");
    for (auto* p : {&a, &b, &c}) CHECK(p->resumed == 1);
    CHECK_FALSE(f.mux.broken());
    CHECK(f.mux.idle());
  };

  SUBCASE("staged or written in part: missed, its reply is dropped") {
    for (std::size_t written = 0; written <= requests.size(); ++written) {
      mux_fixture f;
      probe a, b(1), c;
      f.send(a, "a"), f.send(b, "b"), f.send(c, "c");
      f.mux.stage(f.now);
      f.write(written);
      f.expire(1);
      CHECK(b.text() == "missed");
      finish(f, a, b, c, 0);
      CHECK(f.wire == requests);
      CHECK(f.counters.missed == 1);
      CHECK(f.counters.replies == 3);
    }
  }
  SUBCASE("written, with any part of the replies read") {
    for (std::size_t fed = 0; fed <= replies.size(); ++fed) {
      mux_fixture f;
      probe a, b(1), c;
      f.send(a, "a"), f.send(b, "b"), f.send(c, "c");
      f.write_all();
      f.receive(replies.substr(0, fed));
      f.expire(1);
      CHECK(b.text() == (fed < end_of_b ? "missed" : "'b'"));
      finish(f, a, b, c, fed);
    }
  }
  SUBCASE("the connection dies at any byte of the request") {
    for (std::size_t written = 0; written <= requests.size(); ++written) {
      mux_fixture f;
      probe a, b, c;
      f.send(a, "a"), f.send(b, "b"), f.send(c, "c");
      f.write(written);
      f.end();
      CHECK(a.text() == (written > 0 ? "missed" : "unsent"));
      CHECK(b.text() == (written > begin_of_b ? "missed" : "unsent"));
      CHECK(c.text() == (written > 2 * begin_of_b ? "missed" : "unsent"));
      CHECK(f.counters.missed + f.counters.unsent == 3);
    }
  }
}

TEST_CASE("a waiting command that is abandoned is never sent") {
  struct {
    char const* name;
    std::vector<int> until;
    std::string wire;
  } const cases[] = {
      {"first", {1, 9, 9}, echo("bb") + echo("ccc")},
      {"middle", {9, 1, 9}, echo("a") + echo("ccc")},
      {"last", {9, 9, 1}, echo("a") + echo("bb")},
      {"two", {1, 9, 1}, echo("bb")},
      {"all", {1, 1, 1}, ""},
      {"none", {2, 2, 2}, echo("a") + echo("bb") + echo("ccc")},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    mux_fixture f;
    probe probes[] = {probe(c.until[0]), probe(c.until[1]), probe(c.until[2])};
    f.send(probes[0], "a"), f.send(probes[1], "bb"), f.send(probes[2], "ccc");
    f.expire(1);
    f.write_all();
    CHECK(f.wire == c.wire);
    for (int i = 0; i < 3; ++i) CHECK(probes[i].resumed == (c.until[static_cast<std::size_t>(i)] == 1 ? 1 : 0));
    for (auto* gone : f.order) CHECK(gone->text() == "unsent");
    f.end();
  }
}

TEST_CASE("a late reply of a command that nobody waits for is dropped") {
  mux_fixture f;
  probe late(1), next;
  f.send(late, "late");
  f.write_all();
  f.expire(1);
  f.send_unwanted("silent");
  f.send(next, "next");
  f.write_all();
  f.receive(echoed("late"));
  CHECK(next.resumed == 0);
  f.receive(echoed("silent"));
  CHECK(next.resumed == 0);
  f.receive(echoed("next"));
  CHECK(next.text() == "'next'");
  CHECK(late.text() == "missed");
  CHECK(f.counters.replies == 3);
}

TEST_CASE("a framing error breaks it, after the good replies") {
  struct {
    char const* name;
    std::size_t written;
    std::string bytes;
    std::string first;
    std::string fault;
  } const cases[] = {
      {"a reply before any byte was written", 0, "+OK\r\n", "unsent", "reply to no command"},
      {"a reply to half a command", echo("a").size() - 1, "+OK\r\n", "missed", "reply to no command"},
      {"an error says why", 0, "-ERR max number of clients reached\r\n", "unsent",
       "reply to no command: ERR max number of clients reached"},
      {"one reply too many", echo("a").size(), "+OK\r\n+more\r\n", "+OK", "reply to no command"},
      {"malformed after a good one", echo("a").size(), "+OK\r\n!\r\n", "+OK", "malformed reply: "},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    mux_fixture f;
    probe a, refused;
    f.send(a, "a");
    f.write(c.written);
    f.receive(c.bytes);
    CHECK(f.mux.broken());
    CHECK(f.mux.fault().find(c.fault) == 0);
    CHECK_FALSE(f.send(refused, "x"));
    CHECK(refused.text() == "unsent");
    f.end();
    CHECK(a.text() == c.first);
    CHECK(a.resumed == 1);
  }
}

TEST_CASE("the number of commands is bounded, abandoned ones count") {
  mux_fixture f(2);
  probe a(1), b(1), c;
  CHECK(f.send(a, "a"));
  f.write_all();
  CHECK(f.send(b, "b"));
  CHECK_FALSE(f.send(c, "c"));
  CHECK(c.text() == "unsent");
  f.expire(1);  // b was waiting and is gone, a still occupies its place
  CHECK(f.send(c, "c"));
  CHECK_FALSE(f.send_unwanted("d"));
  f.receive(echoed("a"));
  CHECK(f.send_unwanted("d"));
  f.end();
}

TEST_CASE("nothing is accepted and nothing is handed out after the end") {
  mux_fixture f;
  probe a, b;
  f.send(a, "a");
  f.write_all();
  f.end();
  CHECK_FALSE(f.send(b, "b"));
  f.receive(echoed("a"));
  f.end();
  CHECK(a.resumed == 1);
  CHECK_FALSE(f.mux.stage(f.now));
}

TEST_CASE("it knows the next deadline and since when Redis has been silent") {
  mux_fixture f;
  probe a(7), b(5), c(9);
  CHECK_FALSE(f.mux.earliest());
  CHECK_FALSE(f.mux.silent_since());
  f.send(a, "a"), f.send(b, "b");
  CHECK(f.mux.earliest() == at(5));
  CHECK_FALSE(f.mux.silent_since());  // it is waiting: nothing is owed
  f.mux.stage(f.now);
  CHECK_FALSE(f.mux.silent_since());
  f.now = at(1);
  f.write(1);
  CHECK(f.mux.silent_since() == at(1));
  f.now = at(2);
  f.write_all();
  CHECK(f.mux.silent_since() == at(1));  // a further write is not a sign of life
  f.now = at(3);
  f.receive("$");
  CHECK(f.mux.silent_since() == at(3));
  f.receive(echoed("a").substr(1));
  CHECK(f.mux.earliest() == at(5));
  f.expire(5);
  CHECK_FALSE(f.mux.earliest());
  CHECK(f.mux.silent_since() == at(3));  // the abandoned one is still owed
  f.receive(echoed("b"));
  CHECK_FALSE(f.mux.silent_since());
  f.now = at(8);
  f.send(c, "c");
  f.write_all();
  CHECK(f.mux.earliest() == at(9));
  CHECK(f.mux.silent_since() == at(8));
  f.end();
}
