#pragma once

#include "app/dev/child_process.hpp"

#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace svc::app::dev {

/// Tells once when a store ends by itself; nothing is restarted, so that tests and people see what a lost store
/// does. Has a thread of its own, since serving occupies the main one; ends with this object.
class store_watch {
 public:
  struct store {
    std::string name;
    child_process* process;  ///< outlives this; nobody else's while this lives
  };

  store_watch(std::vector<store> stores, std::function<void(std::string const& sentence)> say);
  ~store_watch();
  store_watch(store_watch const&) = delete;
  store_watch& operator=(store_watch const&) = delete;

 private:
  void run(std::vector<store> left) const;

  std::function<void(std::string const&)> say_;
  int stop_;
  std::thread thread_;
};

}  // namespace svc::app::dev
