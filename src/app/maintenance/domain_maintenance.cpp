#include "app/maintenance/domain_maintenance.hpp"

#include "svc/core/log.hpp"
#include "svc/domain/pages/inputs.hpp"
#include "svc/egress/dns/resolver.hpp"

#include <chrono>

namespace svc::app {
namespace {

constexpr std::chrono::seconds domain_interval{60};
constexpr std::chrono::seconds domain_patience{5};
constexpr std::chrono::seconds record_lookup_patience{10};

}  // namespace

void domain_maintenance::start() {
  parts_.loops.start("page_domains", domain_interval, this, &domain_maintenance::check_due);
}

task<> domain_maintenance::check_due() {
  for (auto const& each : co_await parts_.pages.domains_due(deadline::after(domain_patience))) {
    if (!parts_.loops.goes_on()) co_return;
    auto found = co_await egress::read_text_records(parts_.names, pages::domain_record(each.domain),
                                                    deadline::after(record_lookup_patience));
    // The fault is ours, not that of the domain, so the next round asks again.
    if (found.resolver_failed) {
      log::warn("the domains of status pages are not checked, because no name server answers");
      co_return;
    }
    if (co_await parts_.pages.recheck_domain(each, std::move(found.texts), deadline::after(domain_patience)))
      log::info("a status page has lost its domain because its proof failed for three days",
                {{"page", each.page.to_string()}, {"domain", each.domain}});
  }
}

}  // namespace svc::app
