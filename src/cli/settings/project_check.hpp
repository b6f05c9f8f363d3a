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

/// The facts about a token that the client needs: its organization, its project and its expiry. A value.
struct token_facts {
  std::string organization, project;  ///< slugs
  std::optional<timestamp> expires{};
  friend bool operator==(token_facts const&, token_facts const&) = default;
};

/// Reads the answer of `GET /api/auth/whoami`; returns `std::nullopt` for any other answer.
std::optional<token_facts> facts_of(boost::json::value const& whoami);

/// Returns a sentence with both slugs if the settings name another organization or project than the token's; empty:
/// the token belongs there, or the settings name none.
std::string misplacement(settings const& settings, token_facts const& facts);
/// Returns that sentence as the failure (usage) that prevents a command from working in the wrong project.
failure misplaced(std::string const& sentence);

/// The time before a token's expiry from which the client warns.
inline constexpr std::chrono::hours expiry_notice{14 * 24};
/// Returns "The token expires in 3 days (...)", if it expires within `expiry_notice`, otherwise an empty text.
std::string expiry_warning(token_facts const& facts, timestamp now);

/// A table of recent facts. It holds no secret: the key of an entry is a hash. A value.
class facts_table {
 public:
  static constexpr std::size_t most_entries = 64;
  static constexpr std::chrono::hours lifetime{24};

  /// Reads the result of `text()`. Total: it leaves out parts that are no entries.
  static facts_table parse(std::string_view text);
  std::string text() const;

  /// Returns `std::nullopt` for an entry older than `lifetime`, or from the future (the clock was set back).
  std::optional<token_facts> find(std::string_view key, timestamp now) const;
  /// Replaces the key's entry, and removes the oldest entries when there are too many.
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

/// The table on the disk, `$XDG_CACHE_HOME/svc/tokens.json` (0600 in a directory of 0700). If the file or its
/// directory has any problem, the client works without it and asks the service again. Immutable.
class facts_cache {
 public:
  /// `directory` is `settings::cache_directory`; if empty, the cache stores nothing.
  explicit facts_cache(std::string const& directory);

  std::optional<token_facts> find(std::string const& address, secret_string const& token, timestamp now) const;
  void remember(std::string const& address, secret_string const& token, token_facts const& facts,
                timestamp now) const;

 private:
  facts_table table() const;

  std::string path_;
};

}  // namespace svc::cli
