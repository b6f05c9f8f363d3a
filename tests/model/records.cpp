#include "model/records.hpp"

#include <cstring>
#include <string>

namespace svc::model {
namespace {

constexpr std::size_t most_records = 50'000;

token_state state_of(usability u) {
  switch (u) {
    case usability::disabled:
      return token_state::disabled;
    case usability::revoked:
      return token_state::revoked;
    case usability::owner_disabled:
      return token_state::owner_disabled;
    case usability::rotated:
      return token_state::secret_rotated;
    case usability::usable:
      break;
  }
  return token_state::usable;
}

usability usability_of(token_state s) {
  switch (s) {
    case token_state::disabled:
      return usability::disabled;
    case token_state::revoked:
      return usability::revoked;
    case token_state::owner_disabled:
      return usability::owner_disabled;
    case token_state::secret_rotated:
      return usability::rotated;
    default:
      return usability::usable;
  }
}

}  // namespace

records::records() {
  for (u8 t = 0; t < max_tokens; ++t) digests_[t] = sha256(std::to_string(t));
}

uuid records::subject(u8 s) {
  uuid id;
  id.bytes[0] = static_cast<u8>(s + 1);
  return id;
}

access::record_ptr records::real(record const& r) {
  std::uint64_t key = 0;
  static_assert(sizeof r <= sizeof key);
  std::memcpy(&key, &r, sizeof r);
  if (made_.size() > most_records) made_.clear();
  auto& made = made_[key];
  if (!made) {
    token_record out;
    out.caller.token_id.bytes[0] = r.token;
    out.caller.project_id.bytes[0] = r.version;
    out.caller.subject = subject(subject_of[r.token]);
    out.caller.owner_role = (r.marks & viewer) != 0 ? role::project_viewer : role::project_editor;
    out.pending = (r.marks & pending_secret) != 0;
    if (r.until != 0) out.valid_until = time_of(r.until);
    out.caller.epoch = r.epoch;
    out.state = state_of(r.state);
    out.read_at = time_of(r.read_at);
    out.max_age_micros = record_age_micros;
    made = std::make_shared<token_record const>(std::move(out));
  }
  return made;
}

record records::plain(token_record const& r) {
  bool const demoted = r.caller.owner_role == role::project_viewer;
  return {stored::record,
          r.caller.token_id.bytes[0],
          usability_of(r.state),
          static_cast<u8>(r.caller.epoch),
          r.caller.project_id.bytes[0],
          static_cast<u8>(r.read_at.micros / tick_micros),
          static_cast<u8>((r.pending ? pending_secret : 0) | (demoted ? viewer : 0)),
          r.valid_until ? static_cast<u8>(r.valid_until->micros / tick_micros) : u8{0}};
}

void records::read_back(access::record_cache& cache, held& hold, u8 token, u8 now) {
  auto const found = cache.find(digests_[token], time_of(now));
  if (!found.record) {
    hold = {};
    return;
  }
  record const record = plain(*found.record);
  bool const same = std::memcmp(&record, &hold.record, sizeof record) == 0;
  hold = {record, static_cast<u8>(found.unpublished ? 1 : 0), static_cast<u8>(same ? hold.old : 0)};
}

}  // namespace svc::model
