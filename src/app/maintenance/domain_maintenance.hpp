#pragma once

#include "svc/core/async.hpp"
#include "svc/core/background_loops.hpp"
#include "svc/egress/dns/resolver.hpp"
#include "svc/store/pages/page_store.hpp"

#include <utility>

namespace svc::app {

/// Repeats the proofs of the domains of status pages daily. A page whose proof fails for three days loses its domain.
/// One worker of each instance does this; a proof that two instances repeat does no harm. Worker-local; its
/// dependencies must outlive it.
class domain_maintenance {
 public:
  struct parts {
    store::page_store& pages;
    egress::resolver& names;
    loop_starter loops;  ///< asked between two domains whether to go on
  };
  explicit domain_maintenance(parts parts) : parts_(std::move(parts)) {}
  domain_maintenance(domain_maintenance const&) = delete;
  domain_maintenance& operator=(domain_maintenance const&) = delete;

  /// On that worker, before its thread runs.
  void start();

 private:
  task<> check_due();

  parts parts_;
};

}  // namespace svc::app
