// This file verifies the domains of status pages by their TXT records.
#include "api/call_options.hpp"
#include "api/checked_body.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/core/harmless_text.hpp"
#include "svc/domain/pages/inputs.hpp"
#include "svc/egress/dns/resolver.hpp"
#include "svc/store/repositories.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace svc::api {
namespace {

constexpr std::chrono::seconds lookup_patience{10};
/// Bounds of the records that the answer shows.
constexpr std::size_t most_shown_records = 20, longest_shown_record = 255;

/// Anybody may have written the records, so they are shown without what is no text.
boost::json::object proof_json(bool verified, std::vector<std::string> const& found) {
  boost::json::array shown;
  for (auto const& text : found) {
    if (shown.size() == most_shown_records) break;
    shown.emplace_back(cut(one_line(text), longest_shown_record));
  }
  return {{"verified", verified}, {"found", std::move(shown)}};
}

}  // namespace

task<result<reply>> verify_status_page_domain(call& c) {
  auto const page = co_await c.use.stores.status_pages.get(c.caller.project_id, c.path_id(), c.until);
  if (!page) co_return page.error();
  if (!page->set.custom_domain)
    co_return verdict({{"/customDomain", "is missing; set the domain of the page first"}}).error();
  auto const slot = c.use.outside.enter(c.caller.organization_id);
  if (!slot) co_return slot.error();
  auto const looked = co_await egress::read_text_records(c.use.names, pages::domain_record(*page->set.custom_domain),
                                                         outside_deadline(lookup_patience));
  auto const& found = looked.texts;
  if (!found) co_return error(errc::unavailable, "No name server of the domain answered; try again later.");
  // The lookup may have used the request's time.
  auto const checked = co_await c.use.stores.status_pages.check_domain(edit_by(c), page->id, *page->set.custom_domain,
                                                                       *found, outside_deadline({}));
  if (!checked) co_return checked.error();
  co_return reply{.body = proof_json(checked->verified, *found)};
}

}  // namespace svc::api
