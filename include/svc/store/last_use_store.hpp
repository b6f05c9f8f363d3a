#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/time.hpp"
#include "svc/core/uuid.hpp"

#include <string>
#include <vector>

namespace svc::postgres {
class pool;
}

namespace svc::store {

struct last_use {
  uuid token;
  timestamp at;
  std::string ip;
};

/// When and from where tokens were last used; never goes back, changes no version. Worker-local.
class last_use_store {
 public:
  explicit last_use_store(postgres::pool& db) : db_(db) {}
  /// One statement, rows in id order so that two instances cannot deadlock. Throws `unavailable`.
  task<> write(std::vector<last_use> batch, deadline until);

 private:
  postgres::pool& db_;
};

}  // namespace svc::store
