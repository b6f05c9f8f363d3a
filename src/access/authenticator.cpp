#include "svc/access/authenticator.hpp"

#include "access/read_batches.hpp"
#include "svc/access/admission.hpp"
#include "svc/access/record_cache.hpp"
#include "svc/core/failpoint.hpp"
#include "svc/core/numbers.hpp"
#include "svc/core/result.hpp"
#include "svc/core/spawn_task.hpp"

namespace svc::access {
namespace {

constexpr auto seen_life_millis = "3600000";
constexpr std::chrono::hours seen_life{1};
constexpr std::size_t max_seen = 100'000;
constexpr std::int64_t negative_life_micros = 10'000'000;
constexpr milliseconds put_patience{50};

std::string seen_key(sha256_digest const& digest) {
  return "svc:seen:{" + to_hex(digest) + "}";
}

/// `n:<readAt>`: at that time PostgreSQL knew no such token.
std::optional<timestamp> read_negative(std::string_view text) {
  if (!text.starts_with("n:")) return std::nullopt;
  auto const micros = parse_number<std::int64_t>(text.substr(2));
  if (!micros) return std::nullopt;
  return timestamp{*micros};
}

bool past_four_fifths(token_record const& r, timestamp now) {
  return (now.micros - r.read_at.micros) * 5 > r.max_age_micros * 4;
}

}  // namespace

std::string record_key(sha256_digest const& digest) {
  return "svc:tok:{" + to_hex(digest) + "}";
}

authenticator::authenticator(asio::io_context& io, redis::client& redis, store::auth_reader& reader, read_rates rates)
    : io_(io),
      redis_(redis),
      reads_(std::make_unique<read_batches>(io, reader, rates)),
      flights_(std::make_unique<flights>(io, *reads_, [this](auth_read_result const& f) {
        if (f.record) clock_.learn(f.record->read_at, f.sent);
      })) {}

authenticator::~authenticator() = default;

void authenticator::set_minimum_epoch(std::int64_t lowest_epoch) {
  if (lowest_epoch <= lowest_epoch_) return;
  lowest_epoch_ = lowest_epoch;
  cache_.invalidate_all();
  flights_->invalidate_all();
}

held_record authenticator::held(sha256_digest const& digest) {
  // Without the database's time no age can be judged.
  auto const now = clock_.now();
  if (!now) return {};
  auto found = cache_.find(digest, *now);
  if (found.record && !found.unpublished && past_four_fifths(*found.record, *now)) {
    // Waits in memory until an admission confirms it; then it is published.
    auto const& session = found.record->caller.session;
    flights_->start(
        digest,
        [this, digest](auth_read_result const& f) {
          if (f.record && f.record->caller.epoch >= lowest_epoch_) cache_.keep(digest, {f.record, true});
        },
        session ? std::optional(session->presented) : std::nullopt);
  }
  return found;
}

task<authenticator::fetched_record> authenticator::fetch(sha256_digest digest, deadline until) {
  std::string const key = record_key(digest);
  std::string const seen = seen_key(digest);
  std::string_view const get[] = {"MGET", key, seen};
  auto const stored = co_await redis_.command(get, until);
  if (stored.moving()) co_return fetched_record{decision::fetch_outcome::nothing, nullptr, seen_here(digest)};
  if (!stored.ok() || stored.value.elements.size() != 2) {
    co_return fetched_record{decision::fetch_outcome::lost, nullptr, seen_here(digest)};
  }
  auto const& text = stored.value.elements[0].text;
  fetched_record out;
  out.seen = !stored.value.elements[1].is_nil() || text == "?" || seen_here(digest);
  auto const now = clock_.now();
  if (!now) co_return out;
  if (auto record = decode_record(text);
      record && young_enough(*record, *now) && record->caller.epoch >= lowest_epoch_) {
    out.fetch = decision::fetch_outcome::record;
    out.record = std::make_shared<token_record const>(std::move(*record));
  } else if (auto const time = read_negative(text); time && now->micros - time->micros < negative_life_micros) {
    out.fetch = decision::fetch_outcome::negative;
  }
  co_return out;
}

task<authenticator::read_result> authenticator::read(read_request request, deadline until) {
  read_payer payer{request.seen || seen_here(request.digest), std::move(request.address)};
  auto const outcome =
      co_await flights_->join(request.digest, request.not_before, std::move(payer), until, request.session);
  // Read from a former primary, on a session that was open when the new timeline began.
  if (outcome.record && outcome.record->caller.epoch < lowest_epoch_) co_return read_result{};
  if (outcome.record && outcome.record->state == token_state::usable) remember_seen(request.digest);
  co_return read_result{outcome.outcome, outcome.record, outcome.begun};
}

bool authenticator::seen_here(sha256_digest const& digest) const {
  auto const found = seen_.find(digest);
  return found != seen_.end() && steady::now() - found->second < seen_life;
}

void authenticator::remember_seen(sha256_digest const& digest) {
  if (seen_.size() >= max_seen && !seen_.contains(digest)) seen_.erase(seen_.begin());
  seen_[digest] = steady::now();
}

void authenticator::keep(sha256_digest const& digest, record_ptr confirmed, bool publish) {
  if (confirmed->caller.epoch < lowest_epoch_) return;
  if (confirmed->state == token_state::usable) remember_seen(digest);
  cache_.keep(digest, {confirmed, false});
  if (publish) spawn_task(io_, put(digest, std::move(confirmed)));
}

void authenticator::keep_unknown(sha256_digest const& digest, steady::time_point sent) {
  if (auto const time = clock_.at(sent)) spawn_task(io_, put_unknown(digest, *time));
}

task<> authenticator::put(sha256_digest digest, record_ptr record) {
  SVC_FAILPOINT("auth.put");
  std::string const key = record_key(digest);
  std::string const seen = seen_key(digest);
  std::string const text = encode_record(*record);
  std::string const epoch = std::to_string(record->caller.epoch);
  std::string const read_at = std::to_string(record->read_at.micros);
  std::string const life = std::to_string(record->max_age_micros / 1000);
  std::string_view const keys[] = {key, seen};
  std::string_view const arguments[] = {text, epoch, read_at, life, seen_life_millis};
  auto const used = record->state == token_state::usable ? std::span(keys) : std::span(keys, 1);
  // If this is lost or refused, another worker reads PostgreSQL once more; nothing else happens.
  co_await redis_.evaluate(put_script(), used, arguments, deadline::after(put_patience));
}

task<> authenticator::put_unknown(sha256_digest digest, timestamp read_at) {
  std::string const key = record_key(digest);
  std::string const text = "n:" + std::to_string(read_at.micros);
  std::string const life = std::to_string(negative_life_micros / 1000);
  // NX: the marker of a creation, or any record, must not give way to an absence seen earlier.
  std::string_view const set[] = {"SET", key, text, "NX", "PX", life};
  co_await redis_.command(set, deadline::after(put_patience));
}

}  // namespace svc::access
