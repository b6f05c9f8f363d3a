#pragma once

#include "svc/postgres/query.hpp"
#include "svc/store/directory/audit_store.hpp"

namespace svc::store {

/// The statement, made by `paged_sql`, that reads these rows for `read_page`. The page starts in column 2.
postgres::query audit_list_query(audit_filter const& which, page_request const& wanted);

}  // namespace svc::store
