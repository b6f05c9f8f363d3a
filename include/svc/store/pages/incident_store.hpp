#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/result.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/page.hpp"
#include "svc/domain/pages/settings.hpp"
#include "svc/domain/quota.hpp"
#include "svc/store/change.hpp"

#include <functional>
#include <optional>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// Selects incidents of a list; an empty filter matches all.
struct incident_filter {
  std::optional<pages::post_status> status{};  ///< one of the first four
  bool open = false;                           ///< only those that are not resolved
};

/// Computes an incident's new settings from its current ones. Pure; called while the page is locked.
using incident_edit = std::function<result<pages::incident_settings>(pages::incident const& current)>;

/// Incidents of status pages with their posts. A new post decides the status of its incident. A post with
/// `notify` queues its mails in the same transaction. Worker-local; the pool outlives it. Every method throws
/// `unavailable` when the database is gone or late; then a change may or may not have happened.
class incident_store {
 public:
  incident_store(postgres::pool& db, quota_table quotas) : db_(db), quotas_(quotas) {}

  /// The latest start first, each with its newest post; pages of the list have numbers only. Errors: not_found (the
  /// page).
  task<result<page<pages::incident>>> list(uuid project, uuid page_id, incident_filter filter, page_request wanted,
                                           deadline until);
  /// With all posts. Errors: not_found.
  task<result<pages::incident>> get(uuid project, uuid page_id, uuid id, deadline until);
  /// Deletes the page's oldest resolved incidents beyond 1 000. Errors: not_found (the page), project_archived,
  /// incident_limit_reached (50 open ones), page_bytes_exceeded, post_limit_reached (20 notifying posts in an hour or
  /// 100 in a day), validation_failed (`/components/N/id` unknown or repeated, `/startedAt` too old or in the
  /// future, `/status` is `postmortem`, `/displayAt` in the future).
  task<result<pages::incident>> create(editor editor, uuid owner, uuid page_id, pages::new_incident wanted,
                                       deadline until);
  /// Errors: not_found, precondition_failed, project_archived, validation_failed, and any error of `edit`.
  task<result<pages::incident>> update(editor editor, uuid page_id, uuid id, incident_edit edit, deadline until);
  /// Errors: not_found, precondition_failed.
  task<result<>> remove(editor editor, uuid page_id, uuid id, deadline until);

  /// The newest post first; pages of the list have numbers only. Errors: not_found (the incident).
  task<result<page<pages::stored_post>>> list_posts(uuid project, uuid page_id, uuid id, page_request wanted,
                                                    deadline until);
  /// `resolved` resolves the incident. Afterwards `postmortem` leaves it resolved and any other status reopens it.
  /// `postmortem` before that is validation_failed (`/status`). Errors: not_found, project_archived,
  /// incident_limit_reached (a reopening), post_limit_reached (100 posts, or as for `create`), page_bytes_exceeded.
  task<result<pages::stored_post>> add_post(editor editor, uuid owner, uuid page_id, uuid id, pages::new_post wanted,
                                            deadline until);
  /// Changes body and time of a post; sets `edited_at` and notifies nobody. The expected versions are those of the
  /// post. Errors: not_found, precondition_failed, project_archived, page_bytes_exceeded.
  task<result<pages::stored_post>> correct_post(editor editor, uuid page_id, uuid id, uuid post_id,
                                                pages::post_correction wanted, deadline until);

 private:
  postgres::pool& db_;
  quota_table quotas_;
};

/// Updates of maintenance windows: posts of an occurrence, on all pages of the window. As `incident_store`.
class window_post_store {
 public:
  window_post_store(postgres::pool& db, quota_table quotas) : db_(db), quotas_(quotas) {}

  /// The newest post first; pages of the list have numbers only. Errors: not_found (the window).
  task<result<page<pages::stored_post>>> list(uuid project, uuid window, page_request wanted, deadline until);
  /// Adds a post (`note`) to the active occurrence, otherwise to the next one, otherwise to the last one, and
  /// announces that occurrence if it was not. `status` of the post is ignored. Errors: not_found, project_archived,
  /// post_limit_reached (100 posts of the occurrence, or too many notifying posts of a page), page_bytes_exceeded.
  task<result<pages::stored_post>> add(editor editor, uuid owner, uuid window, pages::new_post wanted,
                                       deadline until);
  /// Errors: as `incident_store::correct_post`.
  task<result<pages::stored_post>> correct(editor editor, uuid window, uuid post_id, pages::post_correction wanted,
                                           deadline until);

 private:
  postgres::pool& db_;
  quota_table quotas_;
};

}  // namespace svc::store
