#include "store/delivery/mail_budget.hpp"

#include "store/sql/settled.hpp"
#include "store/sql/sql_text.hpp"
#include "svc/store/delivery/system_mail_store.hpp"

#include <algorithm>

namespace svc::store {
namespace {

// $2: an address; $3: the pause of its budget; $4: the time for which a budget may be in arrears when a further mail
// is taken. Both in seconds. Returns a row if the address takes the mail.
constexpr auto mailed_address = sql(" sha256(convert_to(lower($2), 'UTF8')) ");
constexpr auto take_budget_sql =
    sql("INSERT INTO system_mail_budgets AS b (kind, recipient, full_at)"
        " VALUES ($1,",
        mailed_address, R"(, clock_timestamp() + $3 * interval '1 second')
ON CONFLICT (kind, recipient) DO UPDATE
   SET full_at = greatest(b.full_at, clock_timestamp()) + $3 * interval '1 second'
 WHERE b.full_at <= clock_timestamp() + $4 * interval '1 second'
RETURNING b.kind)");
constexpr postgres::statement take_budget{"system_mail_take_budget", take_budget_sql};

constexpr auto find_spent_budget_sql =
    sql("SELECT FROM system_mail_budgets b WHERE b.kind = $1 AND b.recipient =", mailed_address,
        "AND b.full_at > clock_timestamp() + $3 * interval '1 second'");
constexpr postgres::statement find_spent_budget{"system_mail_find_spent_budget", find_spent_budget_sql};

// Until the budget has a mail again, or until the link ends. The mail of the budget may have been taken by another
// instance meanwhile, so the next look is not before a second.
constexpr auto postpone_mail_sql = sql(R"(
UPDATE system_mails m
   SET reason = 'too_many_mails',
       due_at = least(greatest(b.full_at - $3 * interval '1 second', clock_timestamp() + interval '1 second'),
                      coalesce((SELECT l.expires_at FROM links l WHERE l.id = m.link_id),
                               (SELECT i.expires_at FROM invitations i WHERE i.id = m.invitation_id)))
  FROM system_mail_budgets b
 WHERE m.id = $1 AND b.kind = m.kind AND b.recipient =)",
                                       mailed_address);
constexpr postgres::statement postpone_mail{"system_mail_postpone", postpone_mail_sql};

system_mail_budget budget_of(std::string_view kind) {
  auto const found = std::ranges::find(system_mail_budgets, kind, &system_mail_budget::kind);
  return found == system_mail_budgets.end() ? system_mail_budgets.front() : *found;
}

std::int64_t pause_of(system_mail_budget const& budget) {
  return std::chrono::seconds(budget.pause).count();
}

/// Returns the time by which a budget may be in arrears when it takes a further mail.
std::int64_t arrears_of(system_mail_budget const& budget) {
  return (budget.at_once - 1) * pause_of(budget);
}

}  // namespace

task<std::vector<first_mail>> take_budgets(postgres::unit_of_work& tx, std::vector<first_mail> mails) {
  std::vector<first_mail> without;
  if (mails.empty()) co_return without;
  // In one order, so that two instances cannot wait for each other.
  std::ranges::sort(mails);
  std::vector<postgres::query> takes;
  for (auto const& each : mails) {
    auto const budget = budget_of(each.kind);
    takes.push_back(
        {take_budget, postgres::parameters(each.kind, each.recipient, pause_of(budget), arrears_of(budget))});
  }
  std::vector<postgres::rows> const taken = settled(co_await tx.run(std::move(takes)));
  for (std::size_t i = 0; i < mails.size(); ++i)
    if (taken[i].empty()) without.push_back(std::move(mails[i]));
  co_return without;
}

postgres::query postpone_query(first_mail const& mail) {
  return {postpone_mail, postgres::parameters(mail.id, mail.recipient, arrears_of(budget_of(mail.kind)))};
}

postgres::query spent_budget_query(std::string_view kind, std::string_view address) {
  return {find_spent_budget, postgres::parameters(kind, address, arrears_of(budget_of(kind)))};
}

}  // namespace svc::store
