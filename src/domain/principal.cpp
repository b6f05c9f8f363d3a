#include "svc/domain/principal.hpp"

#include "svc/core/random.hpp"

#include <boost/asio/ip/address.hpp>

#include <cstdint>

namespace svc {

namespace ip = boost::asio::ip;

std::string epoch_key(std::string_view subject) {
  std::string key = "svc:{";
  key += subject;
  key += "}:epoch";
  return key;
}

std::string epoch_life_millis() {
  constexpr double day = 24 * 3600 * 1000.0;
  return std::to_string(static_cast<std::int64_t>(day * (0.9 + 0.2 * random_fraction())));
}

std::string address_subject(std::string_view address) {
  boost::system::error_code ec;
  auto const parsed = ip::make_address(address, ec);
  if (ec) return address.empty() ? "local" : std::string(address);
  if (parsed.is_v4()) return parsed.to_string();
  auto const v6 = parsed.to_v6();
  if (v6.is_v4_mapped()) return ip::make_address_v4(ip::v4_mapped, v6).to_string();
  auto bytes = v6.to_bytes();
  for (std::size_t i = 8; i < bytes.size(); ++i) bytes[i] = 0;
  return ip::address_v6(bytes).to_string() + "/64";
}

}  // namespace svc
