#pragma once

#include "svc/public_pages/source.hpp"
#include "svc/store/pages/snapshot_source.hpp"

namespace svc::public_pages {

/// Reads pages from the repositories. Worker-local; the repository outlives it.
class store_source final : public page_source {
 public:
  explicit store_source(store::snapshot_source& pages) : pages_(pages) {}

  task<std::optional<located_page>> find(page_name name, deadline until) override;
  task<page_version> version(uuid id, deadline until) override;
  task<page_ptr> build(uuid id, deadline until) override;
  task<std::optional<page_logo>> logo(uuid id, deadline until) override;
  task<std::vector<uuid>> published(uuid after, int most, deadline until) override;

 private:
  store::snapshot_source& pages_;
};

}  // namespace svc::public_pages
