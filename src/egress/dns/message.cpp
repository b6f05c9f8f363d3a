#include "egress/dns/message.hpp"

#include "egress/dns/reader.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace svc::egress {

namespace {

constexpr std::array<std::string_view, 6> rcodes{"NOERROR", "FORMERR", "SERVFAIL", "NXDOMAIN", "NOTIMP", "REFUSED"};

constexpr int longest_chain = 16;
/// A question has one answer for each record, and names with more than a few dozen records do not fit servers'
/// answers.
constexpr int most_records = 1000;
/// Servers repeat the question, or leave it out with an error.
constexpr int most_questions = 1;
constexpr std::uint16_t class_internet = 1;
constexpr std::uint16_t flag_answer = 0x8000;
/// RFC 2181 8: larger ones count as zero.
constexpr std::uint32_t highest_ttl = std::numeric_limits<std::int32_t>::max();

/// A record of the answer section, its data still on the wire.
struct raw_record {
  std::string owner;
  std::uint16_t type = 0;
  std::chrono::seconds ttl{};
  std::size_t data = 0, data_end = 0;
};

/// One text that is not quoted: TXT.
std::string joined_strings(dns_reader& reader) {
  std::string out;
  while (!reader.bad() && reader.left() > 0) {
    auto const part = reader.bytes(reader.u8());
    out.append(reinterpret_cast<char const*>(part.data()), part.size());
  }
  return out;
}

std::string quoted(std::span<std::uint8_t const> value) {
  std::string out = "\"";
  for (std::uint8_t const byte : value) {
    if (byte == '"' || byte == '\\') out += '\\';
    out += static_cast<char>(byte);
  }
  return out + '"';
}

std::string numbers_then_name(dns_reader& reader, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out.append(std::to_string(reader.u16())).append(" ");
  return out + reader.name();
}

/// RFC 8659 4.1.
std::string caa_text(dns_reader& reader) {
  auto out = std::to_string(reader.u8()) + " ";
  auto const tag = reader.bytes(reader.u8());
  out.append(reinterpret_cast<char const*>(tag.data()), tag.size());
  return out + " " + quoted(reader.bytes(reader.left()));
}

std::string soa_text(dns_reader& reader) {
  auto out = reader.name();
  out.append(" ").append(reader.name());
  for (int i = 0; i < 5; ++i) out.append(" ").append(std::to_string(reader.u32()));
  return out;
}

std::string data_text(dns_reader& reader, record_type type, std::optional<ip_address>& address) {
  switch (type) {
    case record_type::a:
    case record_type::aaaa: {
      auto const bytes = reader.bytes(type == record_type::a ? 4 : 16);
      if (bytes.empty()) return {};
      address = ip_address::of(bytes);
      return address->to_string();
    }
    case record_type::ns:
    case record_type::cname:
    case record_type::ptr:
      return reader.name();
    case record_type::mx:
      return numbers_then_name(reader, 1);
    case record_type::srv:
      return numbers_then_name(reader, 3);
    case record_type::txt:
      return joined_strings(reader);
    case record_type::caa:
      return caa_text(reader);
    case record_type::soa:
      return soa_text(reader);
  }
  reader.fail();
  return {};
}

raw_record take_record(dns_reader& reader) {
  raw_record out;
  out.owner = reader.name();
  auto const type = reader.u16();
  // Records of other classes are none of the question's.
  if (reader.u16() == class_internet) out.type = type;
  auto const ttl = reader.u32();
  out.ttl = std::chrono::seconds(ttl > highest_ttl ? 0 : ttl);
  auto const size = reader.u16();
  out.data = reader.offset();
  reader.bytes(size);
  out.data_end = reader.offset();
  return out;
}

raw_record const* find_alias(std::vector<raw_record> const& all, std::string_view owner) {
  auto const found = std::ranges::find_if(all, [&](raw_record const& record) {
    return record.type == static_cast<std::uint16_t>(record_type::cname) && record.owner == owner;
  });
  return found == all.end() ? nullptr : &*found;
}

/// Follows the aliases of `name`; lowers `ttl` to theirs. Empty: malformed, or a chain too long.
std::optional<std::string> last_name(std::span<std::uint8_t const> message, std::vector<raw_record> const& all,
                                     std::string_view name, std::chrono::seconds& ttl) {
  std::string target(name);
  for (int i = 0; i <= longest_chain; ++i) {
    auto const* const alias = find_alias(all, target);
    if (alias == nullptr) return target;
    dns_reader data(message, alias->data, alias->data_end);
    target = data.name();
    if (data.bad()) return std::nullopt;
    ttl = std::min(ttl, alias->ttl);
  }
  return std::nullopt;
}

}  // namespace

std::optional<dns_answer> read_dns_answer(std::span<std::uint8_t const> message, std::string_view name,
                                          record_type type) {
  dns_reader reader(message, 0, message.size());
  reader.u16();
  auto const flags = reader.u16();
  auto const questions = reader.u16();
  auto const answers = reader.u16();
  reader.u32();
  if (questions > most_questions || answers > most_records) return std::nullopt;
  for (int i = 0; i < questions && !reader.bad(); ++i) {
    reader.name();
    reader.u32();
  }
  std::vector<raw_record> all;
  for (int i = 0; i < answers && !reader.bad(); ++i) all.push_back(take_record(reader));
  if (reader.bad() || (flags & flag_answer) == 0) return std::nullopt;

  dns_answer out{.rcode = flags & 0xFU, .records = {}, .ttl = std::chrono::seconds::max()};
  std::optional<std::string> owner(name);
  if (type != record_type::cname) owner = last_name(message, all, name, out.ttl);
  if (!owner) return std::nullopt;
  for (auto const& raw_record : all) {
    if (raw_record.type != static_cast<std::uint16_t>(type) || raw_record.owner != *owner) continue;
    dns_reader data(message, raw_record.data, raw_record.data_end);
    dns_record record{.text = {}, .address = {}, .ttl = raw_record.ttl};
    record.text = data_text(data, type, record.address);
    if (data.bad() || data.left() > 0) return std::nullopt;
    out.ttl = std::min(out.ttl, raw_record.ttl);
    out.records.push_back(std::move(record));
  }
  if (out.records.empty()) out.ttl = {};
  return out;
}

std::string name_of_rcode(unsigned code) {
  return code < rcodes.size() ? std::string(rcodes[code]) : "RCODE" + std::to_string(code);
}

std::optional<unsigned> rcode_named(std::string_view name) {
  auto const found = std::ranges::find(rcodes, name);
  return found == rcodes.end() ? std::nullopt : std::optional(static_cast<unsigned>(found - rcodes.begin()));
}

}  // namespace svc::egress
