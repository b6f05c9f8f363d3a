#pragma once

#include "svc/http/contract.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace svc::api {

/// The handlers of one contract by their operationIds; `Handler` is a pointer to a function. Immutable.
template <class Handler>
class handler_table {
 public:
  struct entry {
    std::string_view operation_id;
    Handler run;
  };
  /// `name` is the contract's, for errors. The entries outlive the table.
  constexpr handler_table(std::string_view name, std::span<entry const> entries) : name_(name), entries_(entries) {}

  /// Returns null if there is none.
  Handler find(std::string_view operation_id) const {
    auto const found = std::ranges::find(entries_, operation_id, &entry::operation_id);
    return found == entries_.end() ? nullptr : found->run;
  }

  /// Throws `std::runtime_error` that names each operation without a handler and each handler without an operation.
  void check(http::contract const& contract) const {
    std::string wrong;
    auto const& operations = contract.operations();
    for (auto const& op : operations) {
      if (find(op.id) == nullptr) wrong += " operation without handler: " + op.id + ";";
    }
    for (entry const& e : entries_) {
      if (std::ranges::find(operations, e.operation_id, &http::operation::id) == operations.end())
        wrong += " handler without operation: " + std::string(e.operation_id) + ";";
    }
    if (!wrong.empty()) throw std::runtime_error("the " + std::string(name_) + " and the handlers differ:" + wrong);
  }

 private:
  std::string_view name_;
  std::span<entry const> entries_;
};

}  // namespace svc::api
