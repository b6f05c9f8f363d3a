#pragma once

#include "svc/core/uuid.hpp"

#include <string>
#include <string_view>

namespace svc::pages {

/// The addresses of one page, on the service or on a domain of its own. A value.
class page_address {
 public:
  /// The page at `/status/SLUG` of an origin such as `https://status.example`, without a trailing slash.
  static page_address on_service(std::string_view origin, std::string_view slug);
  /// The page at `/` of a verified domain.
  static page_address on_domain(std::string_view origin);

  std::string const& origin() const { return origin_; }
  std::string page() const { return origin_ + (page_.empty() ? "/" : page_); }
  std::string history() const { return origin_ + page_ + "/history"; }
  std::string incident(uuid const& id) const { return origin_ + page_ + "/incidents/" + id.to_string(); }
  std::string maintenance(uuid const& id) const { return origin_ + page_ + "/maintenance/" + id.to_string(); }
  std::string logo() const { return origin_ + page_ + "/logo"; }
  /// The page that confirms, ends or refuses a subscription.
  std::string subscription(std::string_view token) const {
    return origin_ + page_ + "/subscriptions/" + std::string(token);
  }
  /// One of `summary`, `rss`, `feed.json`, `ical`, `badge.svg`, `subscribe`.
  std::string data(std::string_view name) const { return origin_ + data_ + "/" + std::string(name); }
  /// The host with its port, for people.
  std::string_view host() const;

 private:
  std::string origin_, page_, data_;
};

}  // namespace svc::pages
