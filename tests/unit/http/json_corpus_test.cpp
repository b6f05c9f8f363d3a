// JSONTestSuite, if available: y_ is accepted and read back equal, n_ is refused, i_ is decided in a table.
#include "border/corpora.hpp"
#include "json_reading.hpp"
#include "svc/http/json.hpp"

#include <doctest/doctest.h>
#include <boost/json/parse.hpp>

#include <map>
#include <string>

using namespace svc::http;

TEST_CASE("json: JSONTestSuite") {
  auto const directory = svc::test::corpora_directory("JSONTestSuite was");
  if (!directory) return;
  std::map<char, int> played;
  svc::test::for_each_json(*directory, [&](std::string const& name, std::string const& text) {
    INFO(name);
    ++played[name.front()];
    auto const got = parse_json(text);
    CHECK(got.has_value() == svc::test::takes_json(name));
    for (std::size_t const step : {1, 2, 5, 64}) CHECK(parse_cut(text, step, step).has_value() == got.has_value());
    if (got.has_value()) {
      CHECK(same(*parse_json(to_json(*got)), *got));
      if (name.front() == 'y') CHECK(same(*got, boost::json::parse(text)));
    } else {
      CHECK(got.error().code == svc::errc::malformed_json);
    }
  });
  CHECK(played['y'] > 90);
  CHECK(played['n'] > 180);
  CHECK(played['i'] == 35);
}
