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
#include <string>
#include <vector>

namespace svc::postgres {
class pool;
}

namespace svc::store {

/// Selects pages of a list; an empty filter matches all.
struct status_page_filter {
  std::optional<pages::page_status> status{};
  std::optional<std::string> search{};  ///< part of the name or slug, in any case
};

/// Computes a page's new settings from its current ones. Pure; called while the page is locked.
using status_page_edit = std::function<result<pages::page_settings>(pages::status_page const& current)>;

/// The result of a check of a custom domain.
struct domain_check {
  bool verified = false;
  std::optional<timestamp> verified_at{};
};

/// A page whose proof of its domain is checked again.
struct domain_to_check {
  uuid project{}, page{};
  std::string domain;
};

/// Status pages with their slugs, logos and domains. Every change raises the version of the page's copies.
/// Worker-local; the pool outlives it. Every method throws `unavailable` when the database is gone or late; then a
/// change may or may not have happened.
class page_store {
 public:
  page_store(postgres::pool& db, quota_table quotas) : db_(db), quotas_(quotas) {}

  /// The newest page first.
  task<page<pages::status_page>> list(uuid project, status_page_filter filter, page_request wanted, deadline until);
  /// Errors: not_found.
  task<result<pages::status_page>> get(uuid project, uuid id, deadline until);
  /// The settings satisfy `inputs.hpp` and the time zone is known. Errors: project_archived, slug_taken (in use, or
  /// reserved for another project), status_page_limit_reached, validation_failed (unknown providers, PagerDuty).
  task<result<pages::status_page>> create(editor editor, uuid owner, pages::page_settings wanted, deadline until);
  /// A new slug keeps the former one for 90 days; a new domain needs a new proof. Audits `published` and `archived`
  /// as such. Errors: not_found, precondition_failed, project_archived, those of `create`, slug_change_limit_reached
  /// (five former slugs), and any error of `edit`.
  task<result<pages::status_page>> update(editor editor, uuid id, status_page_edit edit, deadline until);
  /// Hides the page at once; its rows are deleted in batches later. Its slugs stay reserved for the project for 90
  /// days. Errors: not_found, precondition_failed.
  task<result<>> remove(editor editor, uuid id, deadline until);

  /// The logo satisfies `logo_type`. Errors: not_found, precondition_failed, project_archived.
  task<result<pages::status_page>> set_logo(editor editor, uuid id, pages::logo wanted, deadline until);
  /// Succeeds also if there is none. Errors: not_found, precondition_failed.
  task<result<>> remove_logo(editor editor, uuid id, deadline until);

  /// Judges the TXT values that were found at `domain_record` of `domain`. Another page that had proved the domain
  /// loses it if its own token is not among them. Errors: not_found (also if the page has another domain now),
  /// domain_taken (the other page's token is among them as well), project_archived.
  task<result<domain_check>> check_domain(editor editor, uuid id, std::string domain, std::vector<std::string> found,
                                          deadline until);
  /// Returns pages whose proof was not checked for a day; the longest first.
  task<std::vector<domain_to_check>> domains_due(deadline until);
  /// Records the daily check. `found`: none if the lookup failed. After three days of failures the page loses its
  /// domain; the audit log then has `domain_lost`. Returns true if it did.
  task<bool> recheck_domain(domain_to_check checked, std::optional<std::vector<std::string>> found, deadline until);

 private:
  postgres::pool& db_;
  quota_table quotas_;
};

}  // namespace svc::store
