#include "cli/events/event_parser.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace svc::cli;

namespace {

/// `id|type|data` of each event.
using said = std::vector<std::string>;

said events_of(std::vector<std::string_view> const& pieces, bool* fits = nullptr) {
  said out;
  event_parser parser;
  for (auto const piece : pieces) {
    bool const fit = parser.feed(piece, [&](event&& e) { out.push_back(e.id + "|" + e.type + "|" + e.data); });
    if (fits != nullptr) *fits = fit;
    if (!fit) break;
  }
  return out;
}

struct parser_case {
  char const* name;
  std::string_view text;
  said events;
};

using namespace std::string_view_literals;

parser_case const parser_cases[] = {
    {"one event", "id: 1-1\nevent: console\ndata: {}\n\n", {"1-1|console|{}"}},
    {"a type of its own is not needed", "data: x\n\n", {"|message|x"}},
    {"one space is taken off a value",
     "data:a\n\ndata: b\n\ndata:  c\n\n",
     {"|message|a", "|message|b", "|message| c"}},
    {"several lines of data", "data: a\ndata:\ndata: b\n\n", {"|message|a\n\nb"}},
    {"empty data is an event", "data\n\n", {"|message|"}},
    {"no data is none, and its type is forgotten", "event: a\n\ndata: b\n\n", {"|message|b"}},
    {"an id without data counts for the next", "id: 7\n\ndata: b\n\n", {"7|message|b"}},
    {"an id stays until the next",
     "id: 7\ndata: a\n\ndata: b\n\nid\ndata: c\n\n",
     {"7|message|a", "7|message|b", "|message|c"}},
    {"an id with NUL is none", "id: 7\nid: 8\0\ndata: a\n\n"sv, {"7|message|a"}},
    {"comments", ": heartbeat\n\n:\ndata: a\n: b\n\n", {"|message|a"}},
    {"unknown fields", "date: a\ndata : b\ndata: c\n\n", {"|message|c"}},
    {"carriage returns", "data: a\rdata: b\r\r", {"|message|a\nb"}},
    {"carriage return and line feed", "data: a\r\ndata: b\r\n\r\n", {"|message|a\nb"}},
    {"mixed ends of lines", "data: a\n\rdata: b\r\n\n", {"|message|a", "|message|b"}},
    {"a byte order mark at the beginning",
     "\xEF\xBB\xBF"
     "data: a\n\n",
     {"|message|a"}},
    {"one elsewhere is part of a name",
     "\n\xEF\xBB\xBF"
     "data: a\n\n",
     {}},
    {"what does not end is not an event", "data: a\n\ndata: b\n", {"|message|a"}},
    {"bytes that are no text", "data: \xFF\0\x80\n\n"sv, {"|message|\xFF\0\x80"}},
    {"nothing", "", {}},
};

}  // namespace

TEST_CASE("server-sent events: the same wherever the bytes are cut") {
  for (auto const& c : parser_cases) {
    CAPTURE(c.name);
    auto expected = c.events;
    if (c.name == "bytes that are no text"sv) expected = {std::string("|message|\xFF\0\x80"sv)};
    CHECK(events_of({c.text}) == expected);
    for (std::size_t cut = 0; cut <= c.text.size(); ++cut) {
      CAPTURE(cut);
      CHECK(events_of({c.text.substr(0, cut), c.text.substr(cut)}) == expected);
    }
    std::vector<std::string_view> bytes;
    for (std::size_t i = 0; i < c.text.size(); ++i) bytes.push_back(c.text.substr(i, 1));
    CHECK(events_of(bytes) == expected);
  }
}

TEST_CASE("the time to reconnect is only digits") {
  struct {
    std::string_view text;
    std::optional<std::chrono::milliseconds> expected;
  } const cases[] = {{"retry: 1500\n", std::chrono::milliseconds(1500)},
                     {"retry:0\n", std::chrono::milliseconds(0)},
                     {"retry: 1\nretry: 2\n", std::chrono::milliseconds(2)},
                     {"retry: 1\nretry: x\n", std::chrono::milliseconds(1)},
                     {"retry: 1500", {}},
                     {"retry\n", {}},
                     {"retry: -1\n", {}},
                     {"retry: +1\n", {}},
                     {"retry: 1.5\n", {}},
                     {"retry:  1\n", {}},
                     {"retry: 99999999999999999999\n", {}}};
  for (auto const& c : cases) {
    CAPTURE(c.text);
    event_parser parser;
    CHECK(parser.feed(c.text, [](event&&) {}));
    CHECK(parser.retry() == c.expected);
  }
}

TEST_CASE("a line or an event that does not end does not fill the memory") {
  std::string const most(event_parser::longest - 6, 'x');
  struct {
    char const* name;
    std::string text;
    bool fits;
  } const cases[] = {{"the longest line", "data: " + most + "\n\n", true},
                     {"one byte more", "data: x" + most + "\n\n", false},
                     {"one byte more without an end", ": xxxxx" + most, false},
                     {"a long event", "data: " + most + "\ndata: xxxx\n\n", true},
                     {"a longer one", "data: " + most + "\ndata: xxxxxx\n\n", false}};
  for (auto const& c : cases) {
    CAPTURE(c.name);
    for (std::size_t const piece : {std::size_t{1'000}, c.text.size()}) {
      std::vector<std::string_view> pieces;
      for (std::size_t position = 0; position < c.text.size(); position += piece)
        pieces.push_back(std::string_view(c.text).substr(position, piece));
      bool fits = false;
      events_of(pieces, &fits);
      CHECK(fits == c.fits);
    }
  }
}
