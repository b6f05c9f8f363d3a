#include "app/process/page_serving.hpp"

#include "svc/http/public_pages/copies.hpp"
#include "svc/live/output/output_writer.hpp"

#include <utility>

namespace svc::app {

page_serving::page_serving(parts parts)
    : windows_(parts.windows),
      source_(parts.stores.snapshots, parts.shared.schema_fits),
      desk_(parts.db, *parts.shared.subscriptions,
            {.subscribers = parts.shared.config.pages.subscribers,
             .confirmations_per_hour = parts.shared.config.pages.confirmations_per_hour},
            parts.shared.schema_fits),
      site_(site_parts_of(*this, parts)),
      copies_({source_, parts.redis, parts.shared.page_rebuilds, parts.shared.config.pages.copies,
               std::move(parts.loops)}) {}

public_pages::site_parts page_serving::site_parts_of(page_serving& self, parts& parts) {
  return {.io = parts.io,
          .source = self.source_,
          .desk = self.desk_,
          .redis = parts.redis,
          .slots = parts.shared.page_rebuilds,
          .memory = parts.shared.page_bytes,
          .time = parts.shared.page_time,
          .counters = parts.shared.counters,
          .limits = parts.limits,
          .count = [&self](rate_class which, std::string subject,
                           deadline until) { return self.windows_.count(which, std::move(subject), until); },
          .now = std::move(parts.now),
          .public_url = parts.shared.public_url,
          .bodies = parts.bodies,
          .copies = parts.shared.config.pages.copies,
          .memory_bytes = parts.shared.config.pages.memory};
}

std::vector<redis::script const*> page_serving::scripts() {
  auto scripts = output::output_writer::scripts();
  scripts.push_back(&public_pages::page_copies::script());
  return scripts;
}

}  // namespace svc::app
