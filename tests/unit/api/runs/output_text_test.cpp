#include "api/runs/output_text.hpp"

#include <doctest/doctest.h>

TEST_CASE("stored output as text and as lines of JSON") {
  struct {
    std::string name, stored, text, json;
  } const cases[] = {
      {"nothing", "", "", ""},
      {"both streams", "1-0 srunning\n1-1 oa\n1-2 e\"b\"\n1-3 cpassed\n", "a\n\"b\"\n",
       "{\"id\":\"1-1\",\"line\":\"a\",\"stream\":\"stdout\"}\n"
       "{\"id\":\"1-2\",\"line\":\"\\\"b\\\"\",\"stream\":\"stderr\"}\n"},
      {"a gap", "1-0 srunning\n1-3 oc\n1-4 cpassed\n", "[output is missing here]\nc\n",
       "{\"gap\":{\"after\":\"1-0\",\"before\":\"1-3\"}}\n{\"id\":\"1-3\",\"line\":\"c\",\"stream\":\"stdout\"}\n"},
      {"no UTF-8", "1-0 srunning\n1-1 o\xff\xc3\xa4\n", "\xef\xbf\xbd\xc3\xa4\n",
       "{\"id\":\"1-1\",\"line\":\"\xef\xbf\xbd\xc3\xa4\",\"stream\":\"stdout\"}\n"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK(svc::api::output_text(c.stored) == c.text);
    CHECK(svc::api::output_ndjson(c.stored) == c.json);
  }
}
