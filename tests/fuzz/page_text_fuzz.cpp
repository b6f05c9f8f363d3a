// Any bytes are the texts of a page: each escape gives text without marks, controls and bytes that are not UTF-8.
#include "check.hpp"
#include "domain/pages/markup.hpp"
#include "svc/core/harmless_text.hpp"
#include "svc/core/utf8.hpp"
#include "svc/domain/pages/formats.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

using namespace svc;
using namespace svc::pages;

namespace {

bool is_control_byte(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7F;
}

void check_line(std::string_view line) {
  check(is_utf8(line), "an escaped line is UTF-8");
  check(line.find_first_of("<>\"'") == line.npos, "an escaped line has no marks");
  check(std::ranges::none_of(line, is_control_byte), "an escaped line has no controls");
}

/// Checks that paragraphs have only the tags that they may have.
void check_paragraphs(std::string_view html) {
  check(is_utf8(html), "paragraphs are UTF-8");
  for (auto place = html.find('<'); place != html.npos; place = html.find('<', place + 1)) {
    auto const tag = html.substr(place);
    check(tag.starts_with("<p>") || tag.starts_with("</p>") || tag.starts_with("<br>") || tag.starts_with("</a>") ||
              tag.starts_with("<a href=\"http://") || tag.starts_with("<a href=\"https://"),
          "no tag of the text");
  }
}

void check_calendar(std::string_view text) {
  while (!text.empty()) {
    auto const end = text.find("\r\n");
    check(end != text.npos && end <= 75, "lines are folded");
    check(std::ranges::none_of(text.substr(0, end), is_control_byte), "lines have no controls");
    check(is_utf8(text.substr(0, end)), "no character is cut");
    text.remove_prefix(end + 2);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string const text(text_of(data, size));
  check_line(escaped_line(text));
  check_paragraphs(paragraphs(text));
  check_line(escaped_markup(one_line(paragraphs(text))));
  check(plain_body(plain_body(text)) == plain_body(text), "plain text stays as it is");
  auto const harmless = without_links(text, 80);
  check(harmless.size() <= 80 && harmless.find_first_of("/:@<>\r\n") == harmless.npos, "a name has no link");
  page_snapshot snapshot;
  snapshot.page.name = text;
  snapshot.maintenance.push_back({.name = text});
  snapshot.maintenance.front().posts.push_back({.body = text});
  auto const address = page_address::on_domain("https://a.example");
  page_view const view{snapshot, address, snapshot.as_of};
  check_calendar(calendar(view));
  auto const mail = confirmation_mail(view, "token");
  check(std::ranges::none_of(mail.subject, is_control_byte), "a subject is one line");
  return 0;
}
