#include "svc/domain/pages/settings.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

using namespace svc;
using namespace svc::pages;

TEST_CASE("the states of pages and subscribers have the contract's words, and other words are none") {
  for (auto const status : {page_status::draft, page_status::published, page_status::archived})
    CHECK(page_status_of(to_text(status)) == status);
  CHECK(to_text(page_status::published) == "published");
  CHECK_FALSE(page_status_of("public"));
  CHECK_FALSE(page_status_of(""));
  CHECK(to_text(subscriber_state::pending) == "pending");
  CHECK(to_text(subscriber_state::active) == "active");
}

TEST_CASE("automatic posts have a text of their own in each language, and other posts have none") {
  std::set<std::string> all;
  for (std::size_t i = 0; i < language_count; ++i) {
    auto const language = static_cast<page_language>(i);
    for (auto const status :
         {post_status::investigating, post_status::resolved, post_status::cancelled, post_status::ended_early}) {
      auto const text = automatic_text(language, status);
      CHECK_FALSE(text.empty());
      all.emplace(text);
    }
    for (auto const status : {post_status::identified, post_status::monitoring, post_status::postmortem,
                              post_status::scheduled, post_status::note})
      CHECK(automatic_text(language, status).empty());
  }
  CHECK(all.size() == 4 * language_count);
  CHECK(automatic_text(page_language::de, post_status::resolved).find("normalen Betrieb") != std::string_view::npos);
}
