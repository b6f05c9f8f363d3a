#pragma once

#include "svc/core/deadline.hpp"
#include "svc/http/public_pages/source.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

namespace svc::public_pages {

/// Remembers which page has a name, or that none has it, as the stores answered a moment ago. Keeps the names used
/// last: at least `most`, and at most twice as many. Worker-local; pure: times are parameters.
class known_names {
 public:
  /// Time for which a name without a page, and a former slug, are believed. A slug or domain of a page needs no
  /// limit, because the page itself says whether it still has the name.
  static constexpr std::chrono::seconds belief{5};

  explicit known_names(std::size_t most = 10'000) : most_(most) {}

  struct known {
    std::optional<located_page> page{};  ///< none: no page has the name
    bool fresh = true;                   ///< false: ask again, and use this only meanwhile
  };
  /// Returns `std::nullopt` for a name that is not remembered.
  std::optional<known> find(page_name const& name, steady::time_point now) {
    auto const key = key_of(name);
    auto found = young_.find(key);
    if (found == young_.end()) {
      auto node = old_.extract(key);
      if (node.empty()) return std::nullopt;
      make_room();
      found = young_.insert(std::move(node)).position;
    }
    auto const& page = found->second.page;
    bool const lasting = page && !page->former;
    return known{page, lasting || now - found->second.asked < belief};
  }

  /// `asked` is the time before the question.
  void keep(page_name const& name, std::optional<located_page> page, steady::time_point asked) {
    forget(name);
    make_room();
    young_[key_of(name)] = {page, asked};
  }

  void forget(page_name const& name) {
    auto const key = key_of(name);
    young_.erase(key);
    old_.erase(key);
  }

  std::size_t size() const { return young_.size() + old_.size(); }

 private:
  struct entry {
    std::optional<located_page> page{};
    steady::time_point asked{};
  };

  static std::string key_of(page_name const& name) {
    return std::string(1, static_cast<char>('0' + static_cast<int>(name.kind))) + name.text;
  }
  void make_room() {
    if (young_.size() >= most_) old_ = std::exchange(young_, {});
  }

  std::size_t const most_;
  std::unordered_map<std::string, entry> young_{}, old_{};
};

}  // namespace svc::public_pages
