#include "svc/core/account_book.hpp"

#include <string>

namespace svc {

account_book::entry::entry(metrics& counters, account_terms const& terms)
    : held(terms),
      amount(counters.make_gauge("svc_account_held", "Amount of a shared resource that tenants hold",
                                 {{"account", std::string(terms.name)}})),
      refused(counters.make_counter("svc_account_refused_total",
                                    "Refusals because a share or the total was exhausted",
                                    {{"account", std::string(terms.name)}})) {
  counters
      .make_gauge("svc_account_limit", "Amount of a shared resource that tenants may hold in all",
                  {{"account", std::string(terms.name)}})
      .set(static_cast<double>(terms.total) / terms.per_unit);
}

account& account_book::open(account_terms const& terms) {
  return entries_.emplace_back(counters_, terms).held;
}

void account_book::show() const {
  for (auto const& each : entries_) {
    each.amount.set(static_cast<double>(each.held.held()) / each.held.terms().per_unit);
    each.refused.raise_to(static_cast<double>(each.held.refused()));
  }
}

}  // namespace svc
