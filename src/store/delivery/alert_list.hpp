#pragma once

#include "svc/postgres/query.hpp"
#include "svc/store/delivery/alert_store.hpp"

namespace svc::store {

/// The statement, made by `paged_sql`, that reads these rows for `read_page`. The page starts in column 2.
postgres::query alert_list_query(uuid project, alert_filter const& filter, page_request const& wanted);

}  // namespace svc::store
