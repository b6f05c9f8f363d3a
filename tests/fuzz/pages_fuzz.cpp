// Any target, cookie and encoding of a request for a page: the answer has a known status, only the index page is
// HTML, and its theme is one of three.
#include "check.hpp"
#include "support/sample_pages.hpp"
#include "svc/http/site/pages.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

using namespace svc;

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  static metrics counters;
  static auto const bundle = site::make_bundle(support::sample_pages()).bundle;
  static site::pages pages(true, [] { return bundle; }, counters);
  auto const text = text_of(data, size);
  auto const first = std::min(text.find('\n'), text.size());
  auto const rest = text.substr(std::min(first + 1, text.size()));
  auto const second = std::min(rest.find('\n'), rest.size());

  http::request head{.method = "GET", .target = text.substr(0, first)};
  head.fields = {{"Host", "svc.example"},
                 {"Accept", "text/html"},
                 {"Cookie", rest.substr(0, second)},
                 {"Accept-Encoding", rest.substr(std::min(second + 1, rest.size()))}};
  auto const page = site::find_page(head.target, "svc.example");
  auto const got = pages.answer(head, "r", false);
  check(got.has_value() == (page.kind != site::page_kind::none), "each page has an answer, and nothing else has one");
  if (!got) return 0;
  constexpr std::array<unsigned, 3> statuses{200, 302, 404};
  check(std::ranges::find(statuses, got->status) != statuses.end(), "a known status");
  check((got->content_type.starts_with("text/html")) == (page.kind == site::page_kind::index),
        "only the index is HTML");
  if (page.kind != site::page_kind::index) return 0;
  check(got->body.size() <= site::largest_index, "a small index page");
  auto const theme = got->body.substr(got->body.find("data-theme=") + 11, 8);
  check(theme == "\"system\"" || theme.starts_with("\"light\"") || theme.starts_with("\"dark\""), "a known theme");
  return 0;
}
