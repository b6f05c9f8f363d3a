#include "live/output/event_queue.hpp"

#include <doctest/doctest.h>

namespace svc::output {
namespace {

/// Lines `first` to `last` of attempt 1, written directly after the event `after`.
batch_ptr lines(event_id after, std::int64_t first, std::int64_t last, std::string const& text = "x") {
  std::vector<run_event> events;
  for (auto i = first; i <= last; ++i) events.push_back({{1, i}, event_kind::out, text});
  return make_batch(after, events);
}

/// The ids of all events taken from the queue, with `gap` for a gap.
std::string taken(event_queue& queue) {
  std::string out;
  while (!queue.empty()) {
    auto const piece = queue.take();
    CHECK(piece.keep);
    std::string_view text = piece.bytes;
    for (auto end = text.find("\n\n"); end != text.npos; end = text.find("\n\n")) {
      auto const word = text.substr(0, end);
      auto const id = word.substr(4, word.find('\n') - 4);
      bool const gap = word.find("\nevent: gap\n") != word.npos;
      out.append(out.empty() ? "" : " ").append(gap ? "gap" : std::string(id));
      text.remove_prefix(end + 2);
    }
    CHECK(text.empty());
  }
  CHECK(queue.size() == 0);
  return out;
}

TEST_CASE("each event once and in order, whatever arrives again or out of turn") {
  using fit = event_queue::fit;
  struct {
    std::string name;
    batch_ptr batch;
    fit fit;
    std::string heard;
  } const cases[] = {
      {"what follows", lines({1, 4}, 5, 7), fit::taken, "1-5 1-6 1-7"},
      {"known", lines({1, 1}, 2, 4), fit::known, ""},
      {"known but for its end", lines({1, 1}, 2, 6), fit::taken, "1-5 1-6"},
      {"something between is missing here", lines({1, 6}, 7, 8), fit::behind, ""},
      {"something is missing everywhere", lines({1, 2}, 7, 8), fit::taken, "gap 1-7 1-8"},
      {"the next attempt", make_batch({1, 4}, {{{2, 0}, event_kind::status, "running"}}), fit::taken, "2-0"},
      {"the next attempt without its start", make_batch({1, 4}, {{{2, 3}, event_kind::out, "x"}}), fit::taken,
       "gap 2-3"},
      {"a hole inside", make_batch({1, 4}, {{{1, 5}, event_kind::out, "x"}, {{1, 9}, event_kind::out, "x"}}),
       fit::taken, "1-5 gap 1-9"},
      {"a hole behind what is known",
       make_batch({1, 3}, {{{1, 4}, event_kind::out, "x"}, {{1, 9}, event_kind::out, "x"}}), fit::taken, "gap 1-9"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    event_queue queue({1, 4});
    CHECK(queue.add(c.batch) == c.fit);
    CHECK(taken(queue) == c.heard);
    CHECK(queue.tail() == (c.fit == fit::taken ? c.batch->events.back().id : event_id{1, 4}));
    CHECK_FALSE(queue.complete());
  }
}

TEST_CASE("pieces are whole events of bounded size, and the position after a piece is known") {
  event_queue queue({1, 0});
  queue.add(lines({1, 0}, 1, 20, std::string(10'000, 'x')));
  CHECK(queue.size() > 200'000);
  CHECK(queue.taken() == event_id{1, 0});
  auto const piece = queue.take();
  CHECK(piece.bytes.size() <= 64UL * 1024);
  CHECK(piece.bytes.ends_with("\n\n"));
  CHECK(queue.taken() == event_id{1, 6});
  queue.clear();
  CHECK(queue.empty());
  CHECK(queue.size() == 0);
  // An event or a gap that the stream made itself counts as well, before others that still wait.
  event_queue mixed({0, 5});
  mixed.add({{1, 0}, event_kind::status, "running"});
  CHECK(mixed.add(lines({1, 0}, 4, 4, "x")) == event_queue::fit::taken);
  CHECK(mixed.taken() == event_id{0, 5});
  mixed.take();
  CHECK(mixed.taken() == event_id{1, 0});
  mixed.take();
  CHECK(mixed.taken() == event_id{1, 3});
  event_queue longer({1, 0});
  longer.add(lines({1, 0}, 1, 2, std::string(100'000, 'x')));
  CHECK(taken(longer) == "1-1 1-2");
}

TEST_CASE("the end is known as soon as it is queued") {
  event_queue queue({1, 4});
  queue.add(make_batch({1, 4}, {{{1, 5}, event_kind::complete, "passed"}}));
  CHECK(queue.complete());
  event_queue made({1, 4});
  made.add_gap({1, 9});
  made.add({{1, 9}, event_kind::complete, "passed"});
  CHECK(made.complete());
  CHECK(taken(made) == "gap 1-9");
}

TEST_CASE("events as text: one line of data whatever the text holds") {
  struct {
    run_event event;
    std::string text;
  } const cases[] = {
      {{{1, 0}, event_kind::status, "running"}, "id: 1-0\nevent: status\ndata: {\"status\":\"running\"}\n\n"},
      {{{1, 1}, event_kind::out, "a \"b\""},
       "id: 1-1\nevent: console\ndata: {\"line\":\"a \\\"b\\\"\",\"stream\":\"stdout\"}\n\n"},
      {{{1, 2}, event_kind::err, "a\n\ndata: x\r"},
       "id: 1-2\nevent: console\ndata: {\"line\":\"a\\n\\ndata: x\\r\",\"stream\":\"stderr\"}\n\n"},
      {{{1, 3}, event_kind::complete, "passed"}, "id: 1-3\nevent: complete\ndata: {\"status\":\"passed\"}\n\n"},
  };
  for (auto const& c : cases) CHECK(make_batch({0, 0}, {c.event})->text == c.text);
  event_queue queue({1, 4});
  queue.add_gap({1, 9});
  CHECK(queue.take().bytes == "id: 1-8\nevent: gap\ndata: {\"after\":\"1-4\",\"before\":\"1-9\"}\n\n");
  std::string text = ": first\n\n";
  append_dropped(text, {1, 9});
  CHECK(text == ": first\n\nid: 1-9\nevent: dropped\ndata: {\"reason\":\"slow_reader\"}\n\n");
}

}  // namespace
}  // namespace svc::output
