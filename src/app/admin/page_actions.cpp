// The operator's commands for status pages of any project.
#include "app/admin/actions.hpp"

namespace svc::app::admin {

task<answer> release_slug(session& s, arguments a) {
  bool const released = co_await s.status_pages.release_slug(s.actor, a.slug, s.patience());
  if (!released)
    co_return error(errc::not_found,
                    "No status page had this slug before, or a page uses it; delete or rename it first.");
  co_return boost::json::object{{"released", a.slug}};
}

task<answer> archive_page(session& s, arguments a) {
  bool const archived = co_await s.status_pages.archive_page(s.actor, a.id, s.patience());
  if (!archived) co_return error(errc::not_found, "There is no such status page, or it is archived already.");
  co_return boost::json::object{{"archived", a.id}};
}

}  // namespace svc::app::admin
