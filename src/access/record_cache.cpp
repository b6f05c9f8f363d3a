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
  for (cidr const& cidr : *ranges) out.emplace_back(cidr.to_string());
  return out;
}

/// Takes the members off the array in order; any mismatch makes the whole record unreadable.
class reader {
 public:
  explicit reader(json::array const& array) : array_(array) {}

  std::int64_t integer() {
    auto const* v = next();
    if (v == nullptr || !v->is_int64()) return fail(), 0;
    return v->get_int64();
  }
  std::optional<std::int64_t> maybe_integer() {
    if (position_ < array_.size() && array_[position_].is_null()) return ++position_, std::nullopt;
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
    if (position_ < array_.size() && array_[position_].is_null()) return ++position_, std::nullopt;
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
    for (auto const& value : v->get_array()) {
      auto const range = value.is_string() ? cidr::parse(value.get_string()) : std::nullopt;
      if (!range) return fail(), out;
      out.push_back(*range);
    }
    return out;
  }
  bool complete() const { return good_ && position_ == array_.size(); }
  void fail() { good_ = false; }

 private:
  json::value const* next() { return position_ < array_.size() ? &array_[position_++] : nullptr; }

  json::array const& array_;
  std::size_t position_ = 0;
  bool good_ = true;
};

std::optional<std::uint32_t> narrow(std::optional<std::int64_t> v) {
  return v ? std::optional(static_cast<std::uint32_t>(*v)) : std::nullopt;
}

std::shared_ptr<session_facts const> read_session_members(reader& reader) {
  auto out = std::make_shared<session_facts>();
  auto const digest = parse_stored_digest(reader.text());
  if (!digest) reader.fail();
  out->presented.digest = digest.value_or(sha256_digest{});
  out->presented.scope.kind = reader.enumerator(session_scope_kind::project);
  out->presented.scope.id = reader.id();
  out->in_organization = reader.enumerator(organization_role::org_owner);
  out->authenticated_at = {reader.integer()};
  out->method = reader.text();
  out->provider = reader.text();
  return out;
}

token_record read_members(reader& reader) {
  token_record r;
  principal& caller = r.caller;
  caller.epoch = reader.integer();
  r.read_at = {reader.integer()};
  r.max_age_micros = reader.integer();
  r.state = reader.enumerator(token_state::policy_not_met);
  caller.kind = reader.enumerator(token_kind::session);
  caller.owner_role = reader.enumerator(role::org_owner);
  caller.token_id = reader.id();
  caller.subject = reader.id();
  caller.owner_id = reader.id();
  caller.project_id = reader.id();
  caller.organization_id = reader.id();
  caller.job_id = reader.maybe_id();
  caller.expires_at = reader.maybe_time();
  r.valid_until = reader.maybe_time();
  r.pending = reader.boolean();
  r.rate_limit = narrow(reader.maybe_integer());
  r.rate_window = narrow(reader.maybe_integer());
  caller.token_name = reader.text();
  caller.owner_name = reader.text();
  caller.project_slug = reader.text();
  caller.organization_slug = reader.text();
  r.allowed = reader.maybe_ranges();
  if (caller.kind == token_kind::session) caller.session = read_session_members(reader);
  return r;
}

/// Adds the members of a session, which follow the members that all records have.
void add_session_members(json::array& members, session_facts const& session) {
  members.emplace_back(to_hex(session.presented.digest));
  members.emplace_back(static_cast<std::int64_t>(session.presented.scope.kind));
  members.emplace_back(session.presented.scope.id.to_string());
  members.emplace_back(static_cast<std::int64_t>(session.in_organization));
  members.emplace_back(session.authenticated_at.micros);
  members.emplace_back(session.method);
  members.emplace_back(session.provider);
}

}  // namespace

std::string encode_record(token_record const& r) {
  principal const& caller = r.caller;
  json::array members{format_version,
                      caller.epoch,
                      r.read_at.micros,
                      r.max_age_micros,
                      static_cast<std::int64_t>(r.state),
                      static_cast<std::int64_t>(caller.kind),
                      static_cast<std::int64_t>(caller.owner_role),
                      caller.token_id.to_string(),
                      caller.subject.to_string(),
                      caller.owner_id.to_string(),
                      caller.project_id.to_string(),
                      caller.organization_id.to_string(),
                      caller.job_id ? json::value(caller.job_id->to_string()) : json::value(nullptr),
                      maybe(caller.expires_at),
                      maybe(r.valid_until),
                      r.pending,
                      r.rate_limit ? json::value(std::int64_t{*r.rate_limit}) : json::value(nullptr),
                      r.rate_window ? json::value(std::int64_t{*r.rate_window}) : json::value(nullptr),
                      caller.token_name,
                      caller.owner_name,
                      caller.project_slug,
                      caller.organization_slug,
                      maybe(r.allowed)};
  if (caller.session) add_session_members(members, *caller.session);
  return "r:" + std::to_string(caller.epoch) + ":" + std::to_string(r.read_at.micros) + ":" +
         json::serialize(members);
}

std::optional<token_record> decode_record(std::string_view text) {
  if (!text.starts_with("r:")) return std::nullopt;
  auto const array_at = text.find('[');
  if (array_at == std::string_view::npos) return std::nullopt;
  boost::system::error_code ec;
  auto const parsed = json::parse(text.substr(array_at), ec);
  if (ec || !parsed.is_array()) return std::nullopt;
  reader reader(parsed.get_array());
  if (reader.integer() != format_version) return std::nullopt;
  token_record r = read_members(reader);
  if (!reader.complete()) return std::nullopt;
  return r;
}

void record_cache::erase(map::iterator position) {
  by_use_.erase(position->second.use);
  entries_.erase(position);
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

void record_cache::invalidate(std::vector<subject_epoch> const& touched) {
  std::erase_if(entries_, [&](auto const& item) {
    auto const& caller = item.second.held.record->caller;
    bool const old = std::any_of(touched.begin(), touched.end(), [&](subject_epoch const& t) {
      return t.subject == caller.subject && caller.epoch < t.epoch;
    });
    if (old) by_use_.erase(item.second.use);
    return old;
  });
}

void record_cache::invalidate_all() {
  entries_.clear();
  by_use_.clear();
}

}  // namespace svc::access
