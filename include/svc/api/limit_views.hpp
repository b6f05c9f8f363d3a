#pragma once

#include "svc/access/window_reader.hpp"
#include "svc/api/kept_views.hpp"
#include "svc/domain/limit.hpp"
#include "svc/store/tokens/token_store.hpp"

#include <optional>
#include <vector>

namespace svc::store {
struct repositories;
}

namespace svc::api {

/// A rate limit window of a project with its use. A value.
struct limit_use {
  std::optional<store::limited_credential> credential{};  ///< empty: the window is the project's
  class_window window;
  access::window_use use{};
};

/// The windows of projects, which pages read every few seconds: those of the project and of its credentials, at most
/// 100. A read costs up to 5 000 keys in PostgreSQL and 100 logs in Redis, so a worker makes at most one a second for
/// a project. Worker-local; lives as long as the worker.
class limit_views final : public kept_views<std::vector<limit_use>> {
 public:
  static constexpr milliseconds longest_age{1000};

  /// Reads these repositories and windows, which outlive the object. `limits` may change.
  limit_views(asio::io_context& io, store::repositories& stores, access::window_reader& windows,
              limit_table const& limits);
};

}  // namespace svc::api
