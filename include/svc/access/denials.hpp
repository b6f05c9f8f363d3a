#pragma once

#include "svc/core/deadline.hpp"
#include "svc/domain/limit.hpp"

#include <optional>
#include <string>
#include <unordered_map>

namespace svc::access {

/// Windows that were just found full, for at most 50 ms: a client that hammers a full window costs Redis at most
/// 20 calls a second of each worker. Bounded. Worker-local; pure but for the given times.
class denials {
 public:
  /// `sent`: when the question left, so that the answer's age is never underestimated.
  void remember(std::string const& key, limit_decision const& denied, steady::time_point sent);
  bool empty() const { return entries_.empty(); }
  /// The denial, with its clock moved on, while it holds.
  std::optional<limit_decision> find(std::string const& key, steady::time_point now);

 private:
  struct entry {
    limit_decision denied;
    steady::time_point sent;
    steady::time_point until;
  };
  std::unordered_map<std::string, entry> entries_;
};

}  // namespace svc::access
