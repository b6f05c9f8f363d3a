// The mails of status pages, whatever tenants write.
#include "monitoring/notifications/page_mail_text.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace svc;
using namespace svc::notifications;

namespace {

page_mail_settings const page_settings_here{.sender = "Service <svc@svc.example>",
                                            .public_url = "https://svc.example"};
timestamp const page_mail_time{1'795'000'000'000'000};
std::string const page_token(32, 'T');

uuid page_id(std::uint8_t n) {
  return {{1, n}};
}

store::mailed_page page_named(std::string title) {
  store::mailed_page out{.project = page_id(1)};
  out.snapshot.page.id = page_id(2);
  out.snapshot.page.name = std::move(title);
  out.snapshot.page.slug = "acme";
  return out;
}

store::claimed_confirmation confirmation_named(std::string title) {
  return {.id = page_id(3),
          .page = page_named(std::move(title)),
          .recipient = "ann@mail.test",
          .token = secret_string(page_token)};
}

store::claimed_post post_named(std::string title, std::string incident, std::string body) {
  store::claimed_post out{.job = page_id(4), .post = page_id(5), .page = page_named(std::move(title))};
  auto& added = out.page.snapshot.incidents.emplace_back();
  added.id = page_id(6);
  added.name = std::move(incident);
  auto& post = added.posts.emplace_back();
  post.id = page_id(5);
  post.body = std::move(body);
  out.recipients.push_back(
      {.subscriber = page_id(7), .address = "ann@mail.test", .token = secret_string(page_token)});
  return out;
}

std::string head_of_page_mail(std::string const& content) {
  return content.substr(0, content.find("\r\n\r\n"));
}

/// The text part with its escapes.
std::string text_of_page_mail(std::string const& content) {
  std::string out;
  for (auto i = content.find("\r\n\r\n"); i < content.size(); ++i) {
    if (content.compare(i, 3, "=\r\n") == 0)
      i += 2;
    else
      out += content[i];
  }
  return out;
}

/// The names of the fields of a head, in lower case as written.
std::vector<std::string> fields_of_page_mail(std::string const& content) {
  std::vector<std::string> out;
  auto rest = head_of_page_mail(content) + "\r\n";
  for (auto end = rest.find("\r\n"); end != std::string::npos; end = rest.find("\r\n")) {
    if (rest.front() != ' ') out.push_back(rest.substr(0, rest.find(':')));
    rest.erase(0, end + 2);
  }
  std::ranges::sort(out);
  return out;
}

std::string const hostile_titles[] = {
    "Acme\r\nBcc: x@evil.test\r\n\r\nBuy at https://evil.test/",
    "https://evil.test/login Your account",
    "evil.test",
    "www.evil.test/a?b=c",
    "mailto:x@evil.test",
    "Acme\u2028Bcc: x@evil.test",
    "\u202Etset.live",
    std::string(300, 'A'),
    "=?UTF-8?Q?evil=2Etest?=",
};

}  // namespace

TEST_CASE("a confirmation has the page's name without links and the host, and nothing else of the tenant") {
  for (auto const& title : hostile_titles) {
    CAPTURE(title);
    auto mail = confirmation_named(title);
    mail.page.snapshot.page.headline = mail.page.snapshot.page.description = "secret-headline";
    auto const content = make_confirmation(mail, page_settings_here, page_mail_time);
    CHECK(fields_of_page_mail(content) ==
          std::vector<std::string>{"Auto-Submitted", "Content-Transfer-Encoding", "Content-Type", "Date", "From",
                                   "MIME-Version", "Message-ID", "Subject", "To", "X-Auto-Response-Suppress"});
    auto const text = text_of_page_mail(content);
    CHECK(text.find("https://svc.example/status/acme/subscriptions/" + page_token) != std::string::npos);
    CHECK(text.find("svc.example") != std::string::npos);
    CHECK(text.find("evil.test") == std::string::npos);
    CHECK(text.find("secret-headline") == std::string::npos);
    CHECK(content.find("evil.test") == std::string::npos);
    CHECK(text.find(std::string(81, 'A')) == std::string::npos);
    // The only links lead to the service.
    for (auto position = text.find("://"); position != std::string::npos; position = text.find("://", position + 1))
      CHECK(text.substr(position, 14) == "://svc.example");
  }
}

TEST_CASE("texts of tenants add no field to the mail of a post, and no line to its head") {
  std::string const hostile = "Fails\r\nBcc: x@evil.test\r\n\r\n<script>\r\n.\r\nQUIT\r\n";
  for (auto const& title : hostile_titles) {
    CAPTURE(title);
    auto const batch = post_named(title, hostile, hostile);
    auto const content = make_post_mail(batch, batch.recipients[0], page_settings_here, page_mail_time);
    REQUIRE(content.has_value());
    CHECK(fields_of_page_mail(*content) ==
          std::vector<std::string>{"Auto-Submitted", "Content-Transfer-Encoding", "Content-Type", "Date", "From",
                                   "List-Id", "List-Unsubscribe", "List-Unsubscribe-Post", "MIME-Version",
                                   "Message-ID", "References", "Subject", "To", "X-Auto-Response-Suppress"});
    // No line ends the mail, and none is too long (RFC 5321).
    CHECK(content->find("\r\n.\r\n") == std::string::npos);
    for (std::size_t start = 0, end = 0; end != std::string::npos; start = end + 2) {
      end = content->find("\r\n", start);
      CHECK(std::min(end, content->size()) - start <= 998);
    }
    CHECK(std::ranges::all_of(*content, [](char c) { return static_cast<unsigned char>(c) < 0x80; }));
  }
}

TEST_CASE("a post's mail has the same id for the same recipient, and one click ends the subscription") {
  auto const batch = post_named("Acme", "Checkout fails", "We look at it.");
  auto const first = make_post_mail(batch, batch.recipients[0], page_settings_here, page_mail_time);
  auto other = batch.recipients[0];
  other.subscriber = page_id(8);
  auto const two = make_post_mail(batch, other, page_settings_here, page_mail_time);
  REQUIRE(first.has_value());
  REQUIRE(two.has_value());
  auto const id = [](uuid const& subscriber) {
    return "\r\nMessage-ID: <" + page_id(5).to_string() + "." + subscriber.to_string() + "@svc.example>\r\n";
  };
  CHECK(first->find(id(page_id(7))) != std::string::npos);
  CHECK(two->find(id(page_id(8))) != std::string::npos);
  CHECK(first->find("\r\nList-Id: Acme\r\n <" + page_id(2).to_string() + ".status-pages.svc.example>\r\n") !=
        std::string::npos);
  CHECK(first->find("\r\nList-Unsubscribe: <https://svc.example/status/acme/subscriptions/" + page_token + ">\r\n") !=
        std::string::npos);
  CHECK(first->find("\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n") != std::string::npos);
  auto unknown = post_named("Acme", "Checkout fails", "Text.");
  unknown.post = page_id(9);
  CHECK_FALSE(make_post_mail(unknown, unknown.recipients[0], page_settings_here, page_mail_time).has_value());
}

TEST_CASE("a page on its own domain has its links there") {
  auto mail = confirmation_named("Acme");
  mail.page.domain = "status.acme.test";
  auto const text = text_of_page_mail(make_confirmation(mail, page_settings_here, page_mail_time));
  CHECK(text.find("https://status.acme.test/subscriptions/" + page_token) != std::string::npos);
}
