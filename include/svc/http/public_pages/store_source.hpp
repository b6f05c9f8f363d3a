#pragma once

#include "svc/http/public_pages/source.hpp"
#include "svc/store/pages/snapshot_source.hpp"

#include <atomic>

namespace svc::public_pages {

/// Reads pages from the repositories. Worker-local; the repository and the flag outlive it.
class store_source final : public page_source {
 public:
  /// While `ready` is false the database may have another schema, so that every method throws `unavailable`.
  store_source(store::snapshot_source& pages, std::atomic<bool> const& ready) : pages_(pages), ready_(ready) {}

  task<std::optional<located_page>> find(page_name name, deadline until) override;
  task<page_version> version(uuid id, deadline until) override;
  task<page_ptr> build(uuid id, deadline until) override;
  task<std::optional<page_logo>> logo(uuid id, deadline until) override;
  task<std::vector<uuid>> published(uuid after, int most, deadline until) override;

 private:
  void check_ready() const;

  store::snapshot_source& pages_;
  std::atomic<bool> const& ready_;
};

}  // namespace svc::public_pages
