#pragma once

#include "http/public_pages/renderings.hpp"
#include "http/public_pages/routes.hpp"
#include "svc/domain/limit.hpp"
#include "svc/http/message.hpp"

#include <memory>
#include <string>
#include <string_view>

// The answers of public pages with their header fields. Everything here is pure.

namespace svc::public_pages {

/// The rules by which others may read and keep the answers of a page.
struct answer_rules {
  bool shared = true;    ///< caches may keep it, and pages of other origins may read its data
  bool listed = true;    ///< search engines may list it
  std::string policy{};  ///< Content-Security-Policy of the page's HTML
};
answer_rules rules_of(published_page const& page, pages::page_address const& address);

/// Returns 200 with the bytes that the client prefers, or 304.
http::response rendered_answer(http::request const& head, page_form form, rendering const& made,
                               answer_rules const& rules);

/// Texts that are the same for all pages and all visitors. Immutable.
class fixed_texts {
 public:
  fixed_texts();

  /// The answer for a page that does not exist or that the visitor may not see: one and the same.
  http::response missing(http::request const& head, page_form form, std::string_view request_id) const;
  /// The same page, from which the browser loads this path again.
  http::response asking(std::string path) const;
  /// 503 with Retry-After, because no store has the page.
  http::response unavailable(http::request const& head, page_form form, std::string_view request_id) const;
  /// Returns a refusal as a page for people. It keeps the status and the fields that say what to do.
  http::response as_page(http::response const& refusal) const;

 private:
  std::shared_ptr<std::string const> missing_page_, unavailable_page_, limited_page_, refused_page_, missing_badge_;
  std::string policy_, asking_policy_;
};

/// Returns an error as the API has it, with `no-store`.
http::response error_answer(http::request const& head, error const& failure, std::string_view request_id);
/// Returns 429 with the fields of the window.
http::response limited_answer(http::request const& head, limit_decision const& decision, std::string_view request_id);
/// Returns 405, or 204 to OPTIONS.
http::response method_answer(http::request const& head, std::string_view allowed, std::string_view request_id);
/// Returns a redirect that no cache keeps.
http::response moved_answer(http::request const& head, std::string location);
/// Returns a page that depends on a visitor's secret: nobody keeps it.
http::response private_page(unsigned status, std::string html, answer_rules const& rules);
/// Returns 202 with an empty object: the answer to every program that subscribes an address.
http::response accepted_answer(answer_rules const& rules);

}  // namespace svc::public_pages
