#include "svc/domain/page.hpp"

#include "svc/core/bytes.hpp"

#include <doctest/doctest.h>

using namespace svc;

namespace {

uuid const id = uuid::parse("01934f2e-7c1a-7d3e-9b1f-5a2c8e4d6f70").value();

std::string encoded(std::string const& plain) {
  return to_base64url(as_bytes(plain));
}

}  // namespace

TEST_CASE("a cursor keeps its key, to the microsecond and with any text") {
  struct {
    std::string order;
    page_key key;
  } const cases[] = {{"", {.time = timestamp{1'763'669'000'123'456}, .id = id}},
                     {"-createdAt", {.time = timestamp{0}, .id = id}},
                     {"name", {.text = "a|b\t\"\xc3\xa9", .id = id}},
                     {"-name", {.text = std::string(255, 'x'), .id = id}}};
  for (auto const& c : cases) {
    CAPTURE(c.order);
    auto const written = write_cursor(c.order, c.key);
    CHECK(read_cursor(c.order, written) == c.key);
    CHECK_FALSE(read_cursor(c.order + "x", written));
    CHECK(written.size() <= 2048);
  }
}

TEST_CASE("an invalid cursor is refused") {
  auto const text = id.to_string();
  for (std::string const& wrong :
       {std::string(), std::string("x"), std::string("%"), encoded(""), encoded(text), encoded(text + "|"),
        encoded(text + "|t"), encoded(text + "|t-1"), encoded(text + "|t1x"), encoded(text + "|t999999999999999999"),
        encoded(text + "|n"), encoded(text + "|x1"), encoded(text + "|n\xff"),
        encoded(text + "|n" + std::string(1, '\0')), encoded("z" + text.substr(1) + "|t1")}) {
    CAPTURE(wrong);
    CHECK_FALSE(read_cursor("", wrong));
  }
}

TEST_CASE("page numbers reach only the first rows, keys reach all") {
  CHECK(page_request{500, 20}.offset() == 9980);
  CHECK_FALSE(page_request{500, 20}.too_deep());
  CHECK(page_request{501, 20}.too_deep());
  CHECK(page_request{1'000'000, 100}.offset() == max_numbered_rows);
  page_request const deep{501, 20, page_key{.time = timestamp{1}, .id = id}};
  CHECK_FALSE(deep.too_deep());
  CHECK(deep.offset() == 0);
}
