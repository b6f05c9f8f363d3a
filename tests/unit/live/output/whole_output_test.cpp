#include "svc/live/output/whole_output.hpp"

#include "svc/http/deflate.hpp"

#include <doctest/doctest.h>

namespace svc::output {
namespace {

std::string text_of(store::stored_output const& packed) {
  return http::inflated(packed.content, static_cast<std::size_t>(packed.size)).value();
}

std::vector<output_line> lines_of(std::vector<std::string> const& texts) {
  std::vector<output_line> out;
  for (auto const& text : texts)
    out.push_back({static_cast<std::int64_t>(out.size()) + 1,
                   out.size() % 2 == 0 ? output_stream::out : output_stream::err, text});
  return out;
}

TEST_CASE("a whole output is stored with its start, its lines, its marks and its end") {
  std::string const mark = "[the output limit of 2 lines or 8 bytes is reached; the rest is dropped]";
  output_limits const narrow{2, 8};
  struct {
    char const* name;
    std::vector<std::string> lines;
    output_limits limits;
    std::int64_t last_seq;
    std::string text;
    std::int64_t count;
    bool incomplete;
  } const cases[] = {
      {"nothing but counted", {}, {}, 2, "1-0 srunning\n1-3 cpassed\n", 0, true},
      {"two lines", {"a", "b c"}, {}, 2, "1-0 srunning\n1-1 oa\n1-2 eb c\n1-3 cpassed\n", 2, false},
      {"an empty line", {""}, {}, 1, "1-0 srunning\n1-1 o\n1-2 cpassed\n", 1, false},
      {"a line feed", {"a\nb"}, {}, 1, "1-0 srunning\n1-1 oa b\n1-2 cpassed\n", 1, false},
      {"fewer than counted", {"a"}, {}, 3, "1-0 srunning\n1-1 oa\n1-4 cpassed\n", 1, true},
      {"more than counted", {"a"}, {}, 0, "1-0 srunning\n1-1 oa\n1-2 cpassed\n", 1, false},
      {"as many bytes as kept",
       {"1234", "5678"},
       narrow,
       2,
       "1-0 srunning\n1-1 o1234\n1-2 e5678\n1-3 cpassed\n",
       2,
       false},
      {"a byte more",
       {"1234", "56789"},
       narrow,
       2,
       "1-0 srunning\n1-1 o1234\n1-2 e" + mark + "\n1-3 cpassed\n",
       2,
       false},
      {"a line more, and then some",
       {"1", "2", "3", "4"},
       narrow,
       4,
       "1-0 srunning\n1-1 o1\n1-2 e2\n1-3 e" + mark + "\n1-4 cpassed\n",
       3,
       false},
  };
  auto const run = uuid::generate_v7();
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto const packed = pack_whole(run, lines_of(c.lines), c.limits, "passed", c.last_seq);
    CHECK(packed.run == run);
    CHECK(text_of(packed) == c.text);
    CHECK(packed.size == static_cast<std::int64_t>(c.text.size()));
    CHECK(packed.lines == c.count);
    CHECK(packed.incomplete == c.incomplete);
  }
}

TEST_CASE("a run that printed nothing stores nothing, and its text follows from its status") {
  auto const run = uuid::generate_v7();
  auto const packed = pack_whole(run, {}, {}, "passed", 0);
  CHECK(packed.silent());
  CHECK(packed.run == run);
  CHECK(text_of_silent("passed") == "1-0 srunning\n1-1 cpassed\n");
  CHECK_FALSE(pack_whole(run, {}, {}, "passed", 1).silent());
}

TEST_CASE("a long line of a whole output is cut as elsewhere") {
  auto const packed =
      pack_whole(uuid::generate_v7(), lines_of({std::string(output_writer::longest_line + 1, 'x')}), {}, "failed", 1);
  auto const text = text_of(packed);
  CHECK(text.ends_with("xx [line cut]\n1-2 cfailed\n"));
  CHECK(text.size() == std::string("1-0 srunning\n1-1 o\n1-2 cfailed\n").size() + output_writer::longest_line);
}

}  // namespace
}  // namespace svc::output
