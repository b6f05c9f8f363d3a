#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"

#include <exception>
#include <optional>
#include <utility>

namespace svc {

/// One row on its way to a shared statement or transaction, and its outcome; held by its caller and its batch, either
/// of which may end first.
template <class Row, class Verdict>
struct pending {
  pending(executor const& executor, Row trigger_row, deadline until)
      : row(std::move(trigger_row)), over(executor, until.at()) {}

  Row row;
  std::optional<Verdict> verdict{};
  std::exception_ptr failure{};
  steady_timer over;  ///< at the caller's deadline, cancelled when the verdict is there

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
