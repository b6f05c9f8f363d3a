#include "redis/slots.hpp"

#include "svc/core/numbers.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace svc::redis {
namespace {

/// Far above the thousand that a Cluster is made for.
constexpr std::size_t most_masters = 4096;

constexpr std::array<std::uint16_t, 256> crc_table = [] {
  std::array<std::uint16_t, 256> out{};
  for (unsigned byte = 0; byte < out.size(); ++byte) {
    unsigned crc = byte << 8U;
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 0x8000U) != 0 ? (crc << 1U) ^ 0x1021U : crc << 1U;
    out[byte] = static_cast<std::uint16_t>(crc);
  }
  return out;
}();

std::uint16_t crc16(std::string_view text) {
  unsigned crc = 0;
  for (char const c : text) {
    auto const position = ((crc >> 8U) ^ static_cast<unsigned char>(c)) & 0xffU;
    crc = ((crc << 8U) ^ crc_table.at(position)) & 0xffffU;
  }
  return static_cast<std::uint16_t>(crc);
}

std::string_view hash_tag(std::string_view key) {
  auto const open = key.find('{');
  if (open == std::string_view::npos) return key;
  auto const close = key.find('}', open + 1);
  if (close == std::string_view::npos || close == open + 1) return key;
  return key.substr(open + 1, close - open - 1);
}

std::optional<std::uint16_t> slot_number(std::int64_t number) {
  if (number < 0 || number >= static_cast<std::int64_t>(slot_count)) return std::nullopt;
  return static_cast<std::uint16_t>(number);
}

/// `?`: a node that has no name yet.
std::optional<address> node_address(std::string_view host, std::string_view port, address const& address) {
  if (host == "?") return std::nullopt;
  return parse_address(host.empty() ? std::string_view(address.host) : host, port);
}

struct slot_range {
  std::uint16_t first = 0, last = 0;
  address master{};
};

/// `[first, last, [host, port, id, ...], replicas ...]`
std::optional<slot_range> read_range(reply const& reply, address const& said_by) {
  if (reply.elements.size() < 3 || reply.elements[2].elements.size() < 2) return std::nullopt;
  auto const first = slot_number(reply.elements[0].number), last = slot_number(reply.elements[1].number);
  auto const& node = reply.elements[2].elements;
  auto address = node_address(node[0].text, std::to_string(node[1].number), said_by);
  if (!first || !last || *first > *last || !address) return std::nullopt;
  return slot_range{*first, *last, std::move(*address)};
}

/// The number behind `field` in lines `field:value`.
std::optional<std::string_view> field_of(std::string_view info, std::string_view field) {
  while (!info.empty()) {
    auto const end = std::min(info.find('\n'), info.size());
    auto line = info.substr(0, end);
    info.remove_prefix(std::min(end + 1, info.size()));
    if (!line.starts_with(field)) continue;
    line.remove_prefix(field.size());
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }
  return std::nullopt;
}

}  // namespace

std::uint16_t slot_of(std::string_view key) {
  return crc16(hash_tag(key)) % slot_count;
}

bool slot_map::names(address const& master) const {
  return std::find(masters.begin(), masters.end(), master) != masters.end();
}

bool slot_map::complete() const {
  return owners.size() == slot_count && std::find(owners.begin(), owners.end(), nobody) == owners.end();
}

std::optional<slot_map> read_slots(reply const& answer, address const& address) {
  if (answer.kind != reply::type::array) return std::nullopt;
  slot_map out;
  out.owners.assign(slot_count, slot_map::nobody);
  std::map<std::string, std::uint16_t> indexes;
  for (auto const& element : answer.elements) {
    auto const range = read_range(element, address);
    if (!range) return std::nullopt;
    auto const position = indexes.try_emplace(range->master.to_string(), static_cast<std::uint16_t>(indexes.size()));
    if (position.second) out.masters.push_back(range->master);
    if (out.masters.size() > most_masters) return std::nullopt;
    auto const begin = out.owners.begin() + range->first, end = out.owners.begin() + range->last + 1;
    if (std::any_of(begin, end, [](auto count) { return count != slot_map::nobody; })) return std::nullopt;
    std::fill(begin, end, position.first->second);
  }
  return out;
}

std::vector<address> taken_over(slot_map const& before, slot_map const& now) {
  if (before.owners.empty() || now.owners.empty()) return {};
  std::vector<bool> stayed, came;
  for (auto const& entry : before.masters) stayed.push_back(now.names(entry));
  for (auto const& entry : now.masters) came.push_back(!before.names(entry));
  std::vector<address> out;
  for (std::size_t slot = 0; slot < slot_count; ++slot) {
    auto const former = before.owners[slot], latter = now.owners[slot];
    if (former == slot_map::nobody || stayed[former] || latter == slot_map::nobody || !came[latter]) continue;
    came[latter] = false;
    out.push_back(now.masters[latter]);
  }
  return out;
}

std::vector<std::string> tags_of(slot_map const& map) {
  std::vector<std::string> out(map.masters.size());
  auto left = out.size();
  // The smallest master has one slot of 16384, which some number below a million has.
  for (int i = 0; left > 0 && i < 1'000'000; ++i) {
    auto tag = "{" + std::to_string(i) + "}";
    auto const owner = map.owners[slot_of(tag)];
    if (owner == slot_map::nobody || !out[owner].empty()) continue;
    out[owner] = std::move(tag);
    --left;
  }
  return out;
}

std::optional<cluster_state> read_cluster_state(std::string_view info) {
  auto const state = field_of(info, "cluster_state:"), epoch = field_of(info, "cluster_current_epoch:");
  if (!state || !epoch) return std::nullopt;
  auto const number = parse_number<std::uint64_t>(*epoch);
  if (!number) return std::nullopt;
  return cluster_state{*state == "ok", *number};
}

std::optional<redirect> read_redirect(std::string_view error, address const& address) {
  redirect out{.asking = error.starts_with("ASK ")};
  if (!out.asking && !error.starts_with("MOVED ")) return std::nullopt;
  error.remove_prefix(error.find(' ') + 1);
  auto const blank = error.find(' ');
  if (blank == std::string_view::npos) return std::nullopt;
  auto const number = parse_number<std::int64_t>(error.substr(0, blank));
  auto const node = error.substr(blank + 1);
  auto const colon = node.rfind(':');
  if (!number || !slot_number(*number) || colon == std::string_view::npos) return std::nullopt;
  auto target = node_address(node.substr(0, colon), node.substr(colon + 1), address);
  if (!target) return std::nullopt;
  out.address = std::move(*target);
  return out;
}

}  // namespace svc::redis
