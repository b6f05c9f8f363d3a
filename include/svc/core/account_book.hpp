#pragma once

#include "svc/core/account.hpp"
#include "svc/core/metrics.hpp"

#include <deque>

namespace svc {

/// All accounts of the process and their metrics: `svc_account_held`, `svc_account_limit` and
/// `svc_account_refused_total`, with the label `account` and none that names a tenant. All accounts are opened before
/// the first thread starts; the book outlives everything that holds a part of an account.
class account_book {
 public:
  explicit account_book(metrics& counters) : counters_(counters) {}

  account& open(account_terms const& terms);
  /// Sets the metrics. Call it before each scrape, on one thread at a time.
  void show() const;

 private:
  struct entry {
    entry(metrics& counters, account_terms const& terms);
    account held;
    gauge amount;
    counter refused;
  };
  metrics& counters_;
  std::deque<entry> entries_{};
};

}  // namespace svc
