#pragma once

#include "http/public_pages/routes.hpp"
#include "svc/core/account_window.hpp"
#include "svc/core/work_scheduler.hpp"

#include <chrono>
#include <cstddef>

namespace svc::public_pages {

/// The processor time that a worker spends on rendering pages, by project. Months, incidents and occurrences have
/// half a share of their own: visitors choose any number of them, and must not use up the time of the page itself.
/// Worker-local; the account, which all workers share, outlives it. Times are parameters.
class render_shares {
 public:
  static constexpr auto window = work_scheduler::window;

  /// As for other processor time, a project has a quarter of a worker. Here the limit holds even while nobody else
  /// wants the time.
  static account_terms terms(std::size_t workers) {
    auto out = work_scheduler::terms("page_cpu", workers);
    out.rule = share_rule::always;
    return out;
  }

  render_shares(account& time, steady::time_point now)
      : time_(time), own_(time, window, now), chosen_(time, window, now) {}

  /// Returns true if the project may render a text of this form. Counts a refusal.
  bool allow(uuid const& project, page_form form, steady::time_point now) {
    bool const chosen = is_chosen(form);
    auto& spent = chosen ? chosen_ : own_;
    spent.roll(now);
    auto const share = time_.terms().project_share;
    bool const within = spent.spent_by(project) < (chosen ? share / 2 : share);
    if (!within) time_.refuse({.project = project, .organisation = {}}, account_decision::project_exhausted, now);
    return within;
  }

  void charge(uuid const& project, page_form form, std::chrono::nanoseconds spent, steady::time_point now) {
    auto& window_of_form = is_chosen(form) ? chosen_ : own_;
    window_of_form.spend({.project = project, .organisation = {}}, static_cast<std::size_t>(spent.count()), now);
  }

 private:
  static bool is_chosen(page_form form) {
    return form == page_form::history || form == page_form::incident || form == page_form::maintenance;
  }

  account& time_;
  account_window own_, chosen_;
};

}  // namespace svc::public_pages
