// The packed form: a version, the number of results, and for each result
//
//   byte     status (2 bits), kind (2), degraded, status change, maintenance, more than one attempt
//   byte     flags: the 5 phases that are present, a whole time, a changed status code, a changed reason
//   zigzag   slot - slot before - 1
//   zigzag   (start - start before) - (start before - start before that), in ms
//   varint   attempts, if there was more than one
//   varint   status code + 1, or 0 for none; only if it changed
//   varint   reason + 1, or 0 for none; only if it changed
//   varint   each phase
//   zigzag   whole time - sum of the phases
#include "svc/domain/monitoring/checks/packed_hour.hpp"

#include "domain/monitoring/checks/varint.hpp"

#include <algorithm>
#include <array>

namespace svc::checks {
namespace {

constexpr std::uint8_t version = 1;
constexpr std::uint32_t largest = 0xFFFF'FFFF;

constexpr std::array phases_in_order{&timings::dns_ms, &timings::connect_ms, &timings::tls_ms,
                                     &timings::first_byte_ms, &timings::transfer_ms};

enum first_bits : unsigned {
  kind_shift = 2,
  degraded_bit = 16,
  change_bit = 32,
  maintenance_bit = 64,
  attempts_bit = 128
};
enum second_bits : unsigned { time_bit = 32, code_bit = 64, reason_bit = 128 };

/// The previous result, from which the next one is encoded as differences.
struct before {
  std::uint64_t slot = ~std::uint64_t{0};  // so that the first slot 0 is a difference of 0
  std::uint64_t start = 0, step = 0;
  std::uint64_t code = 0, reason = 0;

  void advance(std::uint64_t to_slot, std::uint64_t to_start) {
    step = to_start - start;
    slot = to_slot;
    start = to_start;
  }
};

std::uint64_t code_of(kept_result const& r) {
  return r.status_code ? *r.status_code + std::uint64_t{1} : 0;
}

std::uint64_t reason_of(kept_result const& r) {
  return r.code ? static_cast<std::uint64_t>(*r.code) + 1 : 0;
}

std::uint64_t sum_of(timings const& phases) {
  std::uint64_t out = 0;
  for (auto const phase : phases_in_order) out += (phases.*phase).value_or(0);
  return out;
}

unsigned first_byte(kept_result const& r) {
  return static_cast<unsigned>(r.ended) | static_cast<unsigned>(r.asked_by) << kind_shift |
         (r.degraded ? degraded_bit : 0U) | (r.status_change ? change_bit : 0U) |
         (r.maintenance ? maintenance_bit : 0U) | (r.attempts != 1 ? attempts_bit : 0U);
}

unsigned second_byte(kept_result const& r, before const& last) {
  unsigned out = 0;
  for (std::size_t i = 0; i < phases_in_order.size(); ++i) out |= (r.phases.*phases_in_order[i] ? 1U : 0U) << i;
  return out | (r.response_time_ms ? time_bit : 0U) | (code_of(r) != last.code ? code_bit : 0U) |
         (reason_of(r) != last.reason ? reason_bit : 0U);
}

void append(byte_vector& out, kept_result const& r, before& last) {
  auto const slot = static_cast<std::uint64_t>(r.slot), start = static_cast<std::uint64_t>(r.started_ms);
  out.push_back(static_cast<std::uint8_t>(first_byte(r)));
  out.push_back(static_cast<std::uint8_t>(second_byte(r, last)));
  append_varint(out, zigzag(slot - last.slot - 1));
  append_varint(out, zigzag(start - last.start - last.step));
  if (r.attempts != 1) append_varint(out, r.attempts);
  if (code_of(r) != last.code) append_varint(out, code_of(r));
  if (reason_of(r) != last.reason) append_varint(out, reason_of(r));
  for (auto const phase : phases_in_order) {
    if (r.phases.*phase) append_varint(out, *(r.phases.*phase));
  }
  if (r.response_time_ms) append_varint(out, zigzag(*r.response_time_ms - sum_of(r.phases)));
  last.advance(slot, start);
  last.code = code_of(r);
  last.reason = reason_of(r);
}

/// Reads packed bytes. A number that does not fit makes `good` false, and all later reads return 0.
class packed_reader {
 public:
  explicit packed_reader(byte_view bytes) : bytes_(bytes) {}

  bool good() const { return good_; }
  bool at_end() const { return bytes_.empty(); }
  std::size_t left() const { return bytes_.size(); }

  unsigned byte() {
    if (bytes_.empty()) return fail();
    unsigned const out = bytes_[0];
    bytes_ = bytes_.subspan(1);
    return out;
  }
  std::uint64_t difference() {
    auto const out = take_varint(bytes_);
    return out ? unzigzag(*out) : fail();
  }
  std::uint64_t number(std::uint64_t most) {
    auto const out = take_varint(bytes_);
    return out && *out <= most ? *out : fail();
  }
  unsigned fail() {
    good_ = false;
    bytes_ = {};
    return 0;
  }

 private:
  byte_view bytes_;
  bool good_ = true;
};

/// Reads a number that must differ from the previous one, or keeps the previous one if none was written.
void read_other(packed_reader& reader, bool written, std::uint64_t most, std::uint64_t& last) {
  if (!written) return;
  auto const now = reader.number(most);
  if (now == last) reader.fail();
  last = now;
}

kept_result read_one(packed_reader& reader, before& last) {
  kept_result out;
  auto const first = reader.byte(), second = reader.byte();
  out.ended = static_cast<status>(first % status_count);
  auto const asked = (first >> kind_shift) & 3U;
  if (asked > static_cast<unsigned>(kind::manual)) reader.fail();
  out.asked_by = static_cast<kind>(asked);
  out.degraded = (first & degraded_bit) != 0;
  out.status_change = (first & change_bit) != 0;
  out.maintenance = (first & maintenance_bit) != 0;
  auto const slot = last.slot + 1 + reader.difference(), start = last.start + last.step + reader.difference();
  last.advance(slot, start);
  out.slot = static_cast<std::int64_t>(slot);
  out.started_ms = static_cast<std::int64_t>(start);
  if ((first & attempts_bit) != 0) {
    out.attempts = static_cast<std::uint32_t>(reader.number(largest));
    if (out.attempts == 1) reader.fail();
  }
  read_other(reader, (second & code_bit) != 0, 0x1'0000, last.code);
  read_other(reader, (second & reason_bit) != 0, code_count, last.reason);
  if (last.code > 0) out.status_code = static_cast<std::uint16_t>(last.code - 1);
  if (last.reason > 0) out.code = static_cast<code>(last.reason - 1);
  for (std::size_t i = 0; i < phases_in_order.size(); ++i) {
    if ((second >> i & 1U) != 0) out.phases.*phases_in_order[i] = static_cast<std::uint32_t>(reader.number(largest));
  }
  if ((second & time_bit) != 0) {
    auto const whole = sum_of(out.phases) + reader.difference();
    if (whole > largest) reader.fail();
    out.response_time_ms = static_cast<std::uint32_t>(whole);
  }
  return out;
}

}  // namespace

byte_vector packed(std::vector<kept_result> const& results) {
  byte_vector out{version};
  append_varint(out, results.size());
  before last;
  for (auto const& each : results) append(out, each, last);
  return out;
}

std::optional<std::vector<kept_result>> read_packed(byte_view bytes) {
  constexpr std::size_t least_bytes = 4;  // smallest size of one result
  packed_reader reader(bytes);
  if (reader.byte() != version) return std::nullopt;
  auto const count = reader.number(most_packed);
  if (!reader.good() || count > reader.left() / least_bytes) return std::nullopt;
  std::vector<kept_result> out;
  out.reserve(static_cast<std::size_t>(count));
  before last;
  for (std::uint64_t i = 0; i < count && reader.good(); ++i) out.push_back(read_one(reader, last));
  if (!reader.good() || !reader.at_end()) return std::nullopt;
  return out;
}

void summary::add(kept_result const& result) {
  ++checks;
  auto const says = conclusion_of(result.ended);
  up += says == conclusion::good ? 1 : 0;
  down += says == conclusion::bad ? 1 : 0;
  if (says != conclusion::good || !result.response_time_ms) return;
  auto const ms = *result.response_time_ms;
  sum_ms += ms;
  min_ms = std::min(min_ms.value_or(ms), ms);
  max_ms = std::max(max_ms.value_or(ms), ms);
  times.add(ms);
}

void summary::add(summary const& other) {
  checks += other.checks;
  up += other.up;
  down += other.down;
  sum_ms += other.sum_ms;
  if (other.min_ms) min_ms = std::min(min_ms.value_or(*other.min_ms), *other.min_ms);
  if (other.max_ms) max_ms = std::max(max_ms.value_or(*other.max_ms), *other.max_ms);
  times.add(other.times);
}

std::optional<std::uint64_t> summary::average_ms() const {
  if (times.count() == 0) return std::nullopt;
  return sum_ms / times.count();
}

}  // namespace svc::checks
