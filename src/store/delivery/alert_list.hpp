#pragma once

#include "svc/postgres/query.hpp"
#include "svc/store/delivery/alert_store.hpp"

namespace svc::store {

/// The SVC_PAGED statement that reads these rows, for `read_page`; the page begins in column 2.
postgres::query alert_list_query(uuid project, alert_filter const& filter, page_request const& wanted);

}  // namespace svc::store
