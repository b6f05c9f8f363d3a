#include "svc/store/delivery/mail_store.hpp"

#include "store/sql/settled.hpp"
#include "svc/core/ascii.hpp"
#include "svc/postgres/pool.hpp"

#include <utility>

namespace svc::store {
namespace {

// One row for each recipient, in their order.
constexpr postgres::statement admit_recipients{"mail_admit",
                                               "SELECT unnest(admit_mails($1, $2, $3::text[], $4, $5))"};

constexpr postgres::statement find_members{"mail_members", R"(
SELECT lower(u.email) FROM projects p
  JOIN organization_members m ON m.organization_id = p.organization_id
  JOIN users u ON u.id = m.user_id
 WHERE p.id = $1 AND u.disabled_at IS NULL AND lower(u.email) = ANY ($2::text[]))"};

constexpr postgres::statement delete_old_numbers{"mail_delete_old", R"(
DELETE FROM address_mails WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM address_mails WHERE hour < date_trunc('hour', statement_timestamp(), 'UTC')
   ORDER BY hour LIMIT $1 FOR UPDATE SKIP LOCKED)))"};

}  // namespace

task<std::vector<bool>> mail_store::admit(uuid project, std::optional<uuid> message,
                                          std::vector<std::string> recipients, mail_limits most, deadline until) {
  postgres::query ask{admit_recipients,
                      postgres::parameters(message, project, recipients, most.per_day, most.per_address)};
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  std::vector<bool> out;
  for (int i = 0; i < found.size(); ++i) out.push_back(found[i].boolean(0));
  co_return out;
}

task<std::vector<std::string>> mail_store::members_among(uuid project, std::vector<std::string> addresses,
                                                         deadline until) {
  for (auto& each : addresses) each = lower_case(each);
  postgres::query ask{find_members, postgres::parameters(project, addresses)};
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  std::vector<std::string> out;
  for (int i = 0; i < found.size(); ++i) out.emplace_back(found[i].text(0));
  co_return out;
}

task<std::int64_t> mail_store::delete_old(std::int64_t most, deadline until) {
  postgres::query ask{delete_old_numbers, postgres::parameters(most)};
  co_return settled(co_await db_.run(std::move(ask), until)).affected();
}

}  // namespace svc::store
