#include "api/output_body.hpp"

#include <doctest/doctest.h>

namespace svc::api {
namespace {

std::shared_ptr<std::string const> stored_lines(int count, std::size_t size) {
  std::string out;
  append_stored(out, {{1, 0}, event_kind::status, "running"});
  for (int i = 1; i <= count; ++i)
    append_stored(out, {{1, i}, i % 2 == 0 ? event_kind::out : event_kind::err, std::string(size, 'x')});
  append_stored(out, {{1, count + 1}, event_kind::complete, "passed"});
  return std::make_shared<std::string const>(std::move(out));
}

TEST_CASE("a large output is the same in pieces as at once, and no piece is large") {
  struct {
    char const* name;
    int lines;
    std::size_t size;
  } const cases[] = {
      {"no line", 0, 0}, {"one line", 1, 10}, {"many short lines", 20'000, 3}, {"long lines", 300, 16'000}};
  for (auto const& c : cases) {
    for (auto const form : {output_form::text, output_form::ndjson}) {
      CAPTURE(c.name);
      auto const stored = stored_lines(c.lines, c.size);
      output_body body(stored, form);
      CHECK(body.finite());
      std::string all;
      for (bool last = false; !last;) {
        auto const piece = body.next();
        last = piece.last;
        // An empty piece would make the session wait for more.
        CHECK((last || !piece.bytes.empty()));
        CHECK(piece.bytes.size() <= 8 * output_body::piece_size);
        all += piece.bytes;
      }
      CHECK(all == output_as(*stored, form));
    }
  }
}

}  // namespace
}  // namespace svc::api
