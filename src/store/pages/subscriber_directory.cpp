#include "svc/store/pages/subscriber_directory.hpp"

#include "store/pages/status_page_sql.hpp"
#include "store/sql/change_sql.hpp"
#include "store/sql/page_sql.hpp"
#include "store/sql/settled.hpp"
#include "store/sql/sql_text.hpp"
#include "svc/postgres/pool.hpp"

#include <boost/json.hpp>

#include <string>
#include <utility>

namespace svc::store {
namespace {

// $2 limit + 1, $3 offset, $4 and $5 the key to start after. A page has at most a few thousand subscribers.
constexpr auto list_subscribers_sql = paged_sql(
    "page_subscribers s WHERE s.page_id = $1::uuid", no_estimate, "",
    sql(" s.id, s.email, s.state = 'active', s.component_ids, s.created_at, s.confirmed_at"
        " FROM page_subscribers s WHERE s.page_id = $1",
        rows_before("s.created_at, s.id", "$4", "$5"), " ORDER BY s.created_at DESC, s.id DESC LIMIT $2 OFFSET $3"));
constexpr postgres::statement list_subscribers{"subscriber_list", list_subscribers_sql};

constexpr postgres::statement find_page_of_subscribers{"subscriber_find_page", R"(
SELECT FROM status_pages WHERE project_id = $1 AND id = $2 AND deleted_at IS NULL)"};

constexpr postgres::statement delete_subscriber{"subscriber_delete", R"(
DELETE FROM page_subscribers s USING status_pages p
 WHERE p.project_id = $1 AND p.id = $2 AND p.deleted_at IS NULL AND s.page_id = p.id AND s.id = $3)"};

/// The version of every subscriber, because editors change none.
constexpr std::int64_t subscriber_version = 1;

pages::subscriber read_subscriber_row(postgres::row r, int first = 0) {
  return {.id = r.id(first),
          .email = std::string(r.text(first + 1)),
          .state = r.boolean(first + 2) ? pages::subscriber_state::active : pages::subscriber_state::pending,
          .components = r.ids(first + 3),
          .created_at = r.time(first + 4),
          .confirmed_at = r.maybe_time(first + 5)};
}

}  // namespace

task<result<page<pages::subscriber>>> subscriber_directory::list(uuid project, uuid page_id, page_request wanted,
                                                                 deadline until) {
  std::vector<postgres::query> ask{{find_page_of_subscribers, postgres::parameters(project, page_id)},
                                   {list_subscribers, postgres::parameters(page_id, wanted.limit + 1, wanted.offset(),
                                                                           wanted.after_time(), wanted.after_id())}};
  auto const found = settled(co_await db_.run(std::move(ask), until));
  if (found[0].empty()) co_return errc::not_found;
  co_return read_page<pages::subscriber>(found[1], wanted, 2, read_subscriber_row, created_key<pages::subscriber>);
}

task<result<>> subscriber_directory::remove(editor editor, uuid page_id, uuid id, deadline until) {
  auto work = co_await db_.begin(until);
  postgres::query erase{delete_subscriber, postgres::parameters(editor.project, page_id, id)};
  auto const done = settled(co_await work.run(std::move(erase)));
  if (done.affected() == 0) co_return errc::not_found;
  if (!editor.expects(subscriber_version)) co_return errc::precondition_failed;
  boost::json::object const details{{"statusPageId", page_id.to_string()}};
  std::vector<postgres::query> last{
      audit_query(editor.entry("subscriber.removed", "subscriber", id, boost::json::serialize(details)))};
  settled(co_await work.commit(std::move(last)));
  co_return result<>();
}

}  // namespace svc::store
