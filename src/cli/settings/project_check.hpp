#pragma once

#include "cli/console/failure.hpp"
#include "cli/settings/settings.hpp"
#include "svc/core/time.hpp"

#include <boost/json/value.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::cli {

/// What the client must know of a token: where it belongs and when it ends. A value.
struct token_facts {
  std::string organization, project;  ///< slugs
  std::optional<timestamp> expires{};
  friend bool operator==(token_facts const&, token_facts const&) = default;
};

/// From the answer of `GET /api/auth/whoami`; nothing if it is not one.
std::optional<token_facts> facts_of(boost::json::value const& whoami);

/// What is wrong with the place that the settings name, a sentence with both slugs; empty: the token belongs there,
/// or nothing is named.
std::string misplacement(settings const& settings, token_facts const& facts);
/// That sentence as the failure (usage) which keeps a command from doing its work in the wrong place.
failure misplaced(std::string const& sentence);

/// From this long before its end a token's expiry is told.
inline constexpr std::chrono::hours expiry_notice{14 * 24};
/// "The token expires in 3 days (...)", if it ends within `expiry_notice`; else empty.
std::string expiry_warning(token_facts const& facts, timestamp now);

/// Facts that were learned lately. Holds no secret: an entry is found by a hash. A value.
class facts_table {
 public:
  static constexpr std::size_t most_entries = 64;
  static constexpr std::chrono::hours lifetime{24};

  /// What `text()` gave. Total: what is no entry is left out.
  static facts_table parse(std::string_view text);
  std::string text() const;

  /// Nothing for an entry older than `lifetime`, or from the future (the clock was set back).
  std::optional<token_facts> find(std::string_view key, timestamp now) const;
  /// Replaces the key's entry; the oldest ones go when there are too many.
  void put(std::string key, token_facts facts, timestamp now);
  std::size_t size() const { return entries_.size(); }

 private:
  struct entry {
    std::string key;
    token_facts facts;
    timestamp learned;
  };
  std::vector<entry> entries_;
};

/// The table on the disk, `$XDG_CACHE_HOME/svc/tokens.json` (0600 in a directory of 0700). Whatever is wrong with the
/// file or its directory, the client works without: it asks the service again. Immutable.
class facts_cache {
 public:
  /// `directory`: `settings::cache_directory`; empty: nothing is kept.
  explicit facts_cache(std::string const& directory);

  std::optional<token_facts> find(std::string const& address, secret_string const& token, timestamp now) const;
  void remember(std::string const& address, secret_string const& token, token_facts const& facts,
                timestamp now) const;

 private:
  facts_table table() const;

  std::string path_;
};

}  // namespace svc::cli
