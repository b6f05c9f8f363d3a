#pragma once

#include "svc/core/background_loops.hpp"
#include "svc/core/master_keys.hpp"
#include "svc/core/metrics.hpp"
#include "svc/store/sealing/key_rotation.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace svc::app {

/// Data keys that no key of the file opens, and their master keys. A value.
struct missing_master_keys {
  std::int64_t data_keys = 0;
  std::vector<std::string> ids{};

  /// Returns a sentence for operators, or an empty text if no key is missing. `file`: the path of the key file.
  std::string sentence(std::string const& file) const;
};

/// Compares the master keys in use with those of the file. Pure.
missing_master_keys find_missing(std::vector<store::master_key_use> const& uses,
                                 std::vector<std::string> const& held);

/// Compares the master keys that the database needs with the key file once a minute, so that a wrong file is noticed
/// before a secret is needed. The instance serves nevertheless, because only sealed values need the keys. Runs on one
/// worker for the whole instance; its dependencies outlive it.
class master_key_check {
 public:
  struct parts {
    postgres::pool& db;
    std::string file;
    metrics& counters;
    loop_starter loops;
    std::function<void(std::string)>
        show;  ///< takes the sentence, empty if nothing is missing; on the worker's thread
  };
  explicit master_key_check(parts parts);

  /// Checks at once, and then once a minute.
  void start();

 private:
  task<> compare();

  parts parts_;
  gauge missing_;
  std::string said_{};
};

}  // namespace svc::app
