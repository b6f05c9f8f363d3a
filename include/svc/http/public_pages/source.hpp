#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/ip_address.hpp"
#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/pages/formats.hpp"
#include "svc/domain/pages/snapshot.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The border between public status pages and the place that stores them.

namespace svc::public_pages {

/// The kinds of names by which a request finds a page. Their values are used in Redis.
enum class name_kind : std::uint8_t { id, slug, domain };

/// The name of a page in a request, in its only spelling: a UUID, a slug or a domain in lower case. A value.
struct page_name {
  name_kind kind = name_kind::slug;
  std::string text{};

  friend bool operator==(page_name const&, page_name const&) = default;
};

/// The page of a name.
struct located_page {
  uuid id{};
  bool former = false;  ///< the page had this slug before; it has another one now
};

/// A published page with everything that serving it needs. Immutable once built.
struct published_page {
  uuid project{};
  std::int64_t version = 0;     ///< grows with each change of page, component, incident or window
  std::vector<cidr> allowed{};  ///< addresses of the visitors of a restricted page
  std::string domain{};         ///< its verified domain; empty: none
  pages::page_snapshot snapshot{};
};
using page_ptr = std::shared_ptr<published_page const>;

/// The state of a page at a moment.
struct page_version {
  std::optional<std::int64_t> number{};  ///< none: there is no published page with this id
  timestamp now{};                       ///< the database's time of the read
};

/// A stored logo. Its bytes were checked by size and magic only.
struct page_logo {
  std::string type{};  ///< `image/png`, `image/jpeg` or `image/webp`
  std::string bytes{};
};

/// Reads pages from the place that stores them. Worker-local. Every method throws `unavailable` if the store is gone
/// or late.
class page_source {
 public:
  virtual ~page_source() = default;
  /// Finds a published page by its id, its slug, a slug of the last 90 days, or its verified domain.
  virtual task<std::optional<located_page>> find(page_name name, deadline until) = 0;
  /// Costs one read by a primary key.
  virtual task<page_version> version(uuid id, deadline until) = 0;
  /// Builds the page as it is now. Returns null if it is not published.
  virtual task<page_ptr> build(uuid id, deadline until) = 0;
  /// Returns `std::nullopt` if the page has no logo.
  virtual task<std::optional<page_logo>> logo(uuid id, deadline until) = 0;
  /// Returns at most `most` ids of published pages after this one, in their order.
  virtual task<std::vector<uuid>> published(uuid after, int most, deadline until) = 0;
};

/// Takes requests for subscriptions, and the buttons of their links. Worker-local. Every method throws `unavailable`
/// if the store is gone or late.
class subscription_desk {
 public:
  virtual ~subscription_desk() = default;
  /// Takes a visitor's request. The time and the outcome do not depend on the address. Returns false if too many
  /// requests wait. `components` empty: all.
  virtual task<bool> request(uuid page, std::string address, std::vector<uuid> components, deadline until) = 0;
  /// Returns what the link with this token shows: `confirm`, `stop` or `link_over`. Changes nothing.
  virtual task<pages::subscription_step> find_link(uuid page, std::string token, deadline until) = 0;
  /// Does what the body of a POST to the link asks for, and returns the step to show. Returns `std::nullopt` for a
  /// body that asks for nothing.
  virtual task<std::optional<pages::subscription_step>> act(uuid page, std::string token, std::string body,
                                                            deadline until) = 0;
};

}  // namespace svc::public_pages
