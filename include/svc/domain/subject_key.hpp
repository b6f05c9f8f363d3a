#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace svc {

/// What the caller knows of its subject's epoch. The script's comments and the protocol give the rules.
enum class epoch_mode : std::uint8_t {
  none,    ///< the subject has no epoch: an address, a refused token
  cached,  ///< the record was read before this request arrived; only an equal epoch proves it
  fresh,   ///< the record was read after this request arrived; raises, unless somebody knows better
  forced,  ///< read after a STALE reply; decides
};

/// `svc:{<subject>}:epoch`. The braces put all keys of a subject into one slot of a Redis Cluster.
std::string epoch_key(std::string_view subject);

/// Life of an epoch in Redis in milliseconds: 24 h +- 10 %, so that keys set together do not expire together.
std::string epoch_life_millis();

/// The subject of an address: IPv4 as it is, IPv6 by /64 (one customer's share), mapped IPv4 as IPv4; text
/// that is no address (a Unix socket's peer) stands for itself.
std::string address_subject(std::string_view address);

}  // namespace svc
