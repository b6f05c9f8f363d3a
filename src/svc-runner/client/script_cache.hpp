#pragma once

#include "svc-runner/client/messages.hpp"

#include <cstddef>
#include <list>
#include <map>
#include <string>
#include <utility>

namespace svc::runner {

/// A test and the version of its script.
using script_name = std::pair<std::string, std::string>;

/// Scripts by test and version, up to a number of bytes; drops the least recently used script first. Only in
/// memory, which scripts cannot read. A value.
class script_cache {
 public:
  static constexpr std::size_t usual_bytes = 64UL * 1024 * 1024;

  explicit script_cache(std::size_t most_bytes = usual_bytes) : most_(most_bytes) {}

  /// Returns null if the script is not kept.
  script_text find(script_name const& name);
  /// Ignores a script that is larger than the whole cache.
  void keep(script_name name, script_text script);

  std::size_t bytes() const { return bytes_; }

 private:
  struct entry {
    script_name name;
    script_text script;
  };
  using entry_list = std::list<entry>;

  std::size_t most_;
  std::size_t bytes_ = 0;
  entry_list used_{};  ///< the last used one first
  std::map<script_name, entry_list::iterator> by_name_{};
};

}  // namespace svc::runner
