#pragma once

#include "http/public_pages/answers.hpp"
#include "http/public_pages/directory.hpp"
#include "http/public_pages/renderings.hpp"
#include "http/public_pages/routes.hpp"
#include "http/public_pages/snapshots.hpp"
#include "http/public_pages/source_health.hpp"
#include "http/public_pages/visitors.hpp"
#include "svc/domain/pages/inputs.hpp"
#include "svc/http/public_pages/copies.hpp"
#include "svc/http/public_pages/site.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace svc::public_pages {

/// The origin of the answer to a request: values of the label `source`. The first four are those of `page_origin`.
enum class answer_source : std::uint8_t { memory, database, redis, stale, missing, limited, unavailable };
inline constexpr std::size_t answer_source_count = 7;

/// A visitor's wish to subscribe, from a form or from JSON.
struct subscription_wish {
  std::string address{};
  std::vector<uuid> components{};
  bool by_form = false;
};
/// Errors: validation_failed, malformed_json. Pure.
result<subscription_wish> read_wish(std::string_view body, bool by_form);

struct site::impl {
  explicit impl(site_parts given);

  bool concerns(http::request const& head) const;
  task<std::optional<http::response>> answer(visit const& v);

 private:
  /// A request on its way through the steps.
  struct request_state {
    visit const& v;
    page_route route{};
    bool on_domain = false;
    std::string subject{};  ///< the client's address in the windows
    bool miss_counted = false;
    answer_source source = answer_source::missing;
  };
  /// A page that the visitor may see, or the answer to somebody who may not.
  struct found_page {
    held_page held{};
    pages::page_address address{};
    std::optional<http::response> refusal{};
  };
  enum class domain_state : std::uint8_t { other, page, unknown };

  std::string_view own_host() const { return pages::host_of_url(parts_.public_url); }
  task<domain_state> state_of(std::string domain, std::string subject, deadline until);
  task<std::optional<http::response>> place(request_state& r, std::string_view target);
  task<http::response> serve(request_state& r);
  task<std::optional<http::response>> over_limit(request_state& r);
  http::response miss(request_state& r);
  static std::optional<std::string> path_for_members(request_state const& r);
  std::optional<http::response> count_unknown(request_state& r);
  void forgive(request_state& r);
  task<found_page> find(request_state& r);
  task<std::optional<located_page>> locate(request_state& r, held_page& held);
  task<bool> may_see(request_state const& r, published_page const& page) const;
  task<bool> is_admitted(request_state const& r, published_page const& page) const;
  task<http::response> show(request_state& r, found_page const& found);
  task<http::response> show_rendering(request_state& r, found_page const& found);
  task<http::response> show_logo(request_state& r, found_page const& found);
  task<std::optional<page_logo>> read_logo(uuid page, deadline until);
  task<http::response> show_link(request_state& r, found_page const& found);
  task<http::response> subscribe(request_state& r, found_page const& found);
  task<result<std::string>> read_body(request_state const& r, std::size_t limit);
  http::response fail(request_state const& r, error const& failure) const;

  site_parts parts_;
  page_copies copies_;
  source_health health_{};
  directory names_;
  snapshots snapshots_;
  renderings renderings_;
  visitor_windows windows_;
  fixed_texts const fixed_{};
  std::array<counter, answer_source_count> counted_{};
};

}  // namespace svc::public_pages
