// The mails of the service itself, in plain English. Names of people and organisations are the only texts of others.
#include "monitoring/notifications/mime.hpp"
#include "monitoring/notifications/text.hpp"
#include "svc/core/harmless_text.hpp"
#include "svc/monitoring/notifications/system_mailer.hpp"

namespace svc::notifications {
namespace {

constexpr std::size_t longest_name_in_mail = 100;

struct mail_words {
  std::string subject;
  std::string text;
};

std::string link_of(store::claimed_system_mail const& mail, std::string_view page, std::string const& public_url) {
  return public_url + std::string(page) + "#" + std::string(mail.secret.reveal());
}

std::string named(std::string_view name, std::string_view otherwise) {
  auto out = harmless_name(name);
  return out.empty() ? std::string(otherwise) : out;
}

mail_words invitation_words(store::claimed_system_mail const& mail, std::string const& public_url) {
  auto const inviter = named(mail.inviter, "An administrator");
  auto const organization = "\"" + named(mail.organization, "an organization") + "\"";
  return {.subject = "Invitation to the organization " + organization,
          .text = "Hello,\n\n" + inviter + " invites you to the organization " + organization + " at " + public_url +
                  ".\n\nOpen this link to accept:\n\n" + link_of(mail, "/app/invitation", public_url) +
                  "\n\nThe link works once, until " + readable(mail.expires_at) +
                  ". If you do not expect this invitation, ignore\nthis mail; nothing happens without the link.\n"};
}

mail_words recovery_words(store::claimed_system_mail const& mail, std::string const& public_url) {
  return {.subject = "Recover your account",
          .text = "Hello " + named(mail.addressee, "there") +
                  ",\n\nsomebody, probably you, asked to recover your account at " + public_url +
                  ".\n\nOpen this link to choose a new password:\n\n" + link_of(mail, "/app/link", public_url) +
                  "\n\nThe link works once, until " + readable(mail.expires_at) +
                  ". If you have not asked for it, ignore this\nmail; your password stays as it is.\n"};
}

}  // namespace

std::string harmless_name(std::string_view name) {
  return without_links(name, longest_name_in_mail);
}

std::string make_system_mail(store::claimed_system_mail const& mail, system_mail_settings const& settings,
                             timestamp now) {
  auto const source = parse_mailbox(settings.sender);
  auto const words = mail.kind == "invitation" ? invitation_words(mail, settings.public_url)
                                               : recovery_words(mail, settings.public_url);
  return write_head({.source = source ? *source : mailbox{},
                     .recipient = mail.recipient,
                     .subject = words.subject,
                     .id = mail.claim.to_string(),
                     .now = now}) +
         "Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n" +
         quoted_printable(words.text);
}

}  // namespace svc::notifications
