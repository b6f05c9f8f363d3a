#include "svc/access/record_cache.hpp"

#include <boost/json.hpp>

#include <algorithm>

namespace svc::access {
namespace {

namespace json = boost::json;

constexpr std::int64_t format_version = 3;

json::value maybe(std::optional<timestamp> const& t) {
  return t ? json::value(t->micros) : json::value(nullptr);
}

json::value maybe(std::optional<std::vector<cidr>> const& ranges) {
  if (!ranges) return nullptr;
  json::array out;
  for (cidr const& one : *ranges) out.emplace_back(one.to_string());
  return out;
}

/// Takes the members off the array in order; any mismatch makes the whole record unreadable.
class reader {
 public:
  explicit reader(json::array const& from) : from_(from) {}

  std::int64_t integer() {
    auto const* v = next();
    if (v == nullptr || !v->is_int64()) return fail(), 0;
    return v->get_int64();
  }
  std::optional<std::int64_t> maybe_integer() {
    if (at_ < from_.size() && from_[at_].is_null()) return ++at_, std::nullopt;
    return integer();
  }
  bool boolean() {
    auto const* v = next();
    if (v == nullptr || !v->is_bool()) return fail(), false;
    return v->get_bool();
  }
  std::string text() {
    auto const* v = next();
    if (v == nullptr || !v->is_string()) return fail(), std::string();
    return std::string(v->get_string());
  }
  uuid id() {
    auto const parsed = uuid::parse(text());
    if (!parsed) fail();
    return parsed.value_or(uuid{});
  }
  std::optional<uuid> maybe_id() {
    if (at_ < from_.size() && from_[at_].is_null()) return ++at_, std::nullopt;
    return id();
  }
  std::optional<timestamp> maybe_time() {
    auto const t = maybe_integer();
    return t ? std::optional(timestamp{*t}) : std::nullopt;
  }
  template <class Enum>
  Enum enumerator(Enum last) {
    auto const value = integer();
    if (value < 0 || value > static_cast<std::int64_t>(last)) return fail(), Enum{};
    return static_cast<Enum>(value);
  }
  std::optional<std::vector<cidr>> maybe_ranges() {
    auto const* v = next();
    if (v != nullptr && v->is_null()) return std::nullopt;
    std::vector<cidr> out;
    if (v == nullptr || !v->is_array()) return fail(), out;
    for (auto const& one : v->get_array()) {
      auto const range = one.is_string() ? cidr::parse(one.get_string()) : std::nullopt;
      if (!range) return fail(), out;
      out.push_back(*range);
    }
    return out;
  }
  bool complete() const { return good_ && at_ == from_.size(); }

 private:
  json::value const* next() { return at_ < from_.size() ? &from_[at_++] : nullptr; }
  void fail() { good_ = false; }

  json::array const& from_;
  std::size_t at_ = 0;
  bool good_ = true;
};

std::optional<std::uint32_t> narrow(std::optional<std::int64_t> v) {
  return v ? std::optional(static_cast<std::uint32_t>(*v)) : std::nullopt;
}

token_record read_members(reader& in) {
  token_record r;
  principal& who = r.who;
  who.epoch = in.integer();
  r.read_at = {in.integer()};
  r.max_age_micros = in.integer();
  r.state = in.enumerator(token_state::project_archived);
  who.kind = in.enumerator(token_kind::legacy_trigger);
  who.owner_role = in.enumerator(role::org_owner);
  who.token_id = in.id();
  who.subject = in.id();
  who.owner_id = in.id();
  who.project_id = in.id();
  who.organization_id = in.id();
  who.job_id = in.maybe_id();
  who.expires_at = in.maybe_time();
  r.valid_until = in.maybe_time();
  r.pending = in.boolean();
  r.rate_limit = narrow(in.maybe_integer());
  r.rate_window = narrow(in.maybe_integer());
  who.token_name = in.text();
  who.owner_name = in.text();
  who.project_slug = in.text();
  who.organization_slug = in.text();
  r.allowed = in.maybe_ranges();
  return r;
}

}  // namespace

std::string encode_record(token_record const& r) {
  principal const& who = r.who;
  json::array members{format_version,
                      who.epoch,
                      r.read_at.micros,
                      r.max_age_micros,
                      static_cast<std::int64_t>(r.state),
                      static_cast<std::int64_t>(who.kind),
                      static_cast<std::int64_t>(who.owner_role),
                      who.token_id.to_string(),
                      who.subject.to_string(),
                      who.owner_id.to_string(),
                      who.project_id.to_string(),
                      who.organization_id.to_string(),
                      who.job_id ? json::value(who.job_id->to_string()) : json::value(nullptr),
                      maybe(who.expires_at),
                      maybe(r.valid_until),
                      r.pending,
                      r.rate_limit ? json::value(std::int64_t{*r.rate_limit}) : json::value(nullptr),
                      r.rate_window ? json::value(std::int64_t{*r.rate_window}) : json::value(nullptr),
                      who.token_name,
                      who.owner_name,
                      who.project_slug,
                      who.organization_slug,
                      maybe(r.allowed)};
  return "r:" + std::to_string(who.epoch) + ":" + std::to_string(r.read_at.micros) + ":" + json::serialize(members);
}

std::optional<token_record> decode_record(std::string_view text) {
  if (!text.starts_with("r:")) return std::nullopt;
  auto const array_at = text.find('[');
  if (array_at == std::string_view::npos) return std::nullopt;
  boost::system::error_code ec;
  auto const parsed = json::parse(text.substr(array_at), ec);
  if (ec || !parsed.is_array()) return std::nullopt;
  reader in(parsed.get_array());
  if (in.integer() != format_version) return std::nullopt;
  token_record r = read_members(in);
  if (!in.complete()) return std::nullopt;
  return r;
}

void record_cache::erase(map::iterator at) {
  by_use_.erase(at->second.use);
  entries_.erase(at);
}

held_record record_cache::find(sha256_digest const& digest, timestamp now) {
  auto const found = entries_.find(digest);
  if (found == entries_.end()) return {};
  if (!young_enough(*found->second.held.record, now)) {
    erase(found);
    return {};
  }
  by_use_.splice(by_use_.begin(), by_use_, found->second.use);
  return found->second.held;
}

void record_cache::keep(sha256_digest const& digest, held_record record) {
  if (auto const found = entries_.find(digest); found != entries_.end()) {
    auto& held = found->second.held;
    if (newer(*record.record, *held.record)) {
      held = std::move(record);
    } else if (record.record->read_at == held.record->read_at) {
      held.unpublished = held.unpublished && record.unpublished;
    }
    return;
  }
  if (entries_.size() >= capacity_) erase(entries_.find(by_use_.back()));
  by_use_.push_front(digest);
  entries_.emplace(digest, entry{std::move(record), by_use_.begin()});
}

void record_cache::forget(std::vector<subject_epoch> const& touched) {
  std::erase_if(entries_, [&](auto const& item) {
    auto const& who = item.second.held.record->who;
    bool const old = std::any_of(touched.begin(), touched.end(), [&](subject_epoch const& t) {
      return t.subject == who.subject && who.epoch < t.epoch;
    });
    if (old) by_use_.erase(item.second.use);
    return old;
  });
}

void record_cache::forget_all() {
  entries_.clear();
  by_use_.clear();
}

}  // namespace svc::access
