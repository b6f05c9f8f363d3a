#include "api/trigger_keys/trigger_key_json.hpp"

#include "api/cli_tokens/token_json.hpp"

namespace svc::api {

boost::json::object trigger_key_json(store::stored_token const& key) {
  boost::json::object out = token_json(key);
  out["jobId"] = key.job.value().to_string();
  out["rateLimit"] = rate_json(key.rate);
  out["allowedCidrs"] = key.allowed_cidrs ? boost::json::array(key.allowed_cidrs->begin(), key.allowed_cidrs->end())
                                          : boost::json::value();
  return out;
}

std::optional<std::vector<std::string>> read_cidrs(call const& c) {
  auto const* cidrs = c.member("allowedCidrs");
  if (cidrs == nullptr || cidrs->is_null()) return std::nullopt;
  std::vector<std::string> out;
  for (auto const& one : cidrs->get_array()) out.emplace_back(one.get_string());
  return out;
}

}  // namespace svc::api
