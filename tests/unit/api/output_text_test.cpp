#include "api/output_text.hpp"

#include <doctest/doctest.h>

using svc::api::output_as;
using svc::api::output_form;

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
    CHECK(output_as(c.stored, output_form::text) == c.text);
    CHECK(output_as(c.stored, output_form::ndjson) == c.json);
  }
}

TEST_CASE("terminal controls: made visible in text, unchanged in JSON") {
  struct {
    std::string name, printed, text, json;
  } const cases[] = {
      {"colour", "\x1b[31mred\x1b[0m", "␛[31mred␛[0m", "\\u001b[31mred\\u001b[0m"},
      {"title and link (OSC)", "\x1b]0;t\x07\x1b]8;;http://x\x1b\\", "␛]0;t␇␛]8;;http://x␛\\",
       "\\u001b]0;t\\u0007\\u001b]8;;http://x\\u001b\\\\"},
      {"device control (DCS), alone at the end", "\x1bP1$r\x1b", "␛P1$r␛", "\\u001bP1$r\\u001b"},
      {"C1: CSI in UTF-8",
       "\xc2\x9b"
       "31mx",
       "�31mx",
       "\xc2\x9b"
       "31mx"},
      {"C1: first, last and the one after", "\xc2\x80\xc2\x9f\xc2\xa0", "��\xc2\xa0", "\xc2\x80\xc2\x9f\xc2\xa0"},
      {"C1 as a byte alone is no UTF-8",
       "\x9b"
       "31mx",
       "�31mx", "�31mx"},
      {"overwriting: return and backspace", "good\rbad\b", "good␍bad␈", "good\\rbad\\u0008"},
      {"a return at the end of the line", "dos\r", "dos", "dos\\r"},
      {"two returns at the end", "dos\r\r", "dos␍", "dos\\r\\r"},
      {"tab stays", "a\tb", "a\tb", "a\\tb"},
      {"NUL, DEL, and those beside", std::string("\0\x01\x1f \x7e\x7f", 6), "␀␁␟ ~␡",
       "\\u0000\\u0001\\u001f ~\\u007f"},
      {"letters of others stay", "\xc3\xa4 \xe2\x90\x9b \xf0\x9f\x98\x80", "\xc3\xa4 \xe2\x90\x9b \xf0\x9f\x98\x80",
       "\xc3\xa4 \xe2\x90\x9b \xf0\x9f\x98\x80"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    std::string stored = "1-0 srunning\n";
    svc::append_stored(stored, {{1, 1}, svc::event_kind::out, c.printed});
    CHECK(output_as(stored, output_form::text) == c.text + "\n");
    CHECK(output_as(stored, output_form::ndjson) ==
          "{\"id\":\"1-1\",\"line\":\"" + c.json + "\",\"stream\":\"stdout\"}\n");
  }
}

TEST_CASE("output in small steps equals output in one") {
  std::string stored = "1-0 srunning\n";
  for (std::int64_t i = 1; i < 50; ++i)
    svc::append_stored(stored, {{1, i + (i > 20 ? 2 : 0)}, svc::event_kind::err, std::string(i, '\x1b')});
  for (auto const form : {output_form::text, output_form::ndjson}) {
    for (std::size_t const most : {1UL, 7UL, 100UL, 100'000UL}) {
      svc::api::output_printer printer(stored, form);
      std::string out;
      while (printer.step(out, most)) {
      }
      CHECK(out == output_as(stored, form));
    }
  }
}
