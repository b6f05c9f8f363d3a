#pragma once

#include "svc/core/async.hpp"
#include "svc/core/uuid.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/postgres/query.hpp"

#include <compare>
#include <string>
#include <string_view>
#include <vector>

// The budgets of addresses (`system_mail_budgets`), which all mails of the service share. They are exact, because
// each mail changes the row of its address. Their locks come after those of links, invitations and mails.

namespace svc::store {

/// A mail before its first attempt.
struct first_mail {
  std::string kind;
  std::string recipient;
  uuid id;
  auto operator<=>(first_mail const&) const = default;
};

/// Takes each mail from the budget of its address, and returns those for which there was none.
task<std::vector<first_mail>> take_budgets(postgres::unit_of_work& tx, std::vector<first_mail> mails);

/// Makes the mail wait until the budget of its address has a mail again, or until its link ends.
postgres::query postpone_query(first_mail const& mail);

/// Returns a row if the address takes no mail of the kind now. Takes nothing.
postgres::query spent_budget_query(std::string_view kind, std::string_view address);

}  // namespace svc::store
