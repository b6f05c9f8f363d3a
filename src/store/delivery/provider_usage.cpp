#include "store/sql/settled.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/store/delivery/provider_store.hpp"

#include <utility>

namespace svc::store {
namespace {

// Column 0 is the kind of the object that uses the provider. No row means that the project has no such provider.
constexpr postgres::statement read_provider_usage{"provider_usage", R"(
SELECT u.kind, u.id, u.name
  FROM notification_providers p
  LEFT JOIN LATERAL (
    (SELECT 'monitor' AS kind, m.id, m.name FROM monitors m
      WHERE m.project_id = p.project_id AND m.deleted_at IS NULL
        AND m.alert_config -> 'notificationProviders' ? p.id::text
      ORDER BY m.name, m.id LIMIT $3)
    UNION ALL
    (SELECT 'job', j.id, j.name FROM jobs j
      WHERE j.project_id = p.project_id AND j.deleted_at IS NULL
        AND j.alert_config -> 'notificationProviders' ? p.id::text
      ORDER BY j.name, j.id LIMIT $3)
    UNION ALL
    (SELECT 'status_page', g.id, g.name FROM page_providers x JOIN status_pages g ON g.id = x.page_id
      WHERE x.provider_id = p.id AND g.deleted_at IS NULL
      ORDER BY g.name, g.id LIMIT $3)) u ON true
 WHERE p.project_id = $1 AND p.id = $2)"};

}  // namespace

task<result<provider_usage>> provider_store::usage(uuid project, uuid id, deadline until) {
  postgres::query ask{read_provider_usage, postgres::parameters(project, id, provider_usage::most)};
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  if (found.empty()) co_return errc::not_found;
  provider_usage out;
  for (int i = 0; i < found.size(); ++i) {
    postgres::row const r = found[i];
    if (r.is_null(0)) continue;
    auto& users = r.text(0) == "monitor" ? out.monitors : r.text(0) == "job" ? out.jobs : out.status_pages;
    users.push_back({r.id(1), std::string(r.text(2))});
  }
  co_return out;
}

}  // namespace svc::store
