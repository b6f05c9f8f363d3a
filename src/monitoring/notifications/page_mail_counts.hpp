#pragma once

#include "monitoring/notifications/page_mailer.hpp"
#include "svc/core/metrics.hpp"

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace svc::notifications {

/// The metrics of the mails of pages. `over`: nobody waits for the mail any more. `late`: the lease had ended before
/// the outcome was stored.
struct page_mailer::counted {
  static constexpr std::array<std::string_view, 2> kinds{"confirmation", "post"};
  static constexpr std::array<std::string_view, 5> outcomes{"sent", "retry", "failed", "over", "late"};

  explicit counted(metrics& counters)
      : waiting(counters.make_gauge("svc_page_mails_waiting", "Mails of status pages that wait, of all instances")) {
    for (auto const kind : kinds)
      for (auto const outcome : outcomes)
        mails[{kind, outcome}] =
            counters.make_counter("svc_page_mails_total", "Attempts to send mails of status pages, by outcome",
                                  {{"kind", std::string(kind)}, {"outcome", std::string(outcome)}});
    for (std::size_t i = 0; i < store::subscription_outcome_count; ++i) {
      auto const text = to_text(static_cast<store::subscription_outcome>(i));
      requests.at(i) =
          counters.make_counter("svc_subscriptions_total", "Requests for mails of status pages, by outcome",
                                {{"outcome", std::string(text)}});
    }
  }

  void add(std::string_view kind, std::string_view outcome, std::size_t count = 1) {
    mails.at({kind, outcome}).add(static_cast<double>(count));
  }
  void add(store::subscription_outcome outcome) { requests.at(static_cast<std::size_t>(outcome)).add(); }

  std::map<std::pair<std::string_view, std::string_view>, counter> mails{};
  std::array<counter, store::subscription_outcome_count> requests{};
  gauge waiting;
};

}  // namespace svc::notifications
