#include "svc/store/directory/audit_store.hpp"

#include "store/directory/audit_sql.hpp"
#include "store/sql/page_sql.hpp"
#include "store/sql/settled.hpp"

namespace svc::store {

namespace {

std::string text_or_empty(postgres::row const& r, int column) {
  return r.maybe_text(column).value_or(std::string());
}

audit_row read_audit_row(postgres::row const& r, int first) {
  audit_row out;
  out.id = r.id(first);
  out.entry.organization = r.maybe_id(first + 1);
  out.entry.project = r.maybe_id(first + 2);
  out.entry.action = std::string(r.text(first + 3));
  out.entry.actor = {.user = r.maybe_id(first + 4),
                     .name = std::string(r.text(first + 5)),
                     .token = r.maybe_id(first + 6),
                     .ip = text_or_empty(r, first + 9),
                     .user_agent = text_or_empty(r, first + 10),
                     .request_id = text_or_empty(r, first + 11)};
  out.entry.resource = std::string(r.text(first + 7));
  out.entry.resource_id = r.maybe_id(first + 8);
  out.entry.details = std::string(r.text(first + 12));
  out.created_at = r.time(first + 13);
  out.entry.actor.session = r.maybe_id(first + 14);
  return out;
}

}  // namespace

task<page<audit_row>> audit_store::list(audit_filter which, page_request wanted, deadline until) {
  postgres::rows const found = settled(co_await db_.run(audit_list_query(which, wanted), until));
  co_return read_page<audit_row>(found, wanted, 2, read_audit_row, created_key<audit_row>);
}

}  // namespace svc::store
