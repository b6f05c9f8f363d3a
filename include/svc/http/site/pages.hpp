// The paths of the dashboard: `/`, `/app` and all below it. Everything comes from memory.
#pragma once

#include "svc/core/metrics.hpp"
#include "svc/http/message.hpp"
#include "svc/http/site/page_bundle.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace svc::site {

enum class page_kind : std::uint8_t {
  none,   ///< a path of the API, or one that the pipeline must refuse
  root,   ///< `/`
  index,  ///< `/app` and every path below it that is none of the following two
  boot,   ///< `/app/boot.js`
  asset,  ///< `/app/assets/NAME`
};

/// The page that a request target names. `name` points into the target.
struct page_path {
  page_kind kind = page_kind::none;
  std::string_view name{};
};

/// Finds the page of a target. Nothing is decoded: an asset's name is compared byte for byte, and the paths of the
/// index page have a meaning only in the browser. Total: any bytes are a page or none.
page_path find_page(std::string_view target, std::string_view host);

/// Answers the requests for pages. Worker-local.
class pages {
 public:
  /// `find` returns the bundle to serve, or null if there is none; it is not called if the pages are switched off.
  pages(bool enabled, std::function<bundle_ptr()> find, metrics& counters);

  /// Returns the complete answer to a request for a page, and nothing for other paths. A worker that is `overloaded`
  /// answers 503.
  std::optional<http::response> answer(http::request const& head, std::string_view request_id, bool overloaded);

  /// Returns the name of the served bundle; empty if none is served.
  std::string bundle() const;

 private:
  enum class outcome : std::uint8_t { root, index, boot, asset, missing, method, absent, shed };
  struct page_answer {
    outcome counted;
    http::response response;
  };

  page_answer make(http::request const& head, page_path const& page, std::string_view request_id,
                   bool overloaded) const;

  bool const enabled_;
  std::function<bundle_ptr()> find_;
  std::array<counter, 8> counted_;  ///< by outcome
};

}  // namespace svc::site
