#include "monitoring/notifications/page_mail_text.hpp"

#include "monitoring/notifications/mime.hpp"
#include "monitoring/notifications/text.hpp"
#include "svc/domain/pages/formats.hpp"

#include <utility>

namespace svc::notifications {
namespace {

/// Bytes of the page's name in `List-Id`.
constexpr std::size_t longest_list_name = 80;

mailbox sender_of(page_mail_settings const& settings) {
  auto source = parse_mailbox(settings.sender);
  return source ? std::move(*source) : mailbox{};
}

pages::page_address address_of(store::mailed_page const& page, page_mail_settings const& settings) {
  if (!page.domain.empty()) return pages::page_address::on_domain("https://" + page.domain);
  return pages::page_address::on_service(settings.public_url, page.snapshot.page.slug);
}

std::string text_of(std::string const& text) {
  return "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n" +
         quoted_printable(text);
}

/// The thread of an incident or of one maintenance.
uuid thread_of_post(pages::page_snapshot const& snapshot) {
  return snapshot.incidents.empty() ? snapshot.maintenance.front().id : snapshot.incidents.front().id;
}

/// RFC 2919 and RFC 8058. The operator's server signs these fields with DKIM.
std::string list_fields(pages::page_facts const& page, std::string const& link, std::string const& domain) {
  auto const name = without_links(page.name, longest_list_name);
  return "List-Id: " + (name.empty() ? "" : encoded_words(name) + "\r\n ") + "<" + page.id.to_string() +
         ".status-pages." + domain + ">\r\nList-Unsubscribe: <" + link +
         ">\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n";
}

}  // namespace

std::string make_confirmation(store::claimed_confirmation const& mail, page_mail_settings const& settings,
                              timestamp now) {
  auto const address = address_of(mail.page, settings);
  auto const words = pages::confirmation_mail({mail.page.snapshot, address, now}, mail.token.reveal());
  return write_head({.source = sender_of(settings),
                     .recipient = mail.recipient,
                     .subject = words.subject,
                     .id = "confirmation." + mail.id.to_string(),
                     .now = now}) +
         text_of(words.text);
}

std::optional<std::string> make_post_mail(store::claimed_post const& batch, store::post_recipient const& recipient,
                                          page_mail_settings const& settings, timestamp now) {
  auto const address = address_of(batch.page, settings);
  auto const token = recipient.token.reveal();
  auto const words = pages::post_mail({batch.page.snapshot, address, now}, batch.post, token);
  if (!words) return std::nullopt;
  auto const source = sender_of(settings);
  auto const domain = domain_of(source.address);
  auto head = write_head({.source = source,
                          .recipient = recipient.address,
                          .subject = words->subject,
                          .id = batch.post.to_string() + "." + recipient.subscriber.to_string(),
                          .now = now});
  head += "References: <thread." + thread_of_post(batch.page.snapshot).to_string() + "." +
          recipient.subscriber.to_string() + "@" + domain + ">\r\n";
  return head + list_fields(batch.page.snapshot.page, address.subscription(token), domain) + text_of(words->text);
}

}  // namespace svc::notifications
