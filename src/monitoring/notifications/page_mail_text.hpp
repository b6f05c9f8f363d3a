#pragma once

#include "svc/core/time.hpp"
#include "svc/store/pages/page_mail_store.hpp"

#include <optional>
#include <string>

// The mails of status pages in RFC 5322. Their texts come from `pages::confirmation_mail` and `pages::post_mail`.

namespace svc::notifications {

/// The addresses in the mails of pages.
struct page_mail_settings {
  std::string sender;      ///< `smtp.from`: an address, or `Name <address>`
  std::string public_url;  ///< the address of the service
};

/// Returns the mail that asks for a confirmation. Its only text of the tenant is the page's name, on one line and
/// without text that mail programs would turn into a link. Total.
std::string make_confirmation(store::claimed_confirmation const& mail, page_mail_settings const& settings,
                              timestamp now);

/// Returns the mail about the post to one of its recipients, or `std::nullopt` if the snapshot does not have the
/// post. The same post and recipient always give the same `Message-ID`. `List-Unsubscribe` and
/// `List-Unsubscribe-Post` are those of RFC 8058. Total.
std::optional<std::string> make_post_mail(store::claimed_post const& batch, store::post_recipient const& recipient,
                                          page_mail_settings const& settings, timestamp now);

}  // namespace svc::notifications
