// Texts of tenants in every field of every format: no text changes the structure of a document.
#include "svc/core/harmless_text.hpp"
#include "unit/domain/pages/markup_reader.hpp"
#include "unit/domain/pages/sample_page.hpp"

#include <doctest/doctest.h>
#include <boost/json.hpp>

using namespace svc;
using namespace svc::pages;
using namespace svc::test;

namespace {

constexpr std::string_view corpus[] = {
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "</style><img src=x onerror=alert(1)>",
    "\"><svg onload=alert(1)>",
    "' onmouseover='alert(1)",
    "\" onfocus=\"alert(1)\" autofocus=\"",
    "]]><x/><![CDATA[",
    "<!-- --><!--",
    "<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY b SYSTEM \"file:///etc/passwd\">]>&b;",
    "&lt;script&gt;&#60;script&#62;&#x3c;",
    "javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "{{7*7}}${7*7}<%= 7 %>{0}{1}{99}",
    "a\r\nBcc: b@c.example\r\n\r\n<html>",
    "a\nEND:VEVENT\nEND:VCALENDAR\nBEGIN:VCALENDAR",
    "a\\n;b,c:\"d\"\\",
    "\u202Egpj.exe\u2066\u2069\u200F",
    "\u2028alert(1)\u2029",
    "\x01\x02\x1B[31m\x7F",
    "\xFF\xFE\x80 broken \xC0\xAF",
    "\uFFFE\uFFFF",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    "<iframe srcdoc=\"<script>alert(1)</script>\"></iframe><base href=//evil.example>",
    "\"}],\"x\":[{\"",
    "+ADw-script+AD4-alert(1)+ADw-/script+AD4-",
};

markup_document read_document(std::string const& text) {
  auto out = markup_reader::read(text);
  CAPTURE(text.substr(0, 200));
  CHECK(out.problem == "");
  return out;
}

bool is_safe_address(std::string_view address) {
  return address.starts_with("https://") || address.starts_with("#");
}

void check_attributes(markup_document const& document) {
  for (auto const& tag : document.tags)
    for (auto const& [name, value] : tag.attributes) {
      CAPTURE(tag.name);
      CAPTURE(name);
      CHECK_FALSE(name.starts_with("on"));
      CHECK(name != "style");
      if (name == "href" || name == "src" || name == "action") CHECK(is_safe_address(value));
    }
}

/// The properties of a calendar, one for each content line; checks folding and line ends.
std::string properties_of(std::string const& text) {
  std::string unfolded, names;
  for (std::size_t begin = 0; begin < text.size();) {
    auto const end = text.find("\r\n", begin);
    REQUIRE(end != std::string::npos);
    auto const line = text.substr(begin, end - begin);
    CHECK(line.size() <= 75);
    CHECK(line.find_first_of("\r\n") == std::string::npos);
    begin = end + 2;
    if (line.starts_with(' '))
      unfolded += line.substr(1);
    else
      unfolded.append("\n").append(line);
  }
  for (std::size_t begin = 1; begin < unfolded.size();) {
    auto const end = std::min(unfolded.find('\n', begin), unfolded.size());
    auto const line = unfolded.substr(begin, end - begin);
    names.append(line.substr(0, line.find(':'))).append("\n");
    begin = end + 1;
  }
  return names;
}

}  // namespace

TEST_CASE("no text changes the structure of a page") {
  auto const plain = with_text(rich_snapshot(), "plain");
  auto const address = sample_address();
  std::vector<std::string> shapes;
  for (auto const& html : all_html({plain, address, sample_now})) shapes.push_back(read_document(html).shape());
  for (auto const text : corpus) {
    CAPTURE(text);
    auto const hostile = with_text(rich_snapshot(), text);
    auto const pages = all_html({hostile, address, sample_now});
    REQUIRE(pages.size() == shapes.size());
    for (std::size_t i = 0; i < pages.size(); ++i) {
      auto const document = read_document(pages[i]);
      check_attributes(document);
      // Several lines of a body are several lines on the page.
      if (text.find('\n') == text.npos) CHECK(document.shape() == shapes[i]);
      CHECK(document.text.find("\u202E") == std::string::npos);
    }
  }
}

TEST_CASE("no text changes the structure of a feed, a badge or a summary") {
  auto const address = sample_address();
  auto const plain = with_text(rich_snapshot(), "plain");
  page_view const before{plain, address, sample_now};
  auto const rss = read_document(rss_feed(before)).shape(), badge = read_document(badge_svg(before)).shape();
  auto const lines = properties_of(calendar(before));
  for (auto const text : corpus) {
    CAPTURE(text);
    auto const hostile = with_text(rich_snapshot(), text);
    page_view const view{hostile, address, sample_now};
    CHECK(read_document(rss_feed(view)).shape() == rss);
    CHECK(read_document(badge_svg(view)).shape() == badge);
    CHECK(properties_of(calendar(view)) == lines);
    auto const summary = boost::json::parse(summary_json(view)).as_object();
    CHECK(summary.at("page").at("name").as_string() == one_line(text));
    CHECK(summary.at("components").as_array().size() == hostile.components.size());
    auto const feed = boost::json::parse(json_feed(view)).as_object();
    CHECK(feed.at("title").as_string() == one_line(text));
    CHECK(feed.at("items").as_array().size() == 5);
  }
}

TEST_CASE("descriptions of a feed are the HTML of bodies, and that is as strict") {
  auto const address = sample_address();
  for (auto const text : corpus) {
    CAPTURE(text);
    auto const hostile = with_text(rich_snapshot(), text);
    auto const rss = rss_feed({hostile, address, sample_now});
    for (auto place = rss.find("<description>"); place != std::string::npos;
         place = rss.find("<description>", place + 1)) {
      auto const end = rss.find("</description>", place);
      auto const escaped = rss.substr(place, end - place + 14);
      auto const html = read_document(escaped).text;
      if (!html.starts_with("<p>")) continue;
      auto const document = read_document("<html>" + html + "</html>");
      check_attributes(document);
      for (auto const& tag : document.tags)
        CHECK(std::string_view("html p br a").find(tag.name) != std::string_view::npos);
    }
  }
}

TEST_CASE("no text adds a line to a subject, or anything but the name to a confirmation") {
  auto const address = sample_address();
  for (auto const text : corpus) {
    CAPTURE(text);
    auto const hostile = with_text(rich_snapshot(), text);
    page_view const view{hostile, address, sample_now};
    auto const confirmation = confirmation_mail(view, "TOKEN");
    CHECK(confirmation.subject.find_first_of("\r\n") == std::string::npos);
    CHECK(confirmation.text.find('\r') == std::string::npos);
    auto const mail = post_mail(view, hostile.incidents.front().posts.front().id, "TOKEN");
    REQUIRE(mail);
    CHECK(mail->subject.find_first_of("\r\n") == std::string::npos);
    CHECK(mail->text.find('\r') == std::string::npos);
    CHECK(mail->text.find("\u202E") == std::string::npos);
  }
  auto snapshot = rich_snapshot();
  snapshot.page.name = "Win at https://evil.example/x?y or www.evil.example\nnow " + std::string(100, 'z');
  auto const mail = confirmation_mail({snapshot, address, sample_now}, "TOKEN");
  CHECK(mail.text.find("evil.example") == std::string::npos);
  CHECK(mail.text.find("https://evil") == std::string::npos);
  CHECK(mail.text.find(std::string(81, 'z')) == std::string::npos);
  CHECK(mail.text.find("https://status.example/status/acme/subscriptions/TOKEN") != std::string::npos);
}
