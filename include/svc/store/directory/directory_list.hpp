#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"
#include "svc/domain/page.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace svc::postgres {
class pool;
}

namespace svc::store {

struct listed_user {
  uuid id;
  std::string email;
  std::string name;
  std::string organizations;  ///< slugs, separated by commas
  bool banned = false;
  timestamp created_at;
};

struct listed_organization {
  uuid id;
  std::string slug;
  std::string name;
  std::int64_t members = 0;
  std::int64_t projects = 0;
  timestamp created_at;
};

struct listed_project {
  uuid id;
  uuid organization;
  std::string path;  ///< organization-slug/project-slug
  std::string name;
  std::int64_t members = 0;  ///< with a role of their own in the project
  bool archived = false;
  timestamp created_at;
};

struct listed_member {
  uuid id;  ///< of the user
  std::string email;
  std::string name;
  std::string role;
  std::string projects;  ///< of a member of an organization: "shop project_editor, ..."
  bool banned = false;
  timestamp created_at;  ///< of the membership
};

/// A part of a list for the operator, who sees everything.
template <class Row>
struct listed_page {
  std::int64_t total = 0;  ///< of the whole list
  std::vector<Row> rows{};
};

/// Reads users, organizations, projects and members for `svcd admin`. Each list is sorted by e-mail address or slug.
/// Worker-local; the pool outlives it. Every method throws `unavailable` when the database is gone or late.
class directory_list {
 public:
  explicit directory_list(postgres::pool& db) : db_(db) {}

  task<listed_page<listed_user>> users(page_request wanted, deadline until);
  task<listed_page<listed_organization>> organizations(page_request wanted, deadline until);
  /// The projects of one organization, or of all.
  task<listed_page<listed_project>> projects(std::optional<uuid> organization, page_request wanted, deadline until);
  task<listed_page<listed_member>> members_of_organization(uuid organization, page_request wanted, deadline until);
  task<listed_page<listed_member>> members_of_project(uuid project, page_request wanted, deadline until);

  /// The slug of each organization and the path of each project among these ids.
  task<std::map<uuid, std::string>> slugs(std::vector<uuid> ids, deadline until);

 private:
  postgres::pool& db_;
};

}  // namespace svc::store
