#pragma once

#include "store/sql/sql_text.hpp"
#include "svc/postgres/query.hpp"
#include "svc/postgres/rows.hpp"
#include "svc/store/pages/page_mail_store.hpp"

#include <vector>

// The facts of a page and a post that a mail needs.

namespace svc::store {

// The columns of a page `p` that `read_mailed_page` reads, and the join that they need.
inline constexpr auto mailed_page_columns =
    sql(" p.project_id, p.id, p.name, p.language, p.time_zone, coalesce(z.slug, ''),"
        " CASE WHEN p.domain_verified_at IS NOT NULL AND p.visibility <> 'members'"
        " THEN coalesce(p.custom_domain, '') ELSE '' END ");
inline constexpr auto mailed_page_joins = sql(" LEFT JOIN page_slugs z ON z.page_id = p.id AND z.slot = 0 ");
inline constexpr int mailed_page_column_count = 7;

mailed_page read_mailed_page(postgres::row r, int first);

/// The statements that read a post: the page, the post with its incident or maintenance, the components.
std::vector<postgres::query> mailed_post_queries(uuid const& page, uuid const& post);
inline constexpr std::size_t mailed_post_statements = 3;

/// A post with its page.
struct mailed_post {
  mailed_page page{};
  bool wanted = false;             ///< the post exists, and the page is published and takes subscribers
  std::vector<uuid> components{};  ///< that the post is about; empty: none in particular
};
/// Reads the results of `mailed_post_queries`, which start at `found`.
mailed_post read_mailed_post(postgres::rows const* found, uuid const& post);

}  // namespace svc::store
