#include "cli/settings/project_check.hpp"

#include "cli/settings/files.hpp"
#include "svc/core/bytes.hpp"
#include "svc/core/hash.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>

namespace svc::cli {
namespace {

namespace json = boost::json;

constexpr std::size_t largest_cache_file = 64UL * 1024;

std::optional<std::string> text_member(json::object const& object, std::string_view name) {
  auto const* const found = object.if_contains(name);
  if (found == nullptr || !found->is_string()) return std::nullopt;
  return std::string(found->get_string());
}

std::optional<std::string> slug_of(json::object const& whoami, std::string_view path) {
  auto const* const found = whoami.if_contains(path);
  return found != nullptr && found->is_object() ? text_member(found->get_object(), "slug") : std::nullopt;
}

std::string mismatch(std::optional<found_value> const& wanted, std::string const& actual, std::string_view subject) {
  if (!wanted || wanted->value == actual) return {};
  return wanted->source + " names the " + std::string(subject) + " " + wanted->value + ", but the token belongs to " +
         actual + ".";
}

/// Address and token give one key, which reveals neither.
std::string fact_key(std::string const& address, secret_string const& token) {
  return to_hex(sha256(address + "\n" + to_hex(sha256(token.reveal()))));
}

/// In days above two, else in hours.
std::string rough_time(std::chrono::microseconds left) {
  auto const hours = std::chrono::duration_cast<std::chrono::hours>(left).count();
  if (hours >= 48) return std::to_string(hours / 24) + " days";
  if (hours >= 2) return std::to_string(hours) + " hours";
  return "less than two hours";
}

std::optional<timestamp> micros_member(json::object const& object, std::string_view name) {
  auto const* const found = object.if_contains(name);
  if (found == nullptr || !found->is_int64()) return std::nullopt;
  return timestamp{found->get_int64()};
}

}  // namespace

std::optional<token_facts> facts_of(json::value const& whoami) {
  auto const* const object = whoami.if_object();
  if (object == nullptr) return std::nullopt;
  auto const organization = slug_of(*object, "organization");
  auto const project = slug_of(*object, "project");
  if (!organization || !project) return std::nullopt;
  token_facts out{.organization = *organization, .project = *project};
  if (auto const expires = text_member(*object, "expiresAt")) out.expires = parse_rfc3339(*expires);
  return out;
}

std::string misplacement(settings const& settings, token_facts const& facts) {
  auto const wrong = mismatch(settings.organization, facts.organization, "organization");
  return wrong.empty() ? mismatch(settings.project, facts.project, "project") : wrong;
}

failure misplaced(std::string const& sentence) {
  return {exit_code::usage, "wrong_project", sentence,
          "Use a token of that project, or correct the name. svc whoami shows where the token belongs."};
}

std::string expiry_warning(token_facts const& facts, timestamp now) {
  if (!facts.expires || *facts.expires - now >= expiry_notice) return {};
  return "The token expires in " + rough_time(*facts.expires - now) + " (" + to_rfc3339(*facts.expires) +
         "). svc token rotate gives it a new secret and a new expiry.";
}

facts_table facts_table::parse(std::string_view text) {
  facts_table out;
  boost::system::error_code bad;
  auto const parsed = json::parse(text, bad);
  if (bad || !parsed.is_array()) return out;
  for (auto const& each : parsed.get_array()) {
    auto const* const object = each.if_object();
    if (object == nullptr || out.entries_.size() == most_entries) continue;
    auto const key = text_member(*object, "key");
    auto const organization = text_member(*object, "organization");
    auto const project = text_member(*object, "project");
    auto const learned = micros_member(*object, "learned");
    if (key && organization && project && learned)
      out.entries_.push_back({*key, {*organization, *project, micros_member(*object, "expires")}, *learned});
  }
  return out;
}

std::string facts_table::text() const {
  json::array out;
  for (auto const& each : entries_) {
    json::object object{{"key", each.key},
                        {"organization", each.facts.organization},
                        {"project", each.facts.project},
                        {"learned", each.learned.micros}};
    if (each.facts.expires) object["expires"] = each.facts.expires->micros;
    out.push_back(std::move(object));
  }
  return json::serialize(out);
}

std::optional<token_facts> facts_table::find(std::string_view key, timestamp now) const {
  auto const found = std::find_if(entries_.begin(), entries_.end(), [&](entry const& e) { return e.key == key; });
  if (found == entries_.end() || found->learned > now || now - found->learned >= lifetime) return std::nullopt;
  return found->facts;
}

void facts_table::put(std::string key, token_facts facts, timestamp now) {
  std::erase_if(entries_, [&](entry const& e) { return e.key == key; });
  entries_.push_back({std::move(key), std::move(facts), now});
  if (entries_.size() > most_entries) entries_.erase(entries_.begin());
}

facts_cache::facts_cache(std::string const& directory)
    : path_(directory.empty() ? directory : directory + "/tokens.json") {}

facts_table facts_cache::table() const {
  if (path_.empty()) return {};
  try {
    auto const text = read_private_file(path_, largest_cache_file);
    return text ? facts_table::parse(text->reveal()) : facts_table();
  } catch (failure const&) {
    return {};
  }
}

std::optional<token_facts> facts_cache::find(std::string const& address, secret_string const& token,
                                             timestamp now) const {
  return table().find(fact_key(address, token), now);
}

void facts_cache::remember(std::string const& address, secret_string const& token, token_facts const& facts,
                           timestamp now) const {
  if (path_.empty()) return;
  auto known = table();
  known.put(fact_key(address, token), facts, now);
  try {
    // Without a lock: an entry that two processes lose costs one more question.
    replace_private_file(path_, known.text());
  } catch (failure const&) {  // NOLINT(bugprone-empty-catch): the cache is a convenience
  }
}

}  // namespace svc::cli
