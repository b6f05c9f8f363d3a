#pragma once

#include "svc/postgres/query.hpp"
#include "svc/store/directory/audit_store.hpp"

namespace svc::store {

/// The SVC_PAGED statement that reads these rows, for `read_page`; the page begins in column 2.
postgres::query audit_list_query(audit_filter const& which, page_request const& wanted);

}  // namespace svc::store
