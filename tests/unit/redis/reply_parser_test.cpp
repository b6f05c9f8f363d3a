#include "redis/resp.hpp"
#include "unit/redis/render.hpp"
#include "unit/redis/reply_streams.hpp"

#include <doctest/doctest.h>

using namespace svc::redis;

namespace {

struct parsed {
  std::vector<std::string> replies;
  bool faulty = false;
};

parsed parse(std::vector<std::string_view> const& pieces) {
  parsed result;
  reply_parser parser;
  for (auto piece : pieces) {
    parser.feed(piece);
    reply value;
    reply_parser::step step;
    while ((step = parser.next(value)) == reply_parser::step::complete) result.replies.push_back(render(value));
    result.faulty = step == reply_parser::step::broken;
    CHECK(parser.fault().empty() == !result.faulty);
  }
  return result;
}

}  // namespace

TEST_CASE("a conversation means the same however it is cut") {
  for (auto const& c : reply_streams()) {
    CAPTURE(c.name);
    auto const check = [&](std::vector<std::string_view> const& pieces) {
      auto const got = parse(pieces);
      CHECK(got.replies == c.replies);
      CHECK(got.faulty == c.faulty);
    };
    std::string_view const bytes = c.bytes;
    std::vector<std::string_view> single;
    for (std::size_t i = 0; i < bytes.size(); ++i) single.push_back(bytes.substr(i, 1));
    check({bytes});
    check(single);
    for (std::size_t cut = 0; cut <= bytes.size(); ++cut) check({bytes.substr(0, cut), bytes.substr(cut)});
  }
}

TEST_CASE("every proper prefix of a good reply is incomplete") {
  for (auto const& c : reply_streams()) {
    if (c.faulty || c.replies.size() != 1) continue;
    CAPTURE(c.name);
    for (std::size_t size = 0; size < c.bytes.size(); ++size) {
      auto const got = parse({std::string_view(c.bytes).substr(0, size)});
      CHECK(got.replies.empty());
      CHECK_FALSE(got.faulty);
    }
  }
}

TEST_CASE("a broken stream stays broken") {
  reply_parser parser;
  parser.feed("?\r\n");
  reply value;
  CHECK(parser.next(value) == reply_parser::step::broken);
  parser.feed("+OK\r\n");
  CHECK(parser.next(value) == reply_parser::step::broken);
}

TEST_CASE("the longest array that is accepted") {
  reply_parser parser;
  parser.feed("*1048576\r\n");
  reply value;
  CHECK(parser.next(value) == reply_parser::step::incomplete);
}

TEST_CASE("bytes that never become a reply are not kept for ever") {
  reply_parser parser;
  std::string const mebibyte(1U << 20, 'x');
  reply value;
  parser.feed("$536870912\r\n");
  for (int i = 0; i < 64; ++i) {
    CHECK(parser.next(value) == reply_parser::step::incomplete);
    parser.feed(mebibyte);
  }
  parser.feed("x");
  CHECK(parser.next(value) == reply_parser::step::broken);
}
