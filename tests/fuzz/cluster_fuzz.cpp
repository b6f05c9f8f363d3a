// Feeds answers of Redis Cluster nodes. Any bytes give slots with an existing owner, an address that can be written
// and read again, or nothing.
#include "check.hpp"
#include "redis/resp.hpp"
#include "redis/slots.hpp"

#include <cstdint>

using namespace svc;
using namespace svc::redis;

namespace {

address const asked{"10.0.0.9", "7000"};

void check_address(address const& read) {
  check(!read.host.empty() && read.host.size() <= 256, "a host of a possible length");
  check(parse_address(read.to_string()) == read, "it reads as it was written");
}

void check_map(slot_map const& map) {
  check(map.owners.size() == slot_count, "each slot is known");
  for (auto const owner : map.owners)
    check(owner == slot_map::nobody || owner < map.masters.size(), "an owner is a master");
  for (auto const& address : map.masters) {
    check_address(address);
    check(map.names(address), "a master is named");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const text = text_of(data, size);
  check(slot_of(text) < slot_count, "a slot");
  if (auto const redirect = read_redirect(text, asked)) check_address(redirect->address);
  read_cluster_state(text);
  reply_parser parser;
  parser.feed(text);
  for (reply reply; parser.next(reply) == reply_parser::step::complete;)
    if (auto const map = read_slots(reply, asked)) check_map(*map);
  return 0;
}
