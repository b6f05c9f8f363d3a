#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"

#include <exception>
#include <optional>
#include <utility>

namespace svc {

/// One row for a shared statement or transaction, and its outcome. Its caller and its batch own it; either
/// may end first.
template <class Row, class Verdict>
struct pending {
  pending(executor const& executor, Row trigger_row, deadline until)
      : row(std::move(trigger_row)), over(executor, until.at()) {}

  Row row;
  std::optional<Verdict> verdict{};
  std::exception_ptr failure{};
  steady_timer over;  ///< expires at the caller's deadline; the outcome cancels it

  bool decided() const { return verdict || failure; }
  void decide(Verdict v) {
    verdict = std::move(v);
    over.cancel();
  }
  void fail(std::exception_ptr exception) {
    failure = std::move(exception);
    over.cancel();
  }
};

}  // namespace svc
