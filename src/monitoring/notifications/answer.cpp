#include "svc/monitoring/notifications/answer.hpp"

#include <array>

namespace svc::notifications {

namespace {

struct reason_row {
  std::string_view name, sentence;
};
constexpr std::array<reason_row, reason_count> reason_rows{{
    {"delivered", "The message was delivered."},
    {"invalid_config", "The provider's config cannot be used."},
    {"address_blocked", "The provider's address is not open to messages; the operator can open it."},
    {"dns_failed", "The name of the provider's address was not found."},
    {"connect_failed", "There was no connection to the provider, or it ended before an answer."},
    {"tls_failed", "TLS could not be established, or the certificate does not verify."},
    {"timeout", "The provider did not answer in time."},
    {"auth_failed", "The provider did not accept the credentials, or needs some."},
    {"refused", "The provider's answer was not the expected one."},
    {"rejected", "The provider did not accept the message."},
    {"rate_limited", "The provider accepts no more messages for now."},
    {"smtp_unconfigured", "This service has no mail server; its operator can configure one."},
    {"mail_limit_reached",
     "The operator's limit is reached: of mails from the project today, or of mails to the address this hour."},
    {"recipient_not_allowed",
     "The operator allows mail only to certain recipients, and this address is not one of them."},
}};

}  // namespace

std::string_view name_of(reason reason) {
  return reason_rows[static_cast<std::size_t>(reason)].name;
}

std::string_view sentence_of(reason reason) {
  return reason_rows[static_cast<std::size_t>(reason)].sentence;
}

std::string sentence_of(outcome const& came) {
  std::string out(sentence_of(came.cause));
  if (came.status && came.state != fate::taken)
    out += " It answered with status " + std::to_string(*came.status) + ".";
  return out;
}

outcome outcome_of(egress::failure failure) {
  using enum egress::failure;
  switch (failure) {
    case dns_not_found:
    case dns_failed:
    case dns_timeout:
    case resolver_unreachable:
      return {.cause = reason::dns_failed};
    case tls_failed:
    case certificate_expired:
    case certificate_not_yet_valid:
    case certificate_untrusted:
    case certificate_wrong_host:
    case certificate_revoked:
      return {.cause = reason::tls_failed};
    case connect_timeout:
    case tls_timeout:
    case first_byte_timeout:
    case body_timeout:
      return {.cause = reason::timeout};
    case http_invalid:
    case body_incomplete:
    case redirect_limit:
    case redirect_refused:
      return {.cause = reason::refused};
    case address_blocked:
      return {.state = fate::dead, .cause = reason::address_blocked};
    case target_invalid:
      return {.state = fate::dead, .cause = reason::invalid_config};
    case none:
    case connect_refused:
    case connect_reset:
    case connect_unreachable:
    case cancelled:
    case internal:
      return {.cause = reason::connect_failed};
  }
  return {};
}

outcome read_reply(egress::mail_answer const& came) {
  if (came.error != egress::failure::none) return outcome_of(came.error);
  outcome out{.status = came.status};
  auto const code = came.status;
  if (code < 400) {
    out.state = fate::taken;
    out.cause = reason::delivered;
  } else if (code == 530 || code == 534 || code == 535 || code == 538) {
    // Only the operator can correct this; the mail waits.
    out.cause = reason::auth_failed;
  } else if (code >= 500 && came.in_session) {
    out.state = fate::dead;
    out.cause = reason::rejected;
  } else {
    out.cause = reason::refused;
  }
  return out;
}

}  // namespace svc::notifications
